"""What every reader of a pasted text checks first, and how it says what is wrong."""

from __future__ import annotations

from collections.abc import Iterator

from .._validate import shortened


def numbered(text: str, tool: str) -> list[tuple[int, str]]:
    """The lines that are not empty, each with its number from 1."""
    if not isinstance(text, str):
        raise TypeError(f"text must be what {tool} printed, as a string, got {type(text).__name__}")
    lines = [(place, line.rstrip()) for place, line in enumerate(text.splitlines(), 1) if line.strip()]
    if not lines:
        raise ValueError(f"text must be what {tool} printed, got nothing")
    return lines


def wrong(place: int, line: str, legal: str) -> ValueError:
    """An error that names the line, shows it, and says what would be legal."""
    return ValueError(f"line {place} of text is {shortened(line.strip())}; legal: {legal}")


def find(lines: list[tuple[int, str]], words: set[str], tool: str) -> Iterator[tuple[int, str]]:
    """Go on after the first line that holds these words, that line first; refuse a text without one."""
    for index, (_, line) in enumerate(lines):
        if words <= set(line.replace("|", " ").split()):
            return iter(lines[index:])
    raise wrong(*lines[0], f"what {tool} printed, whose header has the columns {', '.join(sorted(words))}")
