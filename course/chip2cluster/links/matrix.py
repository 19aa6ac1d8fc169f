"""What a node says about itself: the matrix of `nvidia-smi topo -m`, read."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations


@dataclass(frozen=True)
class NodeMatrix:
    """Devices in the order of the header, and the label between any two of them.

    ``label`` maps a pair of names to the label, such as ``"NV2"``, ``"PIX"`` or ``"SYS"``.
    """

    devices: tuple[str, ...]
    label: dict[tuple[str, str], str]

    @property
    def gpus(self) -> tuple[str, ...]:
        """The GPUs among the devices."""
        return tuple(name for name in self.devices if name.startswith("GPU"))

    @property
    def adapters(self) -> tuple[str, ...]:
        """All other devices: network adapters."""
        return tuple(name for name in self.devices if not name.startswith("GPU"))

    def nvlinks(self, one: str, other: str) -> int:
        """Links side by side between two GPUs; 0 where their way is PCIe."""
        text = self.label[one, other]
        return int(text[2:]) if text.startswith("NV") else 0

    def groups(self, far: tuple[str, ...], devices: tuple[str, ...] | None = None) -> tuple[tuple[str, ...], ...]:
        """Devices that are joined by anything nearer than the labels ``far``, an adapter being what tells.

        NVLink between two GPUs hides where they are plugged in, so GPUs belong together when
        they are near to one adapter.
        """
        names = self.devices if devices is None else devices
        homes: list[list[str]] = [[name] for name in names]
        for one, other in combinations(names, 2):
            if (one.startswith("GPU") and other.startswith("GPU")) or self.label[one, other] in far:
                continue
            first, second = (next(home for home in homes if name in home) for name in (one, other))
            if first is not second:
                homes.remove(second)
                first += second
        return tuple(tuple(sorted(home, key=names.index)) for home in homes)


def node_matrix(text: str) -> NodeMatrix:
    """Read what `nvidia-smi topo -m` printed.

    Parameters
    ----------
    text : str
        The output, with tabs or blanks; what follows the matrix may be there.

    Returns
    -------
    NodeMatrix

    Raises
    ------
    ValueError
        For a text in which no line begins like a word of the header, or a line that is too short.

    Notes
    -----
    Words of the header that begin no line, such as ``CPU Affinity``, are no devices.
    Source: the legend that the tool prints.

    Examples
    --------
    >>> node = node_matrix("      GPU0  GPU1  mlx5_0  CPU Affinity\\nGPU0  X  NV2  PIX\\nGPU1  NV2  X  SYS\\nmlx5_0  PIX SYS X")
    >>> node.devices, node.label["GPU0", "mlx5_0"], node.nvlinks("GPU0", "GPU1")
    (('GPU0', 'GPU1', 'mlx5_0'), 'PIX', 2)
    """
    header, *lines = text.splitlines() or [""]
    rows = {words[0]: words[1:] for line in lines if (words := line.split())}
    devices = tuple(name for name in header.split() if name in rows)
    if not devices or any(len(rows[name]) < len(devices) for name in devices):
        raise ValueError("text must be the matrix that `nvidia-smi topo -m` prints, with its header as the first line")
    return NodeMatrix(
        devices, {(one, other): rows[one][column] for one in devices for column, other in enumerate(devices)}
    )
