"""Tables of measurements: a CSV with the columns of a kind and the measured seconds, read with an error for each oddity."""

from __future__ import annotations

import csv
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import Any

from .keys import DESCRIPTIVE, KEYS, SPELLINGS, TEXT

ANSWERS = {"serving_step": "tpot_s", "first_token": "ttft_s", "training_step": "step_seconds"}
INDEPENDENT = "InferenceX"  # services that their maintainers ran themselves: the method is not published
Row = dict[str, Any]


@dataclass(frozen=True)
class Sheet:
    """Text of a table: names of the columns, and lines with their numbers in the file."""

    path: Path
    columns: tuple[str, ...]
    lines: tuple[tuple[int, tuple[str, ...]], ...] = field(repr=False)


def sheet(path: Path) -> Sheet:
    """Read the text of a table; lines that begin with ``#`` and empty lines do not count.

    Names of columns are read in lower case, and in every spelling that `expected_keys` accepts.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(f"{path} is not UTF-8 text; save it as CSV in UTF-8") from None
    kept = [
        (number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip(' ,;\t"') and line[0] != "#"
    ]
    if not kept:
        raise ValueError(f"{path} is empty; its first line names the columns, such as chip,precision,m,n,k,seconds")
    reader = csv.reader([line for _, line in kept])
    names = [name.strip().lower() for name in next(reader)]
    for mark in (";", "\t"):
        if len(names) == 1 and mark in names[0]:
            raise ValueError(f"{path} separates columns with {mark!r}; save it with commas, and with a decimal point")
    columns = tuple(SPELLINGS.get(name, name) for name in names)
    twice = sorted({name for name in columns if name and columns.count(name) > 1})
    if twice:
        raise ValueError(f"{path} has column {twice[0]!r} twice; keep one")
    lines = []
    for values in reader:
        number = kept[reader.line_num - 1][0]
        if len(values) != len(columns):
            raise ValueError(f"{path}, line {number}: {len(values)} values for {len(columns)} columns")
        lines.append((number, tuple(value.strip() for value in values)))
    return Sheet(path, columns, tuple(lines))


def kind_of(found: Sheet) -> str:
    """Return the kind whose required columns a table has; a file named after a kind is of that kind."""
    names, stem = set(found.columns), found.path.stem
    if stem in KEYS:
        return stem
    if "phase" in names and "queries" in names:
        raise ValueError(f"{found.path}: prefill and decode have the same columns; name the kind with --kind")
    missing = {}
    for kind, keys in sorted(KEYS.items(), key=lambda item: -len(item[1])):
        needed = [*(key.name for key in keys if key.default is None), answer_of(kind)]
        missing[kind] = [name for name in needed if name not in names]
        if not missing[kind]:
            return "custom_all_reduce" if kind == "nccl" and "framework" in names else kind
    near = min(missing, key=lambda kind: len(missing[kind]) / len(KEYS[kind]))
    raise ValueError(
        f"{found.path}: no kind has these columns: {', '.join(found.columns)}; the nearest is {near}, which also needs "
        f"{', '.join(missing[near])} (SI units). Kinds are {', '.join(KEYS)}"
    )


def answer_of(kind: str) -> str:
    """Return the column of the measured time."""
    return ANSWERS.get(kind, "seconds")


def unread(found: Sheet, kind: str) -> list[str]:
    """Return the columns that no law of the kind reads and that describe no measurement."""
    known = {key.name for key in KEYS[kind]} | DESCRIPTIVE | {*ANSWERS.values(), "seconds"}
    return [name for name in found.columns if name not in known]


def read(path: Path, kind: str) -> list[Row]:
    """Read a table of measurements: inputs of the kind, and the measured seconds."""
    return entries(sheet(path), kind)


def entries(found: Sheet, kind: str) -> list[Row]:
    """Return the rows of a table: inputs of a kind by name, and the measured seconds."""
    answer = answer_of(kind)
    if answer not in found.columns:
        raise ValueError(f"{found.path} has no column {answer!r}; a table of {kind} needs it beside the inputs")
    rows = []
    for number, values in found.lines:
        entry = dict(zip(found.columns, values, strict=True))
        place = f"{found.path}, line {number}"
        row: Row = {"seconds": _positive(entry[answer], f"{place}, {answer}")}
        for key in KEYS[kind]:
            value = entry.get(key.name, "")
            if not value and key.default is None:
                raise ValueError(f"{place}: no value of {key.name!r}, which {kind} needs")
            row[key.name] = (
                key.default if not value else value if key.unit == TEXT else _number(value, f"{place}, {key.name}")
            )
        row["cycled_over_l2"] = _number(entry.get("cycled_over_l2") or "inf", f"{place}, cycled_over_l2")
        if "cluster" in entry:
            row["cluster"] = entry["cluster"]
        if entry.get("origin", INDEPENDENT) == INDEPENDENT:
            rows.append(row)
    return rows


def _number(value: str, place: str) -> float:
    try:
        return float(value)
    except ValueError:
        hint = (
            "write a decimal point and no thousands separator"
            if "," in value
            else "give it without a unit, in SI units"
        )
        raise ValueError(f"{place}: {value!r} is not a number; {hint}") from None


def _positive(value: str, place: str) -> float:
    number = _number(value, place)
    if not (isfinite(number) and number > 0):
        raise ValueError(f"{place}: a measured time must be finite and positive, got {value!r}")
    return number
