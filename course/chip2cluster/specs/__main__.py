"""Format the catalogue of chips: ``python -m chip2cluster.specs [--check] [FILE]``."""

import sys
from argparse import ArgumentParser
from pathlib import Path

from .catalogue import format_file


def main(arguments: list[str] | None = None) -> int:
    """Rewrite the catalogue's file in its canonical form; with ``--check`` only say whether it is."""
    parser = ArgumentParser(prog="python -m chip2cluster.specs", description="Format the catalogue of chips.")
    parser.add_argument("--check", action="store_true", help="change nothing; exit with 1 if the file would change")
    parser.add_argument(
        "file", nargs="?", type=Path, default=Path(__file__).parents[1] / "data" / "accelerators.json",
        help="catalogue to format (default: that of the package)",
    )  # fmt: skip
    options = parser.parse_args(arguments)
    canonical = format_file(options.file, check=options.check)
    if options.check:
        if not canonical:
            print(f"{options.file} is not in canonical form; run `python -m chip2cluster.specs`", file=sys.stderr)
        return 0 if canonical else 1
    print(f"{options.file}: {'unchanged' if canonical else 'formatted'}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
