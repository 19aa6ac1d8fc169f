"""Measure speed next to bare NumPy and stock tools: ``make bench``, which takes an hour.

The ratios count; times vary with the machine. The table of a whole run is also written to ``build/bench.md``;
a run of one part or of some rows prints its table only.
"""

import argparse
import contextlib
import importlib
import sys
import time
from datetime import datetime

from tests.bench.rows import MissingTool
from tests.bench.table import (
    ROOT,
    count_processors,
    describe_commit,
    format_table,
    list_versions,
    load_average,
    measure_rows,
)

PARTS = {
    "models": "tests.bench.models",
    "page": "tests.bench.page",
    "grading": "tests.bench.grading",
    "browser": "tests.browser.latency",
    "filmstrips": "tests.bench.filmstrips",
    "book": "tests.bench.book",
}
OUTPUT = ROOT / "build/bench.md"


def run_part(name, only, results):
    """Measure the rows of a part into a list; return what the head of the table says about the part.

    Parameters
    ----------
    name : str
        One of `PARTS`.
    only : str
        Text that the names of rows must contain.
    results : list
        Takes the results.
    """
    start = time.perf_counter()
    try:
        module = importlib.import_module(PARTS[name])
        with contextlib.ExitStack() as stack:
            print(f"{name}: setting up", file=sys.stderr, flush=True)
            chosen = [row for row in module.rows(stack) if only in row.name]
            for result in measure_rows(chosen, name):
                results.append(result)  # one at a time, so that an interrupted run keeps them
    except ModuleNotFoundError as error:
        return f"left out, because the Python package {error.name} is not installed"
    except MissingTool as error:
        return f"left out, because {error}"
    except Exception as error:
        return f"stopped by {type(error).__name__}: {error}"
    return f"rows measured: {len(chosen)}, in {time.perf_counter() - start:.0f} s"


def main(arguments=None):
    """Run the parts that the command line names and show their table."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--part", choices=PARTS, help="run this part only")
    parser.add_argument("--only", metavar="TEXT", default="", help="run only rows whose name contains TEXT")
    options = parser.parse_args(arguments)
    start = [("date", f"{datetime.now().astimezone():%Y-%m-%d %H:%M %Z}"), ("commit", describe_commit())]
    load = load_average()
    results, parts = [], []
    with contextlib.suppress(KeyboardInterrupt):
        for name in [options.part] if options.part else PARTS:
            parts.append((f"part {name}", "interrupted"))
            parts[-1] = (f"part {name}", run_part(name, options.only, results))
    missed, failed = sum(result.missed for result in results), sum(bool(result.error) for result in results)
    facts = [
        *start,
        ("processors", count_processors()),
        ("versions", list_versions()),
        ("load average", f"{load} at the start, {load_average()} at the end"),
        ("times", "processor time of this process for single calls and imports, wall time for everything else"),
        *parts,
        ("rows", f"{len(results)}, of which {missed} missed their budget and {failed} failed"),
    ]
    table = format_table(results, facts)
    print(table)
    if not (options.part or options.only):
        OUTPUT.parent.mkdir(exist_ok=True)
        OUTPUT.write_text(table, encoding="utf-8")
        print(f"written to {OUTPUT.relative_to(ROOT)}", file=sys.stderr)


if __name__ == "__main__":
    main()
