"""Parser of the topology matrix of a node that `nvidia-smi topo -m` prints."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations


@dataclass(frozen=True)
class NodeMatrix:
    """Devices of a node, and the connection between any two of them.

    Attributes
    ----------
    devices : tuple of str
        Names in the order of the header.
    label : dict of tuple to str
        Label of each pair of names, such as ``"NV2"``, ``"PIX"`` or ``"SYS"``.
    """

    devices: tuple[str, ...]
    label: dict[tuple[str, str], str]

    @property
    def gpus(self) -> tuple[str, ...]:
        """Names of the GPUs."""
        return tuple(name for name in self.devices if name.startswith("GPU"))

    @property
    def nics(self) -> tuple[str, ...]:
        """Names of the other devices, the NICs."""
        return tuple(name for name in self.devices if not name.startswith("GPU"))

    def nvlinks(self, one: str, other: str) -> int:
        """Return the number of parallel NVLinks between two GPUs; 0 if they are connected by PCIe."""
        text = self.label[one, other]
        return int(text[2:]) if text.startswith("NV") else 0

    def groups(self, far: tuple[str, ...], devices: tuple[str, ...] | None = None) -> tuple[tuple[str, ...], ...]:
        """Group the devices that are connected by anything closer than the labels ``far``.

        The label of NVLink between two GPUs hides their position on PCIe, so GPUs are in one
        group only if they are close to one NIC.
        """
        names = self.devices if devices is None else devices
        groups: list[list[str]] = [[name] for name in names]
        for one, other in combinations(names, 2):
            if (one.startswith("GPU") and other.startswith("GPU")) or self.label[one, other] in far:
                continue
            first, second = (next(group for group in groups if name in group) for name in (one, other))
            if first is not second:
                groups.remove(second)
                first += second
        return tuple(tuple(sorted(group, key=names.index)) for group in groups)


def node_matrix(text: str) -> NodeMatrix:
    r"""Parse the output of `nvidia-smi topo -m`.

    Parameters
    ----------
    text : str
        Output with tabs or blanks; text after the matrix is ignored.

    Returns
    -------
    NodeMatrix
        Devices and the connections between them.

    Raises
    ------
    ValueError
        If no line matches the header or a line is too short.

    Notes
    -----
    Words of the header that begin no line, such as ``CPU Affinity``, are not devices.
    Source: the legend that the tool prints.

    Examples
    --------
    >>> node = node_matrix("      GPU0  GPU1  mlx5_0  CPU Affinity\nGPU0  X  NV2  PIX\nGPU1  NV2  X  SYS\nmlx5_0  PIX SYS X")
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
