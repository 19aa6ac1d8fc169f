"""Parser of the output of hwloc's ``lstopo``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from ._lines import line_error, normalized_lines

_UNITS = {"KB": 2**10, "MB": 2**20, "GB": 2**30, "TB": 2**40, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}
_KINDS = r"Package|Socket|NUMANode|Die|Core|PU|L[1-5][di]?"
_OBJECT = re.compile(rf"({_KINDS}) L#(\d+)(?: \(([^()]*)\))?$")
_PHYSICAL = re.compile(rf"({_KINDS})(?: P#\d+)?(?: \(([^()]*)\))?$")  # lstopo -p; caches have no number then
_FORMER = {"Socket": "Package"}  # hwloc 1


@dataclass(frozen=True)
class HostTopology:
    """Hardware of a host according to hwloc.

    Attributes
    ----------
    memory_bytes : int
        Memory, rounded as in the output.
    packages, numa_nodes, cores, processing_units : int
        Number of objects of each kind.
    caches : mapping of str to (int, int)
        Number and size in bytes of the caches, by name.
    """

    memory_bytes: int
    packages: int
    numa_nodes: int
    cores: int
    processing_units: int
    caches: Mapping[str, tuple[int, int]]


def read_lstopo(text: str) -> HostTopology:
    """Parse the text of ``lstopo-no-graphics`` or ``lstopo --of console``.

    Parameters
    ----------
    text : str
        Output of the tool, from the line ``Machine``.

    Returns
    -------
    HostTopology
        Number of cores, caches and other objects.

    Raises
    ------
    ValueError
        The text is not the output of ``lstopo``, skips an index, or is cut off; the message has the line.

    Notes
    -----
    Logical numbers have no gaps, so missing lines in the middle are detected; missing lines after a complete core, and
    those of ``lstopo -p``, are not. ``Socket``, the word of hwloc 1, is a package. GB in the output are 2^30 bytes, rounded. Ignores devices, and differing sizes of caches with one
    name. Source: hwloc 2.9.

    Examples
    --------
    >>> machine = read_lstopo('''Machine (17GB total)
    ...   Package L#0
    ...     NUMANode L#0 (P#0 17GB)
    ...     L2 L#0 (2048KB) + L1d L#0 (48KB) + Core L#0 + PU L#0 (P#0)''')
    >>> machine.cores, machine.caches["L1d"]
    (1, (1, 49152))
    """
    lines = normalized_lines(text, "lstopo")
    first, head = lines[0]
    if not (found := re.match(r"Machine.*?(\d+)([KMGT]i?B)", head)):
        raise line_error(first, head, "the output of lstopo, such as 'Machine (17GB total)' in the first line")
    memory = int(found[1]) * _UNITS[found[2]]
    if any(" P#" in line for _, line in lines) and not any(" L#" in line for _, line in lines):
        return _topology(memory, *_physical(lines), lines[-1])
    counts: dict[str, int] = {}
    sizes: dict[str, int] = {}
    for place, line in lines:
        for piece in re.sub(r"^.*?Machine \([^()]*\) \+ ", "", line).split(" + "):
            if " L#" not in piece or piece.strip().startswith(("Block", "Net", "GPU", "OpenFabrics", "CoProc", "Misc")):
                if piece.count("(") > piece.count(")"):
                    raise line_error(place, line, "an object with a closing bracket; was the text cut off?")
                continue
            if not (object_ := _OBJECT.match(piece.strip())):
                if piece.strip().split()[0] in ("Package", "Socket", "NUMANode", "Core", "PU") or re.match(
                    r"\s*L\d", piece
                ):
                    raise line_error(
                        place, line, "objects such as 'L1d L#0 (48KB)' or 'PU L#0 (P#0)'; was the text cut off?"
                    )
                continue
            kind, number, about = _FORMER.get(object_[1], object_[1]), int(object_[2]), object_[3]
            if number != counts.get(kind, 0):
                raise line_error(
                    place, line, f"{kind} L#{counts.get(kind, 0)} before {kind} L#{number}, without missing lines"
                )
            counts[kind] = number + 1
            if kind[0] == "L":
                sizes.setdefault(kind, _size(about, place, line))
    return _topology(memory, counts, sizes, lines[-1])


def _physical(lines: list[tuple[int, str]]) -> tuple[dict[str, int], dict[str, int]]:
    """Count the objects of ``lstopo -p``, whose numbers are those of the system, with gaps."""
    counts: dict[str, int] = {}
    sizes: dict[str, int] = {}
    for place, line in lines:
        for piece in line.split(" + "):
            if object_ := _PHYSICAL.match(piece.strip()):
                kind = _FORMER.get(object_[1], object_[1])
                counts[kind] = counts.get(kind, 0) + 1
                if kind[0] == "L":
                    sizes.setdefault(kind, _size(object_[2], place, line))
    return counts, sizes


def _topology(memory: int, counts: dict[str, int], sizes: dict[str, int], last: tuple[int, str]) -> HostTopology:
    if not counts.get("PU") or counts.get("Core", 0) > counts["PU"]:
        raise line_error(*last, "more lines, with a processing unit for each core, such as 'PU L#0 (P#0)'")
    packages, nodes, cores, units = (counts.get(kind, 0) for kind in ("Package", "NUMANode", "Core", "PU"))
    return HostTopology(
        memory, packages, nodes, cores, units, {kind: (counts[kind], size) for kind, size in sizes.items()}
    )


def _size(about: str | None, place: int, line: str) -> int:
    if not about or not (found := re.search(r"(\d+)([KMGT]i?B)", about)):
        raise line_error(place, line, "a cache with its size, such as 'L2 L#0 (2048KB)'")
    return int(found[1]) * _UNITS[found[2]]
