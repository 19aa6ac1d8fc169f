"""Output of an answer: text, JSON, Markdown or CSV, and a picture in a file of its own."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from .option_types import one_of
from .shared_options import UsageError

if TYPE_CHECKING:
    from .answer import Answer

OUTPUT = ("json", "markdown", "csv", "assumptions", "plot")  # options that do not change the answer
_KINDS = ("key", "all")


def add_output(parser: ArgumentParser) -> None:
    """Add the options that every command has."""
    group = parser.add_argument_group("output")
    form = group.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="as JSON, in SI base units, for other programs")
    form.add_argument("--markdown", action="store_true", help="as Markdown tables, for an issue or a report")
    form.add_argument("--csv", action="store_true", help="as CSV, in SI base units, for a spreadsheet")
    group.add_argument(
        "--assumptions", type=one_of(_KINDS), default="key", metavar="WHICH",
        help="key: those that change the answer most (default); all",
    )  # fmt: skip
    group.add_argument(
        "--plot", metavar="FILE", help="write the curve of the answer to a new file: curve.svg, curve.png"
    )


def check_plot(options: Namespace) -> None:
    """Raise UsageError if the file of the picture is not a new one of a known kind."""
    if options.plot is None:
        return
    path = Path(options.plot)
    if path.suffix not in (".svg", ".png"):
        raise UsageError(f"argument --plot: {options.plot!r} must end with .svg or .png")
    if path.exists():
        raise UsageError(f"argument --plot: {options.plot} exists already; name a new file")
    if not path.parent.is_dir():
        raise UsageError(f"argument --plot: there is no folder {path.parent}")


def write_plot(options: Namespace, answer: Answer) -> None:
    """Write the picture of an answer; raise UsageError if it has none."""
    if options.plot is None:
        return
    if answer.picture is None:
        raise UsageError(
            "argument --plot: this answer has no curve; curves belong to allreduce, to cost with a price, to serve without "
            "--chips, and to list chips with one chip"
        )
    from ..draw import typeface

    picture = answer.picture()
    data = typeface.alone(picture.svg).encode() if options.plot.endswith(".svg") else picture.png()
    try:
        with open(options.plot, "xb") as file:
            file.write(data)
    except OSError as problem:
        raise UsageError(f"argument --plot: {options.plot} cannot be written: {problem.strerror}") from None


def formatted(answer: Answer, options: Namespace) -> str:
    """Return an answer in the chosen format."""
    every = options.assumptions == "all"
    if options.json:
        return json.dumps(answer.as_dict(), indent=1, allow_nan=False)
    if options.markdown or options.csv:
        from .file_formats import answer_csv, answer_markdown

        return (answer_markdown if options.markdown else answer_csv)(answer, every=every)
    from .text_format import answer_text

    return answer_text(answer, every=every)
