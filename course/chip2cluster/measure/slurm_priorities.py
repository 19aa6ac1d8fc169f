"""Parsers of Slurm's ``sprio`` and ``sshare``."""

from __future__ import annotations

import re
from typing import Any

from ._lines import bar_cells, from_header, line_error, normalized_lines

_CUT = "; was the text cut off?"
_TEXT = ("jobid", "partition", "user", "account", "tres", "cluster", "qosname")
_PARENT = "parent"  # users who share what their account has


def read_sprio(text: str) -> tuple[dict[str, Any], ...]:
    r"""Parse the output of ``sprio``, also with ``-l``, ``-n`` or ``-w``.

    Parameters
    ----------
    text : str
        Output with its header.

    Returns
    -------
    tuple of dict
        One dict per job, by column name in lower case: text for job, partition, user and TRES, else float. The factor of
        the partition is ``"partition_factor"``, because Slurm gives two columns one name. With ``-w`` the only row has the
        job ``"Weights"``.

    Raises
    ------
    ValueError
        The text is from another tool, or a line is too short; the message has the line number.

    Notes
    -----
    A job in several partitions has a line for each. The factors sum up to the priority, but for ``NICE`` and rounding.
    Source: `man sprio`, and Slurm 22.05.

    Examples
    --------
    >>> job, = read_sprio('''
    ...           JOBID PARTITION   PRIORITY       SITE        AGE    JOBSIZE
    ...               2 gpus            1700          0        950        750''')
    >>> job["priority"], job["jobsize"]
    (1700.0, 750.0)
    """
    lines = from_header(normalized_lines(text, "sprio"), {"JOBID", "PARTITION", "PRIORITY"}, "sprio")
    place, header = next(lines)
    names: list[str] = []
    for word in header.lower().split():
        names.append("partition_factor" if word == "partition" and word in names else word)
    rows = []
    for place, line in lines:
        words = line.split()
        present = (
            [name for name in names if name not in ("partition", "user", "priority")]
            if words[0] == "Weights"
            else names
        )
        # Numbers end below the ends of their names; only TRES, the last column, may be empty.
        edge = len(header)
        if present[-1] == "tres" and len(words) == len(present) - 1:
            words, edge = [*words, ""], len(header.removesuffix("TRES").rstrip())
        if len(words) != len(present) or len(line) < edge:
            raise line_error(place, line, f"{len(present)} columns: {' '.join(present)}{_CUT}")
        rows.append({name: _factor(name, word, place, line) for name, word in zip(present, words, strict=True)})
    if not rows:
        raise line_error(place, header, f"a job below the header of sprio{_CUT}")
    return tuple(rows)


def read_sshare(text: str) -> tuple[dict[str, Any], ...]:
    r"""Parse the output of ``sshare``, also with ``-l``, in aligned columns or, with ``-P``, separated by bars.

    Parameters
    ----------
    text : str
        Output with its header.

    Returns
    -------
    tuple of dict
        One dict per account and user, by column name in lower case: float, or text for names and TRES; None for an
        empty cell, and ``"parent"`` for the shares of users who share what their account has.

    Raises
    ------
    ValueError
        The text is from another tool, or a line is too short; the message has the line number.

    Notes
    -----
    Only users have ``fairshare``. Source: `man sshare`, and Slurm 22.05.

    Examples
    --------
    >>> rows = read_sshare("Account|User|RawShares|NormShares|RawUsage|EffectvUsage|FairShare\nml|ann|1|0.5|542|1.0|0.2")
    >>> rows[0]["user"], rows[0]["fairshare"]
    ('ann', 0.2)
    """
    lines = from_header(normalized_lines(text, "sshare"), {"Account", "RawShares", "RawUsage"}, "sshare")
    place, header = next(lines)
    names = header.lower().rstrip("|").replace("|", " ").split()
    if "|" in header:
        rows = [(at, line, bar_cells(line, len(names), at)) for at, line in lines]
    else:
        place, dashes = next(lines, (place, header))
        spans = [found.span() for found in re.finditer("-+", dashes)]
        if set(dashes.replace(" ", "")) != {"-"} or len(spans) != len(names):
            raise line_error(place, dashes, f"the line with {len(names)} groups of dashes; or use sshare -P")
        rows = []
        for at, line in lines:
            # Numbers end below the ends of their dashes, and an account has an empty cell at the end.
            if len(line) not in {end for _, end in spans} or any(line[end : end + 1].strip() for _, end in spans):
                raise line_error(at, line, f"cells below the {len(spans)} groups of dashes{_CUT}")
            rows.append((at, line, [line[start:end].strip() for start, end in spans]))
    if not rows:
        raise line_error(place, header, "an account below the header of sshare, which is empty without a database")
    table = []
    for at, line, cells in rows:
        row = {name: _factor(name, cell, at, line) for name, cell in zip(names, cells, strict=True)}
        if row.get("effectvusage") is None or (row.get("user") and row.get("fairshare", 0.0) is None):
            raise line_error(at, line, f"the usage of an account and the fair share of a user{_CUT}")
        table.append(row)
    return tuple(table)


def _factor(name: str, cell: str, place: int, line: str) -> Any:
    if name in _TEXT or name.endswith(("mins", "tres")):
        return cell or None
    if not cell:
        return None
    if cell == _PARENT:
        return cell
    if not re.fullmatch(r"-?\d+(?:\.\d+)?(?:e[-+]\d+)?|-?inf|nan", cell):
        raise line_error(place, line, f"a number in the column {name}, not {cell!r}")
    return float(cell)
