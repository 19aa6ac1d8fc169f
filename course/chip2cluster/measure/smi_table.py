"""Parser of the table that ``nvidia-smi`` prints without options."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from ._lines import line_error, normalized_lines

_VERSIONS = re.compile(r"NVIDIA-SMI\s+\S+\s+Driver Version:\s*(\S+)(?:\s+CUDA Version:\s*(\S+))?")
_FIRST = re.compile(r"(\d+)\s+(\S.*?)\s+(?:On|Off|N/A|TCC|WDDM|MCDM)\s*")
_SECOND = re.compile(
    r"(?:\d+%|N/A|ERR!)\s+(\d+C|N/A|ERR!)\s+(P\d+|N/A|ERR!|Unknown Error)\s+(\d+W|N/A|ERR!)\s*/\s*(\d+W|N/A|ERR!)"
)
_MEMORY = re.compile(r"(\d+)MiB\s*/\s*(\d+)MiB|N/A|ERR!")
_BORDER = re.compile(r"[+|]?[-=+ ]*[-=]{3}[-=+ ]*[+|]?")
_CUT = "; was the text cut off?"


class SmiGpu(NamedTuple):
    """GPU in the table of nvidia-smi; None for N/A and ERR!.

    Attributes
    ----------
    number, name : int, str
        Number and name, which the table shortens with "...".
    temperature : float or None
        Degrees Celsius.
    power, power_limit : float or None
        Watts.
    memory_used, memory : float or None
        Bytes; the table has MiB.
    utilization : float or None
        Fraction of the time in which a kernel ran.
    uncorrectable_errors : int or None
        Uncorrectable ECC errors since the driver was loaded; None if ECC is off.
    failed : tuple of str
        Cells in which the driver answered ERR!.
    """

    number: int
    name: str
    temperature: float | None
    power: float | None
    power_limit: float | None
    memory_used: float | None
    memory: float | None
    utilization: float | None
    uncorrectable_errors: int | None
    failed: tuple[str, ...]


class SmiTable(NamedTuple):
    """Table of nvidia-smi.

    Attributes
    ----------
    driver, cuda : str, str or None
        Versions of the driver and of the newest CUDA that it runs.
    gpus : tuple of SmiGpu
        One entry per GPU.
    whole : bool
        Whether the list of processes follows, so that no GPU is missing at the end.
    """

    driver: str
    cuda: str | None
    gpus: tuple[SmiGpu, ...]
    whole: bool


def read_smi_table(text: str) -> SmiTable:
    r"""Parse the table that ``nvidia-smi`` prints without options.

    Parameters
    ----------
    text : str
        Output of one call.

    Returns
    -------
    SmiTable
        Versions and GPUs. The processes are not read.

    Raises
    ------
    ValueError
        The text is of another tool, or the box around a GPU is cut; the message has the line number.

    Notes
    -----
    Source: `nvidia-smi`, drivers 418 to 580.

    Examples
    --------
    >>> table = read_smi_table('''
    ... | NVIDIA-SMI 580.159.04             Driver Version: 580.159.04     CUDA Version: 13.0     |
    ... |=========================================+========================+======================|
    ... |   0  NVIDIA H200                    On  |   00000000:00:06.0 Off |                    0 |
    ... | N/A   36C    P0            119W /  700W |     621MiB / 143771MiB |      0%      Default |
    ... +-----------------------------------------+------------------------+----------------------+''')
    >>> table.gpus[0].memory / 2**20, table.gpus[0].power_limit, table.whole
    (143771.0, 700.0, False)
    """
    lines = normalized_lines(text, "nvidia-smi")
    versions = [(index, found) for index, (_, line) in enumerate(lines) if (found := _VERSIONS.search(line))]
    if not versions:
        raise line_error(*lines[0], "the table of nvidia-smi, with its line '| NVIDIA-SMI ... Driver Version: ...'")
    if len(versions) > 1:
        raise line_error(*lines[versions[1][0]], "one table; pass the lines of one call of nvidia-smi")
    start, found = versions[0]
    top = next((index for index, (_, line) in enumerate(lines[start:], start) if line.count("=") > 20), None)
    if top is None:
        raise line_error(*lines[-1], f"the line of equals signs above the first GPU{_CUT}")
    below = (index for index, (_, line) in enumerate(lines) if "Processes:" in line or "MIG devices:" in line)
    end = next(below, len(lines))
    gpus: list[SmiGpu] = []
    box: list[tuple[int, str]] = []
    for place, line in lines[top + 1 : end]:
        if _BORDER.fullmatch(line.strip()):
            if box:
                gpus.append(_gpu(box))
            box = []
        else:
            box.append((place, line))
    if box:
        raise line_error(*box[-1], f"the lower edge of the box of a GPU{_CUT}")
    if not gpus:
        raise line_error(*lines[-1], f"a GPU below the header{_CUT}")
    return SmiTable(found[1], found[2], tuple(gpus), _processes_are_whole(lines[end:]))


def _gpu(box: Sequence[tuple[int, str]]) -> SmiGpu:
    place, line = box[0]
    if not 2 <= len(box) <= 3:
        raise line_error(place, line, f"two or three lines for each GPU, not {len(box)}{_CUT}")
    top, bottom = (_cells(one) for _, one in box[:2])
    first = _FIRST.fullmatch(top[0]) if len(top) == 3 else None
    if first is None:
        raise line_error(place, line, f"number and name, bus and ECC errors of a GPU{_CUT}")
    second, memory = (_SECOND.fullmatch(bottom[0]), _MEMORY.fullmatch(bottom[1])) if len(bottom) == 3 else (None, None)
    busy = re.match(r"(\d+%|N/A|ERR!)\s+\S", bottom[-1])
    if second is None or memory is None or busy is None:
        raise line_error(*box[1], f"temperature, power, memory and utilization of GPU {first[1]}{_CUT}")
    temperature, state, power, limit = second.groups()
    cells = {"ECC": top[2], "temperature": temperature, "performance state": state, "power": power,
             "power limit": limit, "memory": memory[0], "utilization": busy[1]}  # fmt: skip
    used, total = (None if part is None else float(part) * 2**20 for part in memory.groups())
    busy_fraction = _number(busy[1], "%")
    return SmiGpu(
        int(first[1]), first[2], _number(temperature, "C"), _number(power, "W"), _number(limit, "W"), used, total,
        None if busy_fraction is None else busy_fraction / 100, int(top[2]) if top[2].isdigit() else None,
        tuple(name for name, cell in cells.items() if "ERR!" in cell),
    )  # fmt: skip


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def _number(cell: str, unit: str) -> float | None:
    return float(cell.removesuffix(unit)) if cell[:1].isdigit() else None


def _processes_are_whole(lines: Sequence[tuple[int, str]]) -> bool:
    """Return whether the list of processes follows; raise ValueError if its box is cut."""
    if not lines:
        return False
    titles = [index for index, (_, line) in enumerate(lines) if "Processes:" in line]
    if not titles:
        raise line_error(*lines[-1], f"the list of processes below the MIG devices{_CUT}")
    box = [line.strip() for _, line in lines[titles[0] :]]
    header = next((index for index, line in enumerate(box) if line.count("=") > 20), None)
    if header is None or not any(line.count("-") > 20 and _BORDER.fullmatch(line) for line in box[header + 1 :]):
        raise line_error(*lines[-1], f"the lower edge of the list of processes{_CUT}")
    return True
