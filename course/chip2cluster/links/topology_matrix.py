"""Parser of the topology matrix of a node that `nvidia-smi topo -m` prints."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from .._tool_output import normalize
from .._validate import shortened

_LABEL = re.compile(r"X|SYS|NODE|PHB|PXB|PIX|PSB|SOC|C2C|SELF|NV\d+|XGMI|PCIE|N/A")
_NAME = re.compile(r"[A-Za-z]\w*")
_DEVICE = re.compile(r"(?:GPU|NIC)\d+|(?:mlx|hfi|bnxt|irdma|qed|efa|rocep|roceo|ibp|ens|eth)\w*\d\w*")
_ROCM = "Link Type between two GPUs"
_LEGEND = re.compile(r"\s*([A-Z][A-Z0-9]*)\s+= ")


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
    r"""Parse the output of `nvidia-smi topo -m`, or of `rocm-smi --showtopo`.

    Parameters
    ----------
    text : str
        Output with tabs or blanks, of one node. Text around the matrix is ignored, and so are escape codes (the tool
        underlines its header, also in a file), prompts, quotes and prefixes such as ``host:``.

    Returns
    -------
    NodeMatrix
        Devices and the connections between them.

    Raises
    ------
    ValueError
        There is no matrix, a line of it is incomplete or has something else than labels, or there are two matrices.

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
    if not isinstance(text, str):
        raise TypeError(f"text must be the output of nvidia-smi topo -m, as a string, got {type(text).__name__}")
    output = normalize(text)
    if any(_ROCM in line for line in output.lines):
        return _rocm_matrix(output.lines)
    labels = {match[1] for line in output.lines if (match := _LEGEND.match(line))}
    found: dict[str, NodeMatrix] = {}
    for source in output.labels or ("",):  # lines of several hosts may alternate
        lines = [line for line, label in zip(output.lines, output.label_of, strict=True) if label in ("", source)]
        for number, header in enumerate(lines):
            matrix = _matrix(header, lines[number + 1 :], labels)
            if matrix is not None and matrix not in found.values():
                found[f"{source or 'the text'}, line {number + 1}"] = matrix
    if not found:
        raise ValueError(
            "text must be the matrix that `nvidia-smi topo -m` prints, with its header and one line per device;"
            f" got {shortened(output.text.strip())}"
        )
    if len(found) > 1:
        raise ValueError(f"text has {len(found)} different matrices ({'; '.join(found)}): pass the output of one node")
    return next(iter(found.values()))


def _rocm_matrix(lines: Sequence[str]) -> NodeMatrix:
    """Return the matrix of link types among those that `rocm-smi --showtopo` prints; its diagonal has zeros."""
    start = next(number for number, line in enumerate(lines) if _ROCM in line)
    rows = [line.split() for line in lines[start + 1 :]]
    rows = [words for words in rows if words]
    devices = tuple(rows[0]) if rows else ()
    below = rows[1 : 1 + len(devices)]
    whole = len(below) == len(devices) and all(
        words[0] == device and len(words) == len(devices) + 1 and words[1 + place] in ("0", "X")
        for place, (device, words) in enumerate(zip(devices, below, strict=False))
    )
    if not devices or not whole or not all(map(_DEVICE.fullmatch, devices)):
        raise ValueError(
            "the matrix of link types that `rocm-smi --showtopo` prints must have a line of each GPU of its header, with a "
            "link type such as XGMI or PCIE in each column: pass all of its lines"
        )
    label = {
        (one, other): "X" if one == other else below[row][1 + column]
        for row, one in enumerate(devices)
        for column, other in enumerate(devices)
    }
    return NodeMatrix(devices, label)


def _matrix(header: str, lines: list[str], labels: set[str]) -> NodeMatrix | None:
    """Return the matrix below a header, or None if the line is not a header."""
    words = header.split()
    names = words[: words.index("CPU")] if "CPU" in words else words
    rows: dict[str, list[str]] = {}
    for line in lines:
        first, *cells = line.split() or [""]
        if first in rows or first.endswith("Legend:"):
            break
        if first in names:
            rows[first] = cells
    if (
        not rows
        or names[0] not in rows
        or not all(map(_NAME.fullmatch, rows))
        or any(name in labels or _LABEL.fullmatch(name) for name in names)
    ):
        return None
    if missing := [name for name in names if _DEVICE.fullmatch(name) and name not in rows]:
        raise ValueError(
            f"the matrix that `nvidia-smi topo -m` prints has no line of {', '.join(missing)}: pass all of its lines"
        )
    devices = tuple(name for name in names if name in rows)
    for place, name in enumerate(devices):
        cells = rows[name][: len(devices)]
        wrong = [cell for cell in cells if not _LABEL.fullmatch(cell) and cell not in labels]
        if len(cells) < len(devices) or wrong or ("X" in cells and cells[place] != "X"):
            expected = f"{len(devices)} labels such as NV18, PIX or SYS with X in column {place + 1}"
            got = shortened(" ".join(rows[name]))
            raise ValueError(
                f"the line of {name} of the matrix that `nvidia-smi topo -m` prints must have {expected}, got {got}"
            )
    return NodeMatrix(
        devices, {(one, other): rows[one][column] for one in devices for column, other in enumerate(devices)}
    )
