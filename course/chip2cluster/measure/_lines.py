"""Common checks of the parsers of pasted tool output, and their error messages."""

from __future__ import annotations

from collections.abc import Iterator

from .._tool_output import normalize
from .._validate import shortened


def numbered_lines(text: str, tool: str) -> list[tuple[int, str]]:
    """Return the non-empty lines, each with its number from 1."""
    if not isinstance(text, str):
        raise TypeError(f"text must be the output of {tool}, as a string, got {type(text).__name__}")
    lines = [(place, line.rstrip()) for place, line in enumerate(text.splitlines(), 1) if line.strip()]
    if not lines:
        raise ValueError(f"text must be the output of {tool}, got nothing")
    return lines


def normalized_lines(text: str, tool: str, *, keep_blanks: bool = False) -> list[tuple[int, str]]:
    """Return the non-empty lines without escape codes, prompts and common prefixes, each with its number from 1.

    Blanks at the ends of lines are kept on request: below groups of dashes they are an empty cell.
    """
    numbered_lines(text, tool)
    lines = [
        (place, line if keep_blanks else line.rstrip())
        for place, line in enumerate(normalize(text).lines, 1)
        if line.strip()
    ]
    if not lines:
        raise ValueError(f"text must be the output of {tool}, got nothing but prompts")
    return lines


def line_error(place: int, line: str, expected: str) -> ValueError:
    """Return an error that names the line, shows it, and describes the expected content."""
    return ValueError(f"line {place} of text is {shortened(line.strip())}; expected: {expected}")


def from_header(
    lines: list[tuple[int, str]], words: set[str], tool: str, *others: set[str]
) -> Iterator[tuple[int, str]]:
    """Return an iterator that starts at the first line with all these column names, or all of another set.

    Raises ValueError if there is none.
    """
    for index, (_, line) in enumerate(lines):
        if any(names <= set(line.replace("|", " ").split()) for names in (words, *others)):
            return iter(lines[index:])
    raise line_error(*lines[0], f"the output of {tool}, with the columns {', '.join(sorted(words))} in the header")


def bar_cells(line: str, count: int, place: int) -> list[str]:
    """Return the cells of a line that bars separate; raise ValueError if there are more or fewer."""
    cells = line.split("|")
    cells = cells[:-1] if len(cells) == count + 1 and not cells[-1] else cells  # -p ends a line with a bar
    if len(cells) != count:
        raise line_error(place, line, f"{count} cells between bars")
    return cells


def aligned_cells(line: str, spans: list[tuple[int, int]], place: int) -> list[str]:
    """Return the cells below groups of dashes; raise ValueError if a cell is between them or the last is missing."""
    if len(line) <= spans[-1][0] or any(line[end : end + 1].strip() for _, end in spans):
        raise line_error(
            place, line, f"cells below the {len(spans)} groups of dashes, as sacct aligns them; or use sacct -P"
        )
    return [line[start:end].strip() for start, end in spans]


def whole_line(text: str) -> None:
    """Raise ValueError if the last line of an output without a last mark has no end, so that it may be cut."""
    end = text.rstrip(" \t'\"`")
    if not end.endswith(("\n", "\\n")):
        raise ValueError("the last line of text has no line end, so it may be cut: end the text with one")
