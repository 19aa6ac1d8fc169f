"""``measure``: run the experiments on this machine's GPU, beside those recorded on an H100 and an H200."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from typing import Any

from ..answer import Answer, Number
from ..option_types import quantity
from ..shared_options import UsageError
from ..synonyms import near

QUESTION = "What does the GPU of this machine do, beside an H100 and an H200?"
EXAMPLE = "measure gpu --only triad,products --seconds 30"


def options(parser: ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("what", choices=("gpu",), help="the device")
    parser.add_argument("--all", action="store_true", help="every experiment (the default)")
    parser.add_argument(
        "--only",
        metavar="NAMES",
        help="experiments, as in triad,products,steps,launches,copies,power,attention,training",
    )
    parser.add_argument(
        "--seconds",
        type=_seconds,
        default=150.0,
        metavar="TIME",
        help="time budget of all experiments (default: 150 s)",
    )
    parser.add_argument("--out", metavar="FILE", help="new file for the results, which the notebooks read")
    parser.add_argument("--backend", metavar="NAME", help="torch or cupy (default: the first that can run)")
    parser.add_argument("--shapes", metavar="LIST", help='products of your own: "4096, 8192x50257x4096" (m x n x k)')


def answer(options: Namespace) -> Answer:
    """Run the experiments."""
    from ... import measure
    from ...measure.gpu.experiments import EXPERIMENTS
    from ...measure.gpu.records import CARDS
    from ...measure.gpu.tables import nearest

    names = [name.strip() for name in options.only.split(",")] if options.only else list(EXPERIMENTS)
    for name in names:
        if name not in EXPERIMENTS:
            raise UsageError(
                f"no experiment is called {name!r}{near(name, EXPERIMENTS)}; there are {', '.join(EXPERIMENTS)}"
            )
    chosen: dict[str, Any] = {"products": {"shapes": _shapes(options.shapes)}} if options.shapes else {}
    report = measure.measure_gpu(
        names, seconds=options.seconds, backend=options.backend, file=options.out, progress=_progress, **chosen
    )
    numbers, unlike = [], []
    for name in names:
        best = report[name].best
        numbers.append(_number(name, f"best {name} ({_place(best, name)})", float(best["y"]), name))
        if report[name].recorded:
            continue
        for card in CARDS:
            value = nearest(measure.recorded_gpu(name, card), best)
            if value is None:
                unlike.append(f"{name}: nothing of this series and size was recorded on the {card}.")
            else:
                key = f"{name}_{card.split()[0].lower()}"
                numbers.append(_number(key, f"{card} recorded, alike", value, name))
    remarks = [
        report.said,
        *(f"{name}: {EXPERIMENTS[name].question} Expect: {EXPERIMENTS[name].expects}." for name in names),
    ]
    if not report.recorded:
        remarks += unlike + [f"{name}: {report[name].said}" for name in names]
        if options.out:
            remarks.append(f"Wrote {options.out}; measure.own_gpu({options.out!r}) reads it.")
    return Answer(command="measure", question=QUESTION, numbers=tuple(numbers), remarks=tuple(remarks))


def _progress(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _place(row: dict[str, Any], experiment: str) -> str:
    from ...measure.gpu.experiments import EXPERIMENTS
    from ..text_format import format_value

    kind = EXPERIMENTS[experiment]
    return f"{row['series']}, {kind.x_name} {format_value(float(row['x']), kind.x_unit)}"


def _number(key: str, says: str, value: float, experiment: str) -> Number:
    from ...measure.gpu.experiments import EXPERIMENTS

    return Number(
        name=key, says=says, value=value, unit=EXPERIMENTS[experiment].y_unit or "share",
        function=f"measure.gpu_{experiment}", topic="measure",
    )  # fmt: skip


def _seconds(text: str) -> float:
    return float(text) if text.replace(".", "", 1).isdigit() and float(text) > 0 else quantity("s")(text)


def _shapes(text: str) -> list[tuple[int, int, int]]:
    shapes = []
    for word in text.replace(";", ",").split(","):
        parts = word.lower().split("x")
        if len(parts) not in (1, 3) or not all(part.strip().isdigit() and int(part) for part in parts):
            raise UsageError(
                f"argument --shapes: {word.strip()!r} is no shape; write 4096, or 8192x50257x4096 for m x n x k"
            )
        m, n, k = (int(part) for part in (parts * 3 if len(parts) == 1 else parts))
        shapes.append((m, n, k))
    return shapes
