"""Speed, side by side in one run: ``make bench``. Ratios are what counts; times vary with the machine."""

import importlib
import pkgutil
import subprocess
import sys
import time
from pathlib import Path
from timeit import Timer

from tests import bench

ROOT = Path(__file__).resolve().parents[2]


def best_of(function, repeats=5):
    """Seconds of one call: the best of a few repeats, each long enough to be measured."""
    timer = Timer(function)
    number, _ = timer.autorange()
    return min(timer.repeat(repeats, number)) / number


def imported(code, repeats=7):
    """Wall seconds and extra resident megabytes of a fresh interpreter that runs ``code``."""
    probe = (
        "import resource, time; start = time.perf_counter()\n"
        f"{code}\n"
        "print(time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)"
    )
    runs = [
        tuple(
            map(
                float,
                subprocess.run(
                    [sys.executable, "-c", probe], capture_output=True, text=True, check=True
                ).stdout.split(),
            )
        )
        for _ in range(repeats)
    ]
    return min(seconds for seconds, _ in runs), min(megabytes for _, megabytes in runs)


def show(name, ours, bare, budget):
    """Print one row of the table."""
    beside = f"{_time(bare):>10} {ours / bare:>7.2f}x" if bare else f"{'':>10} {'':>8}"
    print(f"{name:<58} {_time(ours):>10} {beside}  {budget}")


def _time(seconds):
    for scale, unit in ((1, "s"), (1e3, "ms"), (1e6, "µs")):
        if seconds * scale >= 1:
            return f"{seconds * scale:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def main():
    """Run every row."""
    print(f"{'what':<58} {'ours':>10} {'bare':>10} {'ratio':>8}  budget")
    (ours, grown), (numpy, grown_numpy), (_, nothing) = (
        imported("import chip2cluster.roofline"),
        imported("import numpy"),
        imported("pass"),
    )
    show("import chip2cluster.roofline, beside import numpy", ours, numpy, "0.3 s")
    print(
        f"{'  memory above bare Python':<58} {grown - nothing:>7.1f} MB {grown_numpy - nothing:>7.1f} MB {'':>8}  40 MB"
    )
    for module in sorted(info.name for info in pkgutil.iter_modules(bench.__path__) if info.name.startswith("bench_")):
        for name, function, bare, budget in importlib.import_module(f"tests.bench.{module}").rows():
            show(name, best_of(function), best_of(bare) if bare else None, budget)
    chapter(ROOT / "course/03_roofline.ipynb")
    sys.stdout.flush()
    for own_process in ("tests.bench.grading", "tests.browser.latency", "tests.bench.filmstrips", "tests.bench.book"):
        subprocess.run([sys.executable, "-m", own_process], cwd=ROOT)


def chapter(page):
    """Time a whole page in a fresh kernel."""
    import tempfile

    import nbformat
    from nbclient import NotebookClient

    with tempfile.TemporaryDirectory() as folder:
        notebook = nbformat.read(page, as_version=4)
        start = time.perf_counter()
        NotebookClient(notebook, timeout=120, resources={"metadata": {"path": folder}}).execute()
        show(f"run {page.name} in a fresh kernel", time.perf_counter() - start, None, "60 s")


if __name__ == "__main__":
    main()
