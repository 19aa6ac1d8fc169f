"""The part ``models``: imports of every package, and the calls that the modules ``bench_*`` list."""

import importlib
import pkgutil
import subprocess
import sys
from dataclasses import replace

import chip2cluster
from tests import bench
from tests.bench.rows import Row, once
from tests.bench.table import ROOT

PROBE = """import time
from tests.bench.peak import peak_bytes
start = time.process_time()
{}
print(time.process_time() - start, peak_bytes())"""
REPEATS = 3


def rows(_stack):
    """Yield the rows of imports, then those of every module; one that cannot be set up is a row that fails."""
    yield from import_rows()
    for module in list_modules():
        topic = module.removeprefix("bench_")
        try:
            listed = importlib.import_module(f"tests.bench.{module}").rows()
        except Exception as error:
            listed = [Row("its rows could not be set up", defer(error))]
        for row in listed:
            yield replace(row, name=f"{topic}: {row.name}")


def list_modules():
    """Return the names of the modules ``bench_*``."""
    return sorted(info.name for info in pkgutil.iter_modules(bench.__path__) if info.name.startswith("bench_"))


def defer(error):
    """Return a function that raises the error when the row is measured."""

    def fail():
        raise error

    return fail


def import_rows():
    """Yield the rows of imports: seconds for every package, memory for one of them."""
    packages = [info.name for info in pkgutil.iter_modules(chip2cluster.__path__) if info.ispkg]
    for name in [*(f"chip2cluster.{package}" for package in packages), "autograder"]:
        yield Row(
            f"import {name} (baseline: import numpy)",
            lambda name=name: run_import(f"import {name}")[0],
            lambda: run_import("import numpy")[0],
            budget=0.3,
        )
    yield Row(
        "memory of import chip2cluster.roofline above Python's (baseline: import numpy)",
        lambda: run_import("import chip2cluster.roofline")[1] - run_import("pass")[1],
        lambda: run_import("import numpy")[1] - run_import("pass")[1],
        budget=40e6,
        unit="B",
    )


@once
def run_import(code):
    """Return the processor seconds of an import in a new interpreter and that interpreter's peak resident bytes, the least of each."""
    command = [sys.executable, "-c", PROBE.format(code)]
    runs = []
    for _ in range(REPEATS):
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        runs.append(done.stdout.split())
    return tuple(min(float(run[place]) for run in runs) for place in (0, 1))
