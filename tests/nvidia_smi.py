"""Stand-in for nvidia-smi that replays prints recorded on an H100; `install` puts it on a PATH."""

import csv
import os
import sys
from pathlib import Path

PRINTS = Path(__file__).parent / "models/data/gpu"
QUERIES = ("nvidia-smi-query.csv", "nvidia-smi-query-wide.csv", "nvidia-smi-query-nounits.csv")
# What a query calls a column and what the driver prints for it, as in nvidia-smi --help-query-gpu.
PRINTED = {
    "clocks.sm": "clocks.current.sm",
    "clocks.mem": "clocks.current.memory",
    "clocks.gr": "clocks.current.graphics",
}


def install(folder):
    """Put the program into a folder and return the PATH that finds it first."""
    program = folder / "nvidia-smi"
    program.write_text(f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {str(PRINTS.parents[3])!r})\n"
                       "from tests.nvidia_smi import main\nsys.exit(main(sys.argv[1:]))\n")  # fmt: skip
    program.chmod(0o755)
    return f"{folder}{os.pathsep}{os.environ['PATH']}"


def main(arguments):
    """Print what was recorded for these arguments; refuse others as the tool does."""
    query = next((one.partition("=")[2] for one in arguments if one.startswith("--query-gpu=")), None)
    if query is not None:
        return _query(query.split(","))
    name = {"topo -m": "topo-m", "-q": "q", "-L": "L", "dmon": "dmon-busy"}.get(" ".join(arguments[:2]).strip())
    name = name or {"dmon": "dmon-busy"}.get(arguments[0] if arguments else "")
    if name is None:
        print(f"Invalid combination of input arguments: {' '.join(arguments)}")
        return 1
    print((PRINTS / f"nvidia-smi-{name}.txt").read_text(), end="")
    return 0


def _query(fields):
    known = {}
    for name in QUERIES:
        header, values = csv.reader((PRINTS / name).read_text().splitlines(), skipinitialspace=True)
        known = {column.partition(" [")[0]: (column, value) for column, value in zip(header, values)} | known  # noqa: B905
    columns = []
    for field in fields:
        printed = PRINTED.get(field, field)
        if printed not in known:
            print(f'Field "{field}" is not a valid field to query.\n')
            return 2
        columns.append(known[printed])
    print(", ".join(column for column, _ in columns))
    print(", ".join(value for _, value in columns))
    return 0
