"""Rows of the table that nccl-tests prints, and the list of ranks above it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence

from ._lines import line_error

RANK = re.compile(r"\s*#?\s*Rank\s+(\d+)\s(?:\s*Group\s+(\d+)\s)?.*\bPid\s+\d+\s+on\s")


def joined_rows(body: Sequence[tuple[int, str]], columns: int, times: Sequence[int]) -> Iterator[tuple[int, list[str]]]:
    """Yield the words of each line; a row that a line of NCCL's log has cut in two is put together."""
    pending: tuple[int, list[str]] | None = None
    for place, line in body:
        words = line.replace("|", " ").split()
        if pending and words and not line.lstrip().startswith("#"):
            start, first = pending
            pending = None
            if len(first) + len(words) == columns and _consistent(first + words, times):
                yield start, first + words
                continue
            yield start, first
        if words and words[0].isdigit() and len(words) < columns:
            pending = place, words
        elif words:
            yield place, words
    if pending:
        yield pending


def _consistent(words: Sequence[str], times: Sequence[int]) -> bool:
    """Return whether algbw is size over time, within rounding; a row that was cut within a number is not."""
    try:
        size = float(words[0])
        pairs = [(float(words[place]), float(words[place + 1])) for place in times]
    except ValueError:
        return False
    return all(time > 0 and abs(1e-3 * size / time - rate) <= 0.01 + 0.01 * rate for time, rate in pairs)


def row_sides(words: Sequence[str], places: Sequence[int], place: int, line: str) -> list[float]:
    """Return time, algbw and busbw of both sides in SI units, and the number of wrong values out of place."""
    values: list[float] = []
    for start in places:
        time, algorithm, bus = (number_in(word, place, line) for word in words[start : start + 3])
        values += [1e-6 * time, 1e9 * algorithm, 1e9 * bus]
    bad = words[places[0] + 3] if places[0] + 3 < places[1] else "N/A"
    return [*values, number_in(bad, place, line)]


def number_in(word: str, place: int, line: str) -> float:
    """Return a number of the table, nan for ``N/A``; the error names the line."""
    if word == "N/A":
        return float("nan")
    try:
        return float(word)
    except ValueError:
        raise line_error(place, line, f"numbers in its columns, not {word!r}") from None


def communicator_ranks(lines: Sequence[str]) -> int | None:
    """Return the ranks of a communicator by the list of devices; None if the list is not whole."""
    return group_size({int(match[1]): match[2] for line in lines if (match := RANK.match(line))})


def group_size(group_of: Mapping[int, Hashable]) -> int | None:
    """Return the size of the groups of the ranks; None if ranks are missing or the groups differ in size."""
    if set(group_of) != set(range(len(group_of))):
        return None
    # With NCCL_TESTS_SPLIT each group is a communicator of its own, and the bandwidths are those of a group.
    sizes = set(Counter(group_of.values()).values())
    return sizes.pop() if len(sizes) == 1 else None
