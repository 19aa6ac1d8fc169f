"""Fit and score the laws of the expected times: ``python -m chip2cluster.reality fit|score``."""

import sys
from argparse import ArgumentParser
from pathlib import Path

from .expectation import constants, release, scoring


def main(arguments: list[str] | None = None) -> int:
    """Score a table of measurements, or fit the constants anew."""
    parser = ArgumentParser(prog="python -m chip2cluster.reality", description="Laws of the expected times.")
    verbs = parser.add_subparsers(dest="verb", required=True)
    score = verbs.add_parser("score", help="compare the laws with a table of measurements")
    score.add_argument("file", type=Path, help="CSV with the columns of a kind and the measured seconds")
    score.add_argument("--kind", help="kind of the rows (default: by the columns)")
    fit = verbs.add_parser("fit", help="fit the constants to a folder of tables, and freeze them as a new version")
    fit.add_argument("version", help="version of the new constants, such as 2")
    fit.add_argument("folder", type=Path, help="tables KIND.csv, such as tests/models/data/expected_rows")
    fit.add_argument(
        "--keep", nargs="*", default=(), metavar="KIND", help="kinds that keep their constants and get new intervals"
    )
    fit.add_argument("--output", type=Path, default=constants.FILE, help="file of constants")
    options = parser.parse_args(arguments)
    try:
        if options.verb == "score":
            print(scoring.report(options.file, options.kind))
        else:
            release.fit_all(options.folder, options.version, options.output, options.keep)
            print(f"{options.output}: version {options.version}")
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
