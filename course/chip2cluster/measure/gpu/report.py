"""File of all experiments of one GPU machine: written while they run, read by the notebooks."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import Any

from ..._validate import one_positive, shortened
from ..devices import NoDevice, find_backend
from .experiments import EXPERIMENTS
from .kernel_chains import gpu_launches
from .memory import gpu_copies, gpu_triad
from .power import gpu_power
from .products import gpu_products, gpu_steps
from .records import recorded_gpu
from .series import GpuSeries
from .transformers import gpu_attention, gpu_training

FORMAT = "chip2cluster gpu 1"
LONGEST_TEXT = 8_000_000
DEFAULT_FILE = "my_gpu.json"
RUNNERS: dict[str, Callable[..., GpuSeries]] = {
    "triad": gpu_triad, "products": gpu_products, "steps": gpu_steps, "launches": gpu_launches, "copies": gpu_copies,
    "attention": gpu_attention, "training": gpu_training, "power": gpu_power,
}  # fmt: skip
# Fractions of the total time; power is the only one that always takes its whole share.
SHARES = {"triad": 0.08, "products": 0.1, "steps": 0.08, "launches": 0.06, "copies": 0.1, "attention": 0.06, "training": 0.12, "power": 0.4}  # fmt: skip


@dataclass(frozen=True)
class GpuReport:
    """Experiments of one machine by name.

    Attributes
    ----------
    device : str
        Name of the GPU.
    series : dict of str to GpuSeries
        Results by the name of the experiment.
    said : str
        Sentence that says where they are from.
    """

    device: str
    series: dict[str, GpuSeries] = field(repr=False)
    said: str = ""

    @property
    def recorded(self) -> bool:
        """Whether no experiment was measured on this machine."""
        return all(one.recorded for one in self.series.values())

    def __getitem__(self, experiment: str) -> GpuSeries:
        """Return one experiment; one that was not run is the recorded one of an H100."""
        return self.series.get(experiment) or recorded_gpu(experiment)


def measure_gpu(
    names: Iterable[str] | None = None,
    *,
    seconds: float = 150.0,
    backend: Any = None,
    file: str | Path | None = None,
    progress: Callable[[str], object] | None = None,
    **options: dict[str, Any],
) -> GpuReport:
    """Run experiments on the GPU of this machine, one after the other.

    Parameters
    ----------
    names : iterable of str, optional
        Names of experiments; by default all.
    seconds : float
        Time budget of all of them, seconds; loading the library comes on top.
    backend : str or Backend, optional
        Name of the backend or the backend, by default the first that can run.
    file : str or path, optional
        New file for the results; written after each experiment, so that an interruption keeps what was measured.
    progress : callable, optional
        Function that is called with a line of text before each experiment.
    **options : dict
        Arguments of an experiment by its name, such as ``products={"shapes": [4096]}``.

    Returns
    -------
    GpuReport
        Results; the recorded ones of an H100 without a GPU.

    Raises
    ------
    FileExistsError
        The file is there already.

    Notes
    -----
    Ignores all GPUs but one. Source: same as the experiments.

    Examples
    --------
    >>> measure_gpu(["triad"], seconds=1)["triad"].experiment
    'triad'
    """
    chosen = list(EXPERIMENTS) if names is None else list(names)
    for name in [*chosen, *options]:
        if name not in EXPERIMENTS:
            raise ValueError(f"names must be among {', '.join(EXPERIMENTS)}, got {shortened(name)}")
    total = one_positive("seconds", seconds)
    if file is not None and Path(file).exists():
        raise FileExistsError(f"{file} is there already: name a new file, or move it away")
    try:
        device: Any = find_backend(backend)
    except NoDevice as reason:
        said = f"Recorded on an H100 and an H200, because nothing can be measured here: {reason}."
        return GpuReport(recorded_gpu("triad").device, {name: recorded_gpu(name) for name in chosen}, said)
    found: dict[str, GpuSeries] = {}
    whole = sum(SHARES[name] for name in chosen)
    for name in sorted(chosen, key=list(SHARES).index):
        budget = total * SHARES[name] / whole
        if progress is not None:
            progress(f"{name}: {EXPERIMENTS[name].question} ({budget:.0f} s at most)")
        arguments: dict[str, Any] = {"backend": device} | options.get(name, {})
        arguments.setdefault("duration_seconds" if name == "power" else "seconds", budget)
        found[name] = RUNNERS[name](**arguments)
        if progress is not None:
            progress(f"  {found[name].said}")
        if file is not None:
            _write(Path(file), GpuReport(device.device, found))
    return GpuReport(device.device, found, f"Measured here on {device.device}.")


def gpu_text(report: GpuReport) -> str:
    """Format a report as JSON.

    Parameters
    ----------
    report : GpuReport
        Results; recorded ones are left out.

    Returns
    -------
    str
        Text for `read_gpu`.

    Examples
    --------
    >>> read_gpu(gpu_text(GpuReport("A", {}))).device
    'A'
    """
    series = {
        name: {
            "about": one.about,
            "said": one.said,
            "rows": [{k: _finite(v) for k, v in row.items()} for row in one.rows],
        }
        for name, one in report.series.items()
        if not one.recorded
    }
    return json.dumps({"format": FORMAT, "device": report.device, "series": series}, indent=1, allow_nan=False)


def read_gpu(text: str) -> GpuReport:
    """Parse the text of a report.

    Parameters
    ----------
    text : str
        Contents of the file that `measure_gpu` wrote.

    Returns
    -------
    GpuReport
        Results.

    Raises
    ------
    ValueError
        It is not such a text; the message says what to do.

    Examples
    --------
    >>> try:
    ...     read_gpu("{}")
    ... except ValueError as problem:
    ...     print(problem)
    text must say "format": "chip2cluster gpu 1": pass the file that `chip2cluster measure gpu --out` wrote
    """
    if not isinstance(text, str):
        raise TypeError(f"text must be the contents of a report, as a string, got {type(text).__name__}")
    if len(text) > LONGEST_TEXT:
        raise ValueError(f"text must have at most {LONGEST_TEXT} characters, got {len(text)}")
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise ValueError(
            f"text is not JSON: pass the whole file that `chip2cluster measure gpu --out` wrote ({problem})"
        ) from None
    if not isinstance(fields, dict) or fields.get("format") != FORMAT:
        raise ValueError(
            f'text must say "format": "{FORMAT}": pass the file that `chip2cluster measure gpu --out` wrote'
        )
    device, series = fields.get("device"), fields.get("series")
    if not isinstance(device, str) or not isinstance(series, dict):
        raise ValueError("text must have a device and series: pass the whole file")
    found = {}
    for name, one in series.items():
        if name not in EXPERIMENTS:
            continue  # of a later version
        rows = one.get("rows") if isinstance(one, dict) else None
        if not isinstance(rows, list) or not all(map(_is_row, rows)):
            raise ValueError(f"every row of {name} must have a series, and finite numbers x and y")
        about = {str(key): str(value) for key, value in (one.get("about") or {}).items()}
        found[name] = GpuSeries(name, device, tuple(rows), False, about, str(one.get("said", "")))
    return GpuReport(device, found, f"Measured on {device}.")


def own_gpu(file: str | Path = DEFAULT_FILE) -> GpuReport:
    """Read the file of your own GPU; without one, return the recorded experiments of an H100.

    Parameters
    ----------
    file : str or path
        File that ``chip2cluster measure gpu --out`` wrote, on this or another machine.

    Returns
    -------
    GpuReport
        Results, with a sentence that says whose they are.

    Notes
    -----
    Raises no error for a missing or damaged file. Source: same as `recorded_gpu`.

    Examples
    --------
    >>> own_gpu("no such file").recorded
    True
    """
    command = f"chip2cluster measure gpu --out {DEFAULT_FILE}"
    recorded = {name: recorded_gpu(name) for name in EXPERIMENTS}
    try:
        return read_gpu(Path(file).read_text(encoding="utf-8"))
    except FileNotFoundError:
        said = f"Recorded on an H100: there is no {file}. On a machine with a GPU, `{command}` writes it."
    except (OSError, ValueError) as problem:
        said = f"Recorded on an H100, because {file} could not be read: {problem}."
    return GpuReport(recorded["triad"].device, recorded, said)


def _is_row(row: Any) -> bool:
    return (
        isinstance(row, dict)
        and isinstance(row.get("series"), str)
        and all(
            isinstance(row.get(key), (int, float)) and not isinstance(row[key], bool) and isfinite(row[key])
            for key in "xy"
        )
    )


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not isfinite(value) else value


def _write(path: Path, report: GpuReport) -> None:
    partial = path.with_name(path.name + ".part")
    partial.write_text(gpu_text(report), encoding="utf-8")
    os.replace(partial, path)
