"""Normalize captured output of command-line tools: escape codes, quotes, prompts, and prefixes of every line.

Each step replaces a line by a line, so that an error can name the line of the text as it was given.
"""

from __future__ import annotations

import json
import re
from ast import literal_eval
from contextlib import suppress
from itertools import pairwise
from typing import NamedTuple

# ECMA-48 sequences, also in the spellings of `cat -v`, of a repr and of JSON.
_ESC = r"(?:\x1b|\^\[|\\x1b|\\033|\\e|\\u001b)"
_ESCAPES = re.compile(
    rf"{_ESC}\[[0-?]*[ -/]*[@-~]|{_ESC}\][^\x07\x1b]*(?:\x07|\x1b\\)|{_ESC}[()][0-9A-Za-z]",
    re.IGNORECASE,
)
_BARE_STYLE = re.compile(r"\[\d{1,2}(?:;\d{1,3})*m(?!\])")  # what is left where a copy dropped the ESC
_INVISIBLE = str.maketrans(dict.fromkeys("\ufeff\u200b\u200c\u200d\u2060\x00", None) | {"\xa0": " ", "\u202f": " "})
_FENCE = re.compile(r"\s*(?:```|~~~)\s*[\w-]*\s*")
# A shell prompt with or without a command: "$ cmd", "user@host:~/a$ cmd", "(env) [user@host a]$ cmd", "PS C:\> cmd",
# and a notebook's or Python's "!cmd".
_PROMPT = re.compile(
    r"\s*(?:"
    r"(?!\d+%)(?:\([\w.-]+\) ?)?(?:\[?[\w.-]+@[\w.-]+[:\s][^$#%>\n]{0,80}\]?|[\w./~-]*|[~/][\w./-]* )[$%]"  # 37% is a value
    r"|(?:\([\w.-]+\) ?)?\[?[\w.-]+@[\w.-]+[:\s][^$#%>\n]{0,80}\]?[#>]"
    r"|(?:PS )?[A-Z]:\\[^>\n]{0,120}>"
    r"|(?:In \[\d+\]:|>>>) ?"
    r"|[#+❯➜](?= (?:sudo )?[a-z][\w./-]*(?:smi|ncu|nsys))"  # a root prompt, or `set -x`
    r")(?:\s+.*|!.*)?"
)
_DURATION = re.compile(r"\s*(?:real|user|sys)\s+\d+m\d+[.,]\d+s\s*")  # what `time` prints below a command
_OTHERS = (_FENCE, _PROMPT, _DURATION)
_TIME = r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?"
# Prefixes that no tool prints itself, so a line of the launcher without one does not speak against them.
_TAGS = (re.compile(r"(?P<label>\[(?:[\w.-]+@)?\d+,\d+\])<std(?:out|err)>(?:: ?| )"),)  # mpirun --tag-output, prterun
_LEVEL = r"(?:DEBUG|INFO|NOTICE|WARN|WARNING|ERROR)\b"
_BARS = re.compile(r"(?:\|[ \t]?)+")
# Prefixes that a program puts before every line; the group `label` names the source of the line.
_PREFIXES = _TAGS + tuple(
    re.compile(pattern)
    for pattern in (
        r"(?:>[ \t]?)+",  # a quoted message
        _BARS.pattern,  # of other programs
        rf"\[?{_TIME}\]?(?: {_LEVEL}:?)?[ \t]?",  # a log, `kubectl logs --timestamps`
        rf"\[?\d\d:\d\d:\d\d(?:[.,]\d+)?\]?[ \t](?:{_LEVEL} ?[|:] ?)?",  # `ts %H:%M:%S`, Avocado's log
        r"[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d (?P<label>[\w.-]+) [\w./@-]+(?:\[\d+\])?: ?",  # syslog, journalctl
        r"\((?P<label>[\w.-]+ pid=\d+(?:, ip=[\d.]+)?)\) ?",  # Ray
        r"\[(?P<label>(?!\d+\])[\w./:@-]+)\]:?[ \t]?",  # [host], [pod/name/container]
        r"\[(?P<label>\d+)\]:?[ \t]?",  # [0], Hydra
        r"[ \t]+(?P<label>\d+):(?: |(?=\t)|$)",  # srun --label, which sets its numbers to the right
        r"(?P<label>[\w.-]+)[ \t]+\|[ \t]?",  # docker compose
        r"(?P<label>[\w.-]+(?:\[[\d,-]+\][\w.-]*)?):(?: |(?=\t)|$)",  # pdsh, clush, srun --label
    )
)
_NUMBERED = re.compile(r"[ \t]*(\d+)(?:\t|: ?|[ ]{2})")  # cat -n, grep -n, nl
_MOST_PASSES = 4  # a quoted log of a labelled run has three prefixes


class ToolOutput(NamedTuple):
    """Normalized lines, as many as were given, and the sources that labelled them."""

    lines: tuple[str, ...]
    label_of: tuple[str, ...]

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels of the sources in the order of the text, such as host names; empty without labels."""
        return tuple(dict.fromkeys(label for label in self.label_of if label))

    @property
    def text(self) -> str:
        """Lines joined to a text."""
        return "\n".join(self.lines)


def normalize(text: str) -> ToolOutput:
    r"""Remove from captured output what its tool did not mean to print.

    Parameters
    ----------
    text : str
        Output as it was copied, redirected to a file, quoted or logged.

    Returns
    -------
    ToolOutput
        Lines without escape codes, prompts, code fences and the prefixes that all lines share in kind.

    Notes
    -----
    A prefix is removed only if most lines have it and every line has one of its kind, from the first line with it to the
    last; a launcher's own lines may stand between the tags of `mpirun`. Ignores lines that a terminal wrapped. Source: `ECMA-48` for the escape codes; the manuals of pdsh, srun, mpirun,
    docker compose, kubectl, journalctl and Ray.

    Examples
    --------
    >>> normalize("$ nvidia-smi topo -m\nn1: \t\x1b[4mGPU0\x1b[0m\nn1: GPU0\t X").lines
    ('', '\tGPU0', 'GPU0\t X')
    """
    text = text.translate(_INVISIBLE)
    if "\n" not in text.strip() and "\\n" in text:
        text = _of_a_literal(text.strip())
    lines = [_BARE_STYLE.sub("", _ESCAPES.sub("", line)) for line in text.splitlines()]
    labels = [""] * len(lines)
    for _ in range(_MOST_PASSES):
        lines = ["" if any(pattern.fullmatch(line) for pattern in _OTHERS) else line for line in lines]
        if not (_remove_numbers(lines) or any(_remove_prefix(pattern, lines, labels) for pattern in _PREFIXES)):
            break
    return ToolOutput(tuple(lines), tuple(labels))


def _of_a_literal(text: str) -> str:
    """Return the text in a string of Python or of JSON, also without its quotes."""
    for read in (literal_eval, json.loads) if re.match(r"b?['\"]", text) else ():
        with suppress(ValueError, SyntaxError):
            found = read(text)
            if isinstance(found, bytes):
                return found.decode(errors="replace")
            if isinstance(found, str):
                return found
    text = re.sub(r"^b?(['\"])(.*)\1$", r"\2", text, flags=re.DOTALL)
    return text.replace("\\r", "").replace("\\n", "\n").replace("\\t", "\t").replace('\\"', '"')


def _remove_prefix(pattern: re.Pattern[str], lines: list[str], labels: list[str]) -> bool:
    found = [pattern.match(line) for line in lines]
    places = [place for place, match in enumerate(found) if match]
    filled = [place for place, line in enumerate(lines) if line.strip()]
    if len(places) < 2 or 2 * len(places) <= len(filled):
        return False
    gaps = any(not found[place] for place in filled if places[0] <= place <= places[-1])
    if gaps and pattern not in _TAGS:
        return False
    if pattern.pattern == _BARS.pattern and all(lines[place].rstrip().endswith("|") for place in places):
        return False  # a box, whose lines begin and end with a bar
    matches = {place: match for place in places if (match := found[place])}
    for place, end in _ends(matches, lines).items():
        lines[place] = lines[place][end:]
        label = matches[place].groupdict().get("label")
        if label:
            labels[place] = f"{labels[place]} {label}".strip()
    return True


def _ends(matches: dict[int, re.Match[str]], lines: list[str]) -> dict[int, int]:
    """Return where each prefix ends; a blank belongs to it only if it is in every line, or columns would move."""
    blank = all(match[0][-1:] in " \t" for place, match in matches.items() if lines[place][match.end() :].strip())
    return {place: match.end() - (not blank and match[0][-1:] == " ") for place, match in matches.items()}


def _remove_numbers(lines: list[str]) -> bool:
    found = [(place, _NUMBERED.match(lines[place])) for place, line in enumerate(lines) if line.strip()]
    numbers = [int(match[1]) for _, match in found if match]
    rises = all(earlier < later for earlier, later in pairwise(numbers))
    if len(numbers) < len(found) or not rises or (len(numbers) < 3 and numbers != [1, 2]):
        return False
    if numbers[-1] - numbers[0] > 2 * len(lines):
        return False
    for place, end in _ends({place: match for place, match in found if match}, lines).items():
        lines[place] = lines[place][end:]
    return True
