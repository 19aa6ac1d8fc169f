"""``compare``: what differs between two saved answers, in the question and in the result."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

from ..answer import Answer, Number
from ..shared_options import UsageError
from ..text_format import format_value

QUESTION = "What differs between two saved answers, in the question and in the result?"
EXAMPLE = "compare --example"
_PARTS = {"command", "numbers", "assumptions", "problems"}


def options(parser: ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("first", nargs="?", metavar="A.json", help="answer saved with --json")
    parser.add_argument(
        "second", nargs="?", metavar="B.json", help="answer of the same command, compared with the first"
    )
    parser.add_argument("--example", action="store_true", help="compare two built-in answers instead of files")


def answer(options: Namespace) -> Answer:
    """Compare two answers."""
    if options.example:
        if options.first is not None:
            raise UsageError("argument --example: takes no files")
        first, second = (_example(registers) for registers in (80, 64))
    elif options.second is None:
        raise UsageError("name two files that were saved with --json, as in `chip2cluster plan ... --json > A.json`")
    else:
        first, second = _saved(options.first), _saved(options.second)
    if first["command"] != second["command"]:
        raise UsageError(
            f"the answers are of two commands, {first['command']} and {second['command']}: compare two of one command"
        )
    numbers = (*_question(first, second), *_result(first, second))
    remarks = [f"Not met in {name}: {text}" for name, one in (("A", first), ("B", second)) for text in one["problems"]]
    if not numbers:
        remarks.insert(0, "The answers are the same.")
    return Answer(command="compare", question=QUESTION, numbers=numbers, remarks=tuple(remarks))


def _example(registers: int) -> dict[str, Any]:
    from ..command import ask

    return ask(f'kernel --chip "H100 SXM" --threads 256 --registers {registers}').as_dict()


def _saved(file: str) -> dict[str, Any]:
    try:
        found = json.loads(Path(file).read_text(encoding="utf-8-sig"))
    except OSError as problem:
        raise UsageError(f"{file} cannot be read: {problem.strerror}") from None
    except (ValueError, RecursionError) as problem:
        raise UsageError(f"{file} is not a whole JSON file ({problem}); save an answer with --json") from None
    lists = ("numbers", "assumptions", "problems")
    if (
        not isinstance(found, dict)
        or not found.keys() >= _PARTS
        or not all(isinstance(found[one], list) for one in lists)
    ):
        raise UsageError(f"{file} is not an answer of chip2cluster; save one with --json")
    rows = [*found["numbers"], *found["assumptions"]]
    if not all(isinstance(row, dict) and row.keys() >= {"name", "says", "value", "unit"} for row in rows):
        raise UsageError(
            f"{file}: each number and assumption needs name, says, value and unit; save the answer with --json"
        )
    return found


def _question(first: dict[str, Any], second: dict[str, Any]) -> list[Number]:
    """Return the options and assumptions that differ; an option that is also an assumption is shown once."""
    rows: list[Number] = []
    before, after = ({row["name"]: row for row in one["assumptions"]} for one in (first, second))
    for name in dict.fromkeys([*before, *after]):
        old, new = before.get(name), after.get(name)
        shown = [format_value(row["value"], row["unit"]) if row else "none" for row in (old, new)]
        if (old or {}).get("value") != (new or {}).get("value"):
            rows.append(_change(f"question_{name}", (new or old or {})["says"], shown, "the question"))
    given, now = first.get("options", {}), second.get("options", {})
    for name in dict.fromkeys([*given, *now]):
        if given.get(name) != now.get(name) and name not in before and name not in after:
            shown = [str(one.get(name, "not given")) for one in (given, now)]
            rows.insert(0, _change(f"question_{name}", f"--{name.replace('_', '-')}", shown, "the question"))
    return rows


def _result(first: dict[str, Any], second: dict[str, Any]) -> list[Number]:
    """Return the numbers that differ, as B over A, or as both values."""
    rows = []
    before, after = ({row["name"]: row for row in one["numbers"]} for one in (first, second))
    for name in dict.fromkeys([*before, *after]):
        old, new = before.get(name), after.get(name)
        if (old or {}).get("value") == (new or {}).get("value") and old and new:
            continue
        shown = [format_value(row["value"], row["unit"]) if row else "none" for row in (old, new)]
        says = (new or old or {})["says"]
        if (
            old
            and new
            and all(_is_number(row["value"]) for row in (old, new))
            and old["value"]
            and old["unit"] == new["unit"]
        ):
            ratio = new["value"] / old["value"]
            rows.append(_number(f"ratio_{name}", f"{says}: {shown[0]} → {shown[1]}", ratio, "result, B over A"))
        else:
            rows.append(_change(f"result_{name}", says, shown, "other results"))
    return sorted(rows, key=lambda one: one.group != "result, B over A")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _change(name: str, says: str, shown: list[str], group: str) -> Number:
    return _number(name, says, " → ".join(shown), group)


def _number(name: str, says: str, value: Any, group: str) -> Number:
    return Number(name=name, says=says, value=value, function="shell.ask", topic="design", group=group)
