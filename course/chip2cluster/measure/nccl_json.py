"""Machine-readable forms of nccl-tests (``-J``) and rccl-tests (``-Z json``, ``-Z csv``)."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .nccl_rows import group_size

_NAN = float("nan")
_ROW = ("size", "time", "algBw", "busBw")  # of rccl-tests


class JsonTable(NamedTuple):
    """Rows as `NcclLog` has them, in SI units, and what stands beside them."""

    rows: list[list[float]]
    ranks: int | None
    average_bus_bandwidth: float | None
    collective: str | None
    version: str | None


def json_tables(text: str) -> list[JsonTable]:
    """Return the tables of a text in one of the forms; empty if it is in none.

    Raises
    ------
    ValueError
        The text is one of the forms and is cut off, or lacks a key.
    """
    if not isinstance(text, str):
        return []
    start = text.strip()
    try:
        if start.startswith("{") and '"results"' in start:
            return [_nccl(json.loads(start))]
        if start[:1] in ("{", "[") and '"busBw"' in start:
            return _rccl([json.loads(line.rstrip(",")) for line in start.strip("[]\n ").splitlines() if line.strip()])
    except json.JSONDecodeError as error:
        raise ValueError(
            f"text is JSON of nccl-tests that ends too early or is damaged: {error}; pass the whole file"
        ) from None
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(
            f"text is JSON of nccl-tests in an unknown form ({error!r}); pass the file as the tool wrote it"
        ) from None
    header, *_ = start.splitlines() or [""]
    if set(_ROW) <= {name.strip() for name in header.split(",")}:
        return _rccl([*csv.DictReader(start.splitlines(), skipinitialspace=True)])
    return []


def _nccl(report: Mapping[str, Any]) -> JsonTable:
    rows = []
    for result in report["results"]:
        sides = [result.get(side) or {} for side in ("out_of_place", "in_place")]
        values = [value for side in sides for value in _side(side)]
        wrong = sides[0].get("nwrong")
        rows.append([float(result["size"]), *values, _NAN if wrong is None else float(wrong)])
    if not rows:
        raise ValueError("text is JSON of nccl-tests without results: the run has ended before its first line")
    devices = (report.get("config") or {}).get("devices") or report.get("devices") or []
    average = (report.get("average_bus_bandwidth") or {}).get("bandwidth")
    names = {str(result["experiment_name"]) for result in report["results"] if result.get("experiment_name")}
    name = names.pop().removesuffix("_perf") if len(names) == 1 else None
    version = report.get("nccl_tests_version")
    group_of = {int(one.get("rank", place)): one.get("group") for place, one in enumerate(devices)}
    return JsonTable(
        rows, group_size(group_of), None if average is None else 1e9 * float(average), name, version and str(version)
    )


def _side(side: Mapping[str, Any]) -> list[float]:
    time = side.get("time", side.get("cpu_time"))
    if time is None:
        return [_NAN] * 3
    return [1e-6 * float(time), 1e9 * float(side["alg_bw"]), 1e9 * float(side["bus_bw"])]


def _rccl(lines: Sequence[Mapping[str, Any]]) -> list[JsonTable]:
    """Return a table for each collective; a line is out of place or in place."""
    tables: dict[tuple[str | None, int | None], dict[float, dict[int, Mapping[str, Any]]]] = {}
    for number, line in enumerate(lines, 1):
        if missing := [name for name in _ROW if line.get(name) is None]:
            raise ValueError(f"line {number} of rccl-tests has no {missing[0]!r}; pass all of its lines whole")
        ranks = line.get("gpus") or line.get("ranks")
        name = line.get("name")
        by_size = tables.setdefault((name and str(name), int(ranks) if ranks else None), {})
        by_size.setdefault(float(line["size"]), {})[int(line.get("inPlace") or 0)] = line
    found = []
    for (name, ranks), sizes in tables.items():
        rows = []
        for size, sides in sizes.items():
            values = []
            for side in (0, 1):
                one = sides.get(side)
                values += (
                    [1e-6 * float(one["time"]), 1e9 * float(one["algBw"]), 1e9 * float(one["busBw"])]
                    if one
                    else [_NAN] * 3
                )
            wrong = str(next(iter(sides.values())).get("#wrong", "N/A")).strip()
            rows.append([size, *values, float(wrong) if wrong not in ("N/A", "", "None") else _NAN])
        found.append(JsonTable(rows, ranks, None, name and _collective(name), None))
    return found


def _collective(name: str) -> str:
    """Return a name such as ``AllReduce`` as nccl-tests writes it."""
    known = {"allreduce": "all_reduce", "allgather": "all_gather", "reducescatter": "reduce_scatter"}
    return known.get(name.lower(), name.lower())
