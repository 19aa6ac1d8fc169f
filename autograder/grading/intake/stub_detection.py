"""Find functions that a cell leaves unwritten, by regular expressions: untrusted source is never parsed."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

_DEF = re.compile(r"(?:async[ \t]+)?def[ \t]+(\w+)[ \t]*\(")
_NOTHING = r"(?:pass|\.\.\.|raise[ \t]+NotImplementedError\b(?:\([^\n]{0,200}\))?);?"
_COMMENT = r"[ \t]*(?:#[^\n]*)?"
# No two adjacent runs of blanks: the time for matching long runs would grow quadratically.
_LINE = re.compile(rf"[ \t]*(?:{_NOTHING}[ \t]*)?(?:#[^\n]*)?")
_ONE_LINE = re.compile(rf".*:[ \t]*{_NOTHING}{_COMMENT}")
_HEAD_ENDS = re.compile(rf".*:{_COMMENT}")
_DOCSTRING = re.compile(r"\s*[rRuU]?(?:\"\"\"[\s\S]*?\"\"\"|'''[\s\S]*?'''|\"[^\"\n]*\"|'[^'\n]*')[ \t\r]*(?=\n|$)")
MAX_HEAD_LINES = 60  # lines of a function's header


@dataclass(frozen=True)
class _Definition:
    """Function at the top level of a cell: its range of lines, and whether its body is empty."""

    name: str
    first: int
    end: int
    empty: bool


def unwritten_functions(source: str) -> set[str]:
    """Return the names of the functions that a cell defines with an empty body, comments aside."""
    last = {definition.name: definition.empty for definition in _definitions(source.split("\n"))}
    return {name for name, empty in last.items() if empty}


def keep_earlier_definitions(source: str, names: Collection[str]) -> str:
    """Return the source changed so that its unwritten functions of these names replace no earlier definition."""
    lines = source.split("\n")
    changed: list[str] = []
    done = 0
    for definition in _definitions(lines):
        if definition.empty and definition.name in names and not _is_decorated(lines, definition.first):
            changed += lines[done : definition.first]
            changed.append(f'if not callable(globals().get("{definition.name}")):')
            changed += [f"    {line}" if line.strip() else line for line in lines[definition.first : definition.end]]
            done = definition.end
    return "\n".join(changed + lines[done:])


def _is_decorated(lines: list[str], first: int) -> bool:
    before = first - 1
    while before >= 0 and not lines[before].strip():
        before -= 1
    return before >= 0 and lines[before].startswith("@")


def _definitions(lines: list[str]) -> Iterator[_Definition]:
    number = 0
    while number < len(lines):
        if not (found := _DEF.match(lines[number])):
            number += 1
            continue
        first, head = number, number
        if _ONE_LINE.fullmatch(lines[first].rstrip()):
            number = first + 1
            yield _Definition(found[1], first, number, True)
            continue
        while head < min(first + MAX_HEAD_LINES, len(lines) - 1) and not _HEAD_ENDS.fullmatch(lines[head].rstrip()):
            head += 1
        end = head + 1
        while end < len(lines) and (not lines[end].strip() or lines[end].startswith((" ", "\t", "#"))):
            end += 1
        yield _Definition(found[1], first, end, _is_empty("\n".join(lines[head + 1 : end])))
        number = end


def _is_empty(body: str) -> bool:
    """Return whether a body has no code but ``pass``, ``...`` or ``raise NotImplementedError``, and one of these."""
    if docstring := _DOCSTRING.match(body):
        body = body[docstring.end() :]
    lines = body.split("\n")
    return (
        all(_LINE.fullmatch(line.rstrip()) for line in lines)
        and re.search(rf"^[ \t]*{_NOTHING}", body, re.M) is not None
    )
