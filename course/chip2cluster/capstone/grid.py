"""Many designs at once: every product of some choices, and what comes out of each, in columns."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import inf
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import specs
from ..parallelism import Layout
from ..parallelism.search import _stacked
from ..specs import Accelerator, PrecisionNotSupported
from . import figures
from .design import Design, check_design
from .evaluate import LIMITED, evaluate
from .kernels import kernel_share
from .outcome import DAY, Outcome
from .scenario import LIMITS, Scenario, check_scenario

if TYPE_CHECKING:
    from pandas import DataFrame

    from .._typing import NDArray

NODES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096)
# The columns of a machine, and the field of `Design` that each stands for.
COLUMNS = {
    "nodes": "nodes", "chips_per_node": "chips_per_node", "domain": "domain", "nic": "nic_bytes_per_second_one_way",
    "oversubscription": "oversubscription", "leaf_nodes": "leaf_nodes", "storage": "storage_bytes_per_second",
    "interval": "checkpoint_interval", "asynchronous": "asynchronous", "spares": "spares",
}  # fmt: skip
STEP = (
    "chip",
    "layout",
    "nodes",
    "chips_per_node",
    "domain",
    "nic",
    "oversubscription",
    "leaf_nodes",
)  # what a step depends on
ABSENT = {"leaf_nodes": 0, "interval": 0.0, "spares": figures.ALWAYS}  # what stands for None in a column
NUMBERS = ("mfu", "goodput", "step_seconds", "work_seconds", "seconds", "mtbf", "checkpoint_interval", "joules", "watts",
           "kg_by_location", "capital_dollars", "running_dollars", "dollars", "memory_bytes")  # fmt: skip


@dataclass(frozen=True)
class Designs:
    """Designs in columns: ``chip`` and ``layout`` number ``chips`` and ``layouts``.

    Indexing gives one `Design`; ``len`` says how many there are.
    """

    chips: tuple[Accelerator, ...] = field(repr=False)
    layouts: tuple[Layout, ...] = field(repr=False)
    columns: dict[str, NDArray] = field(repr=False)

    def __len__(self) -> int:
        return len(self.columns["chip"])

    def __getitem__(self, number: int) -> Design:
        row = {name: column[number].item() for name, column in self.columns.items()}
        given: dict[str, Any] = {
            of: None if name in ABSENT and row[name] == ABSENT[name] else row[name] for name, of in COLUMNS.items()
        }
        chip = self.chips[row["chip"]]
        listed = chip.name if chip in specs.accelerators() else chip
        return Design(chip=listed, layout=self.layouts[row["layout"]], **given)


@dataclass(frozen=True)
class Outcomes:
    """What comes out of many designs: arrays of shape (designs,), in the units of `Outcome`.

    ``fits`` says which can run and ``meets`` which of them keep all limits; ``margins`` holds the share of
    each limit that is left, by name. Numbers of designs that cannot run are inf or nan.
    """

    designs: Designs
    scenario: Scenario
    fits: NDArray
    meets: NDArray
    margins: dict[str, NDArray] = field(repr=False)
    numbers: dict[str, NDArray] = field(repr=False)

    def __len__(self) -> int:
        return len(self.fits)

    def __getattr__(self, name: str) -> NDArray:
        if name in NUMBERS:
            return self.numbers[name]
        if name == "days":
            return self.numbers["seconds"] / DAY
        raise AttributeError(f"Outcomes has no {name!r}; it has days, {', '.join(NUMBERS)}")

    def outcome(self, number: int) -> Outcome:
        """One of them whole.

        Parameters
        ----------
        number : int

        Returns
        -------
        Outcome
        """
        return evaluate(self.designs[int(number)], self.scenario)

    def table(self, numbers: Iterable[int] | None = None) -> DataFrame:
        """Some of them as a table.

        Parameters
        ----------
        numbers : iterable of int, optional
            Which; all when left out.

        Returns
        -------
        pandas.DataFrame
            One row a design; units are in the headers.
        """
        from pandas import DataFrame

        rows = []
        for number in range(len(self)) if numbers is None else map(int, numbers):
            one, layout = self.designs[number], self.designs[number].layout
            assert layout is not None
            rows.append({
                "chip": one.accelerator.name, "nodes": one.nodes, "t": layout.tensor, "p": layout.pipeline,
                "d": layout.data, "c": layout.context, "network (Gb/s)": round(8e-9 * one.nic_bytes_per_second_one_way),
                "MFU (%)": round(100 * self.mfu[number], 1), "goodput (%)": round(100 * self.goodput[number], 1),
                "days": round(self.days[number], 2), "cost (million $)": round(self.dollars[number] / 1e6, 3),
                "machine (million $)": round(self.capital_dollars[number] / 1e6, 2), "power (MW)": round(self.watts[number] / 1e6, 3),
            })  # fmt: skip
        return DataFrame(rows)


def grid(
    scenario: Scenario,
    *,
    chips: Iterable[str | Accelerator] | None = None,
    nodes: Collection[int] = NODES,
    chips_per_node: Collection[int] = (8,),
    domains: Collection[int] = (8,),
    nics: Collection[float] = (50e9,),
    oversubscriptions: Collection[float] = (1.0,),
    leaf_nodes: Collection[int | None] = (None,),
    storages: Collection[float] = (100e9,),
    checkpoint_intervals: Collection[float | None] = (None,),
    asynchronous: Collection[bool] = (True,),
    spares: Collection[int | None] = (0,),
    tensor: Collection[int] = (1, 2, 4, 8),
    pipeline: Collection[int] = (1, 2, 4, 8, 16),
    context: Collection[int] = (1,),
    expert: Collection[int] = (1,),
    chunks: Collection[int] = (1,),
    zero_stages: Collection[int] = (1,),
    recomputes: Collection[str] = ("selective", "full"),
    micro_batches: Collection[int] = (1,),
) -> Designs:
    """Every product of some choices that is a legal layout.

    Parameters
    ----------
    scenario : Scenario
        Its model and batch say which layouts are legal.
    chips : iterable of str or Accelerator, optional
        Those with a price that have the precision, when left out.
    nodes, chips_per_node, domains, nics, oversubscriptions, leaf_nodes, storages, checkpoint_intervals, asynchronous, spares
        Values to try of the fields of `Design`.
    tensor, pipeline, context, expert, chunks, zero_stages, recomputes, micro_batches
        The same of `parallelism.Layout`; data parallelism is what is left of the chips.

    Returns
    -------
    Designs

    Raises
    ------
    ValueError, TypeError
        As `Design`, and for choices of which no product is legal.

    Notes
    -----
    Illegal layouts are left out, those without room in memory are not: `evaluate_many` tells them.
    Ignores layouts besides the choices. Source: the product.

    Examples
    --------
    >>> asked = Scenario(model="Llama 3 8B", tokens=1e12, global_batch=512)
    >>> designs = grid(asked, chips=["H100 SXM", "B200"], nodes=[4, 8, 16], spares=[0, 1])
    >>> len(designs), designs[0].nodes
    (448, 4)
    """
    check_scenario(scenario)
    found = _chips(scenario, chips)
    degrees = (tensor, pipeline, context, expert, chunks, zero_stages, recomputes, micro_batches)
    layouts: dict[Layout, int] = {}
    rows: list[tuple[Any, ...]] = []
    by_size: dict[int, list[int]] = {}
    others = (domains, nics, oversubscriptions, leaf_nodes, storages, checkpoint_intervals, asynchronous, spares)
    for count, each in product(nodes, chips_per_node):
        size = count * each
        if size not in by_size:
            legal = _legal(scenario, size, degrees)
            by_size[size] = [layouts.setdefault(one, len(layouts)) for one in legal]
        for rest in product(range(len(found)), *others) if by_size[size] else ():
            others_of: dict[str, Any] = dict(zip(list(COLUMNS.values())[2:], rest[1:], strict=True))
            Design(
                chip=found[rest[0]], nodes=count, chips_per_node=each, **others_of
            )  # which refuses what makes no sense
            rows += [(rest[0], one, count, each, *rest[1:]) for one in by_size[size]]
    if not rows:
        raise ValueError(
            f"no product of these degrees is a legal layout of {', '.join(map(str, sorted(by_size)))} chips: "
            f"try others of tensor and pipeline, or nodes that divide {scenario.global_batch} sequences"
        )
    return _designs(found, tuple(layouts), rows)


def designs_of(some: Sequence[Design]) -> Designs:
    """Designs of a list in columns, for `evaluate_many`.

    Parameters
    ----------
    some : sequence of Design
        Each with a layout.

    Returns
    -------
    Designs

    Raises
    ------
    ValueError, TypeError
        For anything but designs, and one without a layout.

    Examples
    --------
    >>> len(designs_of([Design(chip="H100 SXM", nodes=1, layout=Layout(tensor=8))]))
    1
    """
    chips: dict[Accelerator, int] = {}
    layouts: dict[Layout, int] = {}
    rows = []
    for one in some:
        if check_design(one).layout is None:
            raise ValueError("each design must have a layout; evaluate searches one and gives it back")
        numbers = chips.setdefault(one.accelerator, len(chips)), layouts.setdefault(one.layout, len(layouts))  # type: ignore[arg-type]
        rows.append((*numbers, *(getattr(one, name) for name in COLUMNS.values())))
    if not rows:
        raise ValueError("some must hold at least one design, got none")
    return _designs(tuple(chips), tuple(layouts), rows)


def evaluate_many(designs: Designs, scenario: Scenario) -> Outcomes:
    """Reckon what becomes of many designs, each as `evaluate` would.

    Parameters
    ----------
    designs : Designs
        As `grid` or `designs_of` gives them.
    scenario : Scenario

    Returns
    -------
    Outcomes

    Raises
    ------
    ValueError, TypeError
        As `evaluate`.

    Notes
    -----
    The same formulas on columns: steps are worked out once for each machine and layout, whatever storage,
    spares and checkpoints. Ignores what `evaluate` ignores. Source: as there.

    Examples
    --------
    >>> asked = Scenario(model="Llama 3 8B", tokens=1e12, global_batch=512)
    >>> found = evaluate_many(grid(asked, chips=["H100 SXM"], nodes=[8, 16]), asked)
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
    loading = np.where(legal, figures.loading_wait(m, scenario, step), 0.0)
    step = step + loading
    totals = figures.run(m, scenario, step)
    early = (m.interval > 0) & (m.interval < totals.shortest_interval)
    never = totals.seconds >= figures.NEVER
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


def _chips(scenario: Scenario, chips: Iterable[str | Accelerator] | None) -> tuple[Accelerator, ...]:
    if chips is not None:
        if isinstance(chips, (str, Accelerator)):
            raise TypeError(f"chips must be a list of them, got {chips!r}")
        return tuple(map(specs.accelerator, chips))
    return usable_chips(scenario)


def usable_chips(scenario: Scenario) -> tuple[Accelerator, ...]:
    """Chips of the catalogue with a price and a power that have the scenario's precision."""
    priced = [one for one in specs.accelerators() if one.name in scenario.prices.chips]
    return tuple(
        one for one in priced
        if scenario.precision in one.precisions_dense and (one.tdp_watts or scenario.watts_per_chip)
    )  # fmt: skip


def _legal(scenario: Scenario, size: int, degrees: tuple[Collection[Any], ...]) -> list[Layout]:
    found = []
    for tensor, pipeline, context, expert, chunks, zero, recompute, micro in product(*degrees):
        copies, left = divmod(size, tensor * pipeline * context)
        if left or not copies:
            continue
        one = Layout(tensor, pipeline, copies, context, expert, chunks, zero, recompute=recompute, micro_batch=micro)
        if not one.problems(scenario.config, scenario.global_batch, sequence=scenario.sequence):
            found.append(one)
    return found


def _designs(chips: tuple[Accelerator, ...], layouts: tuple[Layout, ...], rows: list[tuple[Any, ...]]) -> Designs:
    names = ("chip", "layout", *COLUMNS)
    columns = {}
    for name, values in zip(names, zip(*rows, strict=True), strict=True):
        columns[name] = np.array([ABSENT[name] if one is None else one for one in values] if name in ABSENT else values)
    return Designs(chips, layouts, columns)


def _machines(designs: Designs, scenario: Scenario) -> SimpleNamespace:
    """What `figures` needs, in columns."""
    columns = designs.columns
    chip = columns["chip"]
    each = [_of_chip(one, scenario) for one in designs.chips]
    of = {name: np.array([one[name] for one in each])[chip] for name in each[0]}
    numbers = {name: columns[name].astype(float) for name in ("nic", "oversubscription", "interval")}
    bought = columns["storage"].astype(float)
    return SimpleNamespace(
        bought=bought, storage=bought * scenario.storage_share, wire=numbers["nic"] * figures.network_rate() * scenario.network_share, **of, **numbers, **{name: columns[name] for name in ("nodes", "chips_per_node", "domain", "asynchronous", "spares")},
        devices=columns["nodes"] * columns["chips_per_node"], leaf=columns["leaf_nodes"] * columns["chips_per_node"],
    )  # fmt: skip


def _of_chip(chip: Accelerator, scenario: Scenario) -> dict[str, Any]:
    found = {"memory": chip.memory_bytes, "inside": figures.inside_rate(chip) * scenario.domain_share, "watts": figures.watts(chip, scenario),
             "price": scenario.prices.of_chip(chip.name)}  # fmt: skip
    try:
        share = kernel_share(chip, scenario.precision).share
        rate = {"peak": chip.peak_flops_dense(scenario.precision), "share": scenario.kernel_share or share}
    except PrecisionNotSupported:
        return found | {"peak": 1.0, "share": 1.0, "has_precision": False}
    return found | rate | {"has_precision": True}


def _layouts(designs: Designs, scenario: Scenario, m: SimpleNamespace) -> tuple[NDArray, NDArray]:
    """Of each design whether its layout is legal, and the bytes of its fullest chip."""
    bytes_of = np.full(len(designs.layouts), np.nan)
    devices = np.zeros(len(designs.layouts), dtype=int)
    groups = defaultdict(list)
    for number, one in enumerate(designs.layouts):
        if not one.problems(scenario.config, scenario.global_batch, sequence=scenario.sequence):
            devices[number] = one.devices
            groups[_alike(one)].append(number)
    for numbers in groups.values():
        some = [designs.layouts[number] for number in numbers]
        stacked, micro = _stacked(some, scenario.global_batch)
        parts = figures.memory(scenario, stacked, micro)
        whole = np.sum([np.broadcast_to(part, (len(some), stacked.pipeline)) for part in parts.values()], axis=0)
        bytes_of[numbers] = whole.max(axis=1)
    layout = designs.columns["layout"]
    legal = (devices[layout] == m.devices) & np.isfinite(bytes_of[layout])
    return legal, np.where(legal, bytes_of[layout], np.nan)


def _steps(designs: Designs, scenario: Scenario, m: SimpleNamespace, legal: NDArray) -> tuple[NDArray, NDArray]:
    """Seconds of each design's step without loading, and of its arithmetic at the peak; 1 where there is none."""
    keys = np.column_stack([designs.columns[name].astype(float) for name in STEP])
    _, first, again = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    seconds, model = np.ones(len(first)), np.ones(len(first))
    groups = defaultdict(list)
    for place, row in enumerate(first.tolist()):
        if legal[row]:
            groups[_alike(designs.layouts[designs.columns["layout"][row]])].append(place)
    for places in groups.values():
        rows = first[places]
        some = [designs.layouts[number] for number in designs.columns["layout"][rows]]
        stacked, micro = _stacked(some, scenario.global_batch)
        here = SimpleNamespace(**{
            name: getattr(m, name)[rows][:, None]
            for name in ("peak", "inside", "share", "devices", "domain", "wire", "oversubscription", "leaf")
        })  # fmt: skip
        step = figures.step(here, scenario, stacked, micro).step
        seconds[places] = np.broadcast_to(step.seconds, micro.shape)[:, 0]
        model[places] = np.broadcast_to(step.model_arithmetic, micro.shape)[:, 0]
    return seconds[again.ravel()], model[again.ravel()]


def _alike(one: Layout) -> tuple[Any, ...]:
    """What layouts must have in common to be worked out together."""
    return one.pipeline, one.chunks, one.zero_stage, one.recompute, one.schedule_name, one.sequence_parallel
