"""Measure rows one after another and write them as one Markdown table."""

import os
import subprocess
import sys
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from tests.bench.rows import MissingTool, Row, find_chromium

ROOT = Path(__file__).resolve().parents[2]
HEADINGS = "what", "ours", "bare NumPy or stock tool", "ratio", "budget"
SCALES = {
    "s": ((1, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")),
    "B": ((1e9, "GB"), (1e6, "MB"), (1e3, "KB"), (1, "B")),
}
PACKAGES = {"NumPy": "numpy", "matplotlib": "matplotlib", "JupyterLab": "jupyterlab", "nbgrader": "nbgrader"}


@dataclass(frozen=True)
class Result:
    """A measured row: its numbers, or the error instead of them."""

    row: Row
    ours: float | None = None
    baseline: float | None = None
    error: str = ""

    @property
    def ratio(self):
        return None if self.baseline is None else self.ours / self.baseline

    @property
    def missed(self):
        """Whether a budget of the row is missed; a row that failed has none to miss."""
        if self.error:
            return False
        row = self.row
        over = row.budget is not None and self.ours > row.budget
        return over or (row.max_ratio is not None and self.ratio > row.max_ratio)


def measure_row(row):
    """Measure one row; an exception becomes its result, except where a tool is missing that its whole part needs."""
    try:
        ours, baseline = row.ours(), row.baseline() if row.baseline else None
        if baseline is not None and baseline <= 0:
            raise ValueError(f"the baseline measured {baseline}, so there is no ratio")
        return Result(row, ours, baseline)
    except MissingTool:
        raise
    except Exception as error:
        return Result(row, error=f"{type(error).__name__}: {error}")


def measure_rows(rows, label):
    """Measure rows one after another, announcing each on standard error; yield the results."""
    for number, row in enumerate(rows, 1):
        print(f"{label} [{number}/{len(rows)}] {row.name}", file=sys.stderr, flush=True)
        yield measure_row(row)


def format_number(value, unit):
    """Return a number with three significant digits and a readable unit."""
    scale, name = next((pair for pair in SCALES[unit] if abs(value) >= pair[0]), SCALES[unit][-1])
    digits = value / scale
    return f"{digits:,.0f} {name}" if digits >= 999.5 else f"{digits:.3g} {name}"


def format_result(result):
    """Return the line of the table for one result."""
    row, unit = result.row, result.row.unit
    limits = [] if row.budget is None else [format_number(row.budget, unit)]
    limits += [] if row.max_ratio is None else [f"{row.max_ratio:.3g}x"]
    budget = ", ".join(limits) + (" **missed**" if result.missed else "")
    if result.error:
        return _line(row.name, f"**failed** {result.error}", "", "", budget)
    baseline = "" if result.baseline is None else format_number(result.baseline, unit)
    ratio = "" if result.ratio is None else f"{result.ratio:.3g}x"
    return _line(row.name, format_number(result.ours, unit), baseline, ratio, budget)


def _line(*cells):
    return "| " + " | ".join(" ".join(str(cell).replace("|", "\\|").split()) for cell in cells) + " |"


def format_table(results, facts):
    """Return the page: the facts of the run as a list, then the table."""
    head = [f"* {name}: {' '.join(str(value).split())}" for name, value in facts]
    lines = [_line(*HEADINGS), "|---|--:|--:|--:|:--|", *map(format_result, results)]
    return "\n".join(["# Benchmark", "", *head, "", *lines, ""])


def load_average():
    """Return the load average of the last minute."""
    return f"{os.getloadavg()[0]:.1f}"


def describe_commit():
    """Return the commit of this checkout and whether files differ from it."""
    commit = _output("git", "rev-parse", "--short", "HEAD") or "unknown"
    changed = _output("git", "status", "--porcelain", "--untracked-files=no")
    return commit + (", with changes that are not committed" if changed else "")


def count_processors():
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()


def list_versions():
    """Return the versions of Python, of packages and of Chromium.

    Called after the last measurement, because the tests' configuration that it imports changes how Python runs.
    """
    versions = [f"Python {sys.version.split()[0]}"]
    for name, package in PACKAGES.items():
        try:
            versions.append(f"{name} {metadata.version(package)}")
        except metadata.PackageNotFoundError:
            versions.append(f"{name} not installed")
    return ", ".join([*versions, chromium_version()])


def chromium_version():
    """Return the name and version that Chromium gives itself."""
    try:
        path, _ = find_chromium()
    except (MissingTool, ModuleNotFoundError):
        return "Chromium not found"
    return _output(path, "--version") or "Chromium of unknown version"


def _output(*command):
    """Return what a command prints, or nothing if it cannot run."""
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
