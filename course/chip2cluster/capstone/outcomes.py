"""Evaluation of many designs at once, in columns."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from math import inf
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..parallelism import Layout
from ..parallelism.search import stack_layouts
from ..specs import Accelerator, PrecisionNotSupported
from . import formulas
from .design_grid import Designs
from .evaluation import LIMITED, evaluate
from .kernel_efficiency import kernel_share
from .outcome import DAY, Outcome
from .scenario import LIMITS, Scenario, check_scenario

if TYPE_CHECKING:
    from pandas import DataFrame

    from .._typing import NDArray

STEP = (
    "layout",
    "nodes",
    "chips_per_node",
    "domain",
    "nic",
    "oversubscription",
    "leaf_nodes",
)  # columns that determine the step time
NUMBERS = ("mfu", "goodput", "step_seconds", "work_seconds", "seconds", "mtbf", "checkpoint_interval", "joules", "watts",
           "kg_by_location", "capital_dollars", "running_dollars", "dollars", "memory_bytes")  # fmt: skip


@dataclass(frozen=True)
class Outcomes:
    """Results of many designs: arrays of shape (designs,), in the units of `Outcome`.

    Attributes
    ----------
    designs : Designs
        The evaluated designs.
    scenario : Scenario
        The requirement.
    fits, meets : array of bool
        Designs that can run; those of them that meet all limits.
    margins : dict of str to array
        Fraction of each limit that is left, by name of the limit.
    numbers : dict of str to array
        Numbers by name, also available as attributes (``outcomes.mfu``, ``outcomes.days``); inf or nan if the
        design cannot run.
    """

    designs: Designs
    scenario: Scenario
    fits: NDArray
    meets: NDArray
    margins: dict[str, NDArray] = field(repr=False)
    numbers: dict[str, NDArray] = field(repr=False)

    def __len__(self) -> int:
        """Return the number of designs."""
        return len(self.fits)

    def __getattr__(self, name: str) -> NDArray:
        """Return a number of `NUMBERS`, or ``days``, by name."""
        if name in NUMBERS:
            return self.numbers[name]
        if name == "days":
            return self.numbers["seconds"] / DAY
        raise AttributeError(f"Outcomes has no {name!r}; it has days, {', '.join(NUMBERS)}")

    def outcome(self, number: int) -> Outcome:
        """Evaluate one of the designs in full.

        Parameters
        ----------
        number : int
            Index of the design.

        Returns
        -------
        Outcome
            Same as `evaluate` of that design.
        """
        return evaluate(self.designs[int(number)], self.scenario)

    def table(self, numbers: Iterable[int] | None = None) -> DataFrame:
        """Tabulate the designs.

        Parameters
        ----------
        numbers : iterable of int, optional
            Indices of the designs; None tabulates all.

        Returns
        -------
        pandas.DataFrame
            One row per design; units are in the headers.
        """
        from pandas import DataFrame

        rows = []
        for number in range(len(self)) if numbers is None else map(int, numbers):
            one, layout = self.designs[number], self.designs[number].layout
            assert layout is not None
            rows.append({
                "chip": one.accelerator.name, "precision": one.precision or self.scenario.precision, "nodes": one.nodes, "t": layout.tensor, "p": layout.pipeline,
                "d": layout.data, "c": layout.context, "network (Gb/s)": round(8e-9 * one.nic_bytes_per_second_one_way),
                "MFU (%)": round(100 * self.mfu[number], 1), "goodput (%)": round(100 * self.goodput[number], 1),
                "days": round(self.days[number], 2), "cost (million $)": round(self.dollars[number] / 1e6, 3),
                "machine (million $)": round(self.capital_dollars[number] / 1e6, 2), "power (MW)": round(self.watts[number] / 1e6, 3),
            })  # fmt: skip
        return DataFrame(rows)


def evaluate_many(designs: Designs, scenario: Scenario) -> Outcomes:
    """Evaluate many designs at once; each result equals that of `evaluate`.

    Parameters
    ----------
    designs : Designs
        Result of `grid` or `designs_of`.
    scenario : Scenario
        Training run, its limits and assumptions.

    Returns
    -------
    Outcomes
        Results in columns.

    Notes
    -----
    Same formulas as `evaluate`, on columns: a step is computed once for each machine and layout and reused for all
    choices of storage, spares and checkpoints. Ignores the same effects; same sources.

    Examples
    --------
    >>> from chip2cluster.capstone import grid
    >>> scenario = Scenario(model="Llama 3 8B", tokens=1e12, global_batch=512)
    >>> found = evaluate_many(grid(scenario, chips=["H100 SXM"], nodes=[8, 16]), scenario)
    >>> int(found.fits.sum()), round(float(found.days[found.fits].min()), 1)
    (78, 11.9)
    """
    if not isinstance(designs, Designs):
        raise TypeError(
            f"designs must be capstone.Designs, as grid and designs_of give them, got {type(designs).__name__}"
        )
    check_scenario(scenario)
    m = _machines(designs, scenario)
    legal, held = _layouts(designs, scenario, m)
    step, model = _steps(designs, scenario, m, legal)
    loading = np.where(legal, formulas.loading_wait(m, scenario, step), 0.0)
    step = step + loading
    totals = formulas.run(m, scenario, step)
    early = (m.interval > 0) & (m.interval < totals.shortest_interval)
    never = totals.seconds >= formulas.NEVER
    fits = legal & (held <= m.memory) & ~early & ~never & m.has_precision
    numbers = {name: getattr(totals, name) for name in NUMBERS if hasattr(totals, name)}
    numbers |= {
        "seconds": np.where(never, inf, totals.seconds),
        "step_seconds": step,
        "mfu": model / step,
        "memory_bytes": held,
    }
    shape = len(designs)
    numbers = {name: np.where(legal, np.broadcast_to(value, shape), np.nan) for name, value in numbers.items()}
    margins = {"memory_bytes": 1.0 - held / m.memory}
    for name in LIMITS:
        if getattr(scenario, name) < inf:
            margins[name] = 1.0 - numbers[LIMITED[name]] / getattr(scenario, name)
    meets = fits & np.logical_and.reduce([margin >= 0 for margin in margins.values()])
    return Outcomes(designs, scenario, fits, meets, margins, numbers)


def _machines(designs: Designs, scenario: Scenario) -> SimpleNamespace:
    """Return the inputs of `formulas` in columns."""
    columns = designs.columns
    pairs = list(zip(columns["chip"].tolist(), columns["precision"].tolist(), strict=True))
    kinds = {pair: place for place, pair in enumerate(dict.fromkeys(pairs))}
    each = [
        _chip_columns(designs.chips[chip], replace(scenario, precision=precision) if precision else scenario)
        for chip, precision in kinds
    ]
    compute = np.array([kinds[pair] for pair in pairs])
    of = {name: np.array([one[name] for one in each])[compute] for name in each[0]}
    numbers = {name: columns[name].astype(float) for name in ("nic", "oversubscription", "interval")}
    bought = columns["storage"].astype(float)
    return SimpleNamespace(
        compute=compute, bought=bought, storage=bought * scenario.storage_share, wire=numbers["nic"] * formulas.network_rate() * scenario.network_share, **of, **numbers, **{name: columns[name] for name in ("nodes", "chips_per_node", "domain", "asynchronous", "spares")},
        devices=columns["nodes"] * columns["chips_per_node"], leaf=columns["leaf_nodes"] * columns["chips_per_node"],
    )  # fmt: skip


def _chip_columns(chip: Accelerator, scenario: Scenario) -> dict[str, Any]:
    found = {"memory": chip.driver_memory_bytes, "inside": formulas.inside_rate(chip) * scenario.domain_share, "watts": formulas.watts(chip, scenario),
             "price": scenario.prices.of_chip(chip.name)}  # fmt: skip
    try:
        share = kernel_share(chip, scenario.precision).share
        rate = {"peak": chip.peak_flops_dense(scenario.precision), "share": scenario.kernel_share or share}
    except PrecisionNotSupported:
        return found | {"peak": 1.0, "share": 1.0, "has_precision": False}
    return found | rate | {"has_precision": True}


def _layouts(designs: Designs, scenario: Scenario, m: SimpleNamespace) -> tuple[NDArray, NDArray]:
    """Return for each design whether its layout is valid, and the bytes of its fullest chip."""
    bytes_of = np.full(len(designs.layouts), np.nan)
    devices = np.zeros(len(designs.layouts), dtype=int)
    groups = defaultdict(list)
    for number, one in enumerate(designs.layouts):
        if not one.problems(scenario.config, scenario.global_batch, sequence=scenario.sequence):
            devices[number] = one.devices
            groups[_stack_key(one)].append(number)
    for numbers in groups.values():
        some = [designs.layouts[number] for number in numbers]
        stacked, micro = stack_layouts(some, scenario.global_batch)
        parts = formulas.memory(scenario, stacked, micro)
        whole = np.sum([np.broadcast_to(part, (len(some), stacked.pipeline)) for part in parts.values()], axis=0)
        bytes_of[numbers] = whole.max(axis=1)
    layout = designs.columns["layout"]
    legal = (devices[layout] == m.devices) & np.isfinite(bytes_of[layout])
    return legal, np.where(legal, bytes_of[layout], np.nan)


def _steps(designs: Designs, scenario: Scenario, m: SimpleNamespace, legal: NDArray) -> tuple[NDArray, NDArray]:
    """Return step seconds without loading, and arithmetic seconds at peak, by design; 1 for an invalid layout."""
    keys = np.column_stack([m.compute, *(designs.columns[name].astype(float) for name in STEP)])
    _, first, again = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    seconds, model = np.ones(len(first)), np.ones(len(first))
    groups = defaultdict(list)
    for place, row in enumerate(first.tolist()):
        if legal[row]:
            groups[_stack_key(designs.layouts[designs.columns["layout"][row]])].append(place)
    for places in groups.values():
        rows = first[places]
        some = [designs.layouts[number] for number in designs.columns["layout"][rows]]
        stacked, micro = stack_layouts(some, scenario.global_batch)
        here = SimpleNamespace(**{
            name: getattr(m, name)[rows][:, None]
            for name in ("peak", "inside", "share", "devices", "domain", "wire", "oversubscription", "leaf")
        })  # fmt: skip
        step = formulas.step(here, scenario, stacked, micro).step
        seconds[places] = np.broadcast_to(step.seconds, micro.shape)[:, 0]
        model[places] = np.broadcast_to(step.model_arithmetic, micro.shape)[:, 0]
    return seconds[again.ravel()], model[again.ravel()]


def _stack_key(one: Layout) -> tuple[Any, ...]:
    """Return the key of the layouts that can be stacked into one computation."""
    return one.pipeline, one.chunks, one.zero_stage, one.recompute, one.schedule_name, one.sequence_parallel
