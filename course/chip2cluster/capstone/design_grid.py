"""Designs in columns: all combinations of some choices, or those of a list."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import specs
from ..parallelism import Layout
from ..specs import Accelerator
from . import formulas
from .design import Design, check_design
from .scenario import Scenario, check_scenario

if TYPE_CHECKING:
    from .._typing import NDArray

NODES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096)
# The columns of a machine, and the field of `Design` that each stands for.
COLUMNS = {
    "nodes": "nodes", "chips_per_node": "chips_per_node", "domain": "domain", "nic": "nic_bytes_per_second_one_way",
    "oversubscription": "oversubscription", "leaf_nodes": "leaf_nodes", "storage": "storage_bytes_per_second",
    "interval": "checkpoint_interval", "asynchronous": "asynchronous", "spares": "spares", "precision": "precision",
}  # fmt: skip
ABSENT = {
    "leaf_nodes": 0,
    "interval": 0.0,
    "spares": formulas.ALWAYS,
    "precision": "",
}  # what stands for None in a column


@dataclass(frozen=True)
class Designs:
    """Sequence of designs, stored in columns; indexing returns one `Design`.

    Attributes
    ----------
    chips : tuple of Accelerator
        Distinct chips.
    layouts : tuple of Layout
        Distinct parallel layouts.
    columns : dict of str to array
        Columns of shape (designs,); ``chip`` and ``layout`` are indices into ``chips`` and ``layouts``.
    """

    chips: tuple[Accelerator, ...] = field(repr=False)
    layouts: tuple[Layout, ...] = field(repr=False)
    columns: dict[str, NDArray] = field(repr=False)

    def __len__(self) -> int:
        """Return the number of designs."""
        return len(self.columns["chip"])

    def __getitem__(self, number: int) -> Design:
        """Return the design at an index."""
        row = {name: column[number].item() for name, column in self.columns.items()}
        given: dict[str, Any] = {
            of: None if name in ABSENT and row[name] == ABSENT[name] else row[name] for name, of in COLUMNS.items()
        }
        chip = self.chips[row["chip"]]
        listed = chip.name if chip in specs.accelerators() else chip
        return Design(chip=listed, layout=self.layouts[row["layout"]], **given)


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
    precisions: Collection[str | None] = (None,),
    tensor: Collection[int] = (1, 2, 4, 8),
    pipeline: Collection[int] = (1, 2, 4, 8, 16),
    context: Collection[int] = (1,),
    expert: Collection[int] = (1,),
    chunks: Collection[int] = (1,),
    zero_stages: Collection[int] = (1,),
    recomputes: Collection[str] = ("selective", "full"),
    micro_batches: Collection[int] = (1,),
) -> Designs:
    """List all combinations of some choices that are valid layouts.

    Parameters
    ----------
    scenario : Scenario
        Training run; its model and batch determine the valid layouts.
    chips : iterable of str or Accelerator, optional
        Chips to try; None tries all chips that have a price and the precision.
    nodes, chips_per_node, domains, nics, oversubscriptions, leaf_nodes, storages, checkpoint_intervals, asynchronous, spares, precisions : collection
        Values to try for the fields of `Design`.
    tensor, pipeline, context, expert, chunks, zero_stages, recomputes, micro_batches : collection
        Values to try for the fields of `parallelism.Layout` (TP, PP, CP, EP, ZeRO); data parallelism (DP) takes the
        remaining chips.

    Returns
    -------
    Designs
        All valid combinations.

    Raises
    ------
    ValueError
        No combination of the choices is a legal layout.

    Notes
    -----
    Invalid layouts are left out; layouts that exceed the memory are kept, and `evaluate_many` marks them.
    Source: the Cartesian product.

    Examples
    --------
    >>> scenario = Scenario(model="Llama 3 8B", tokens=1e12, global_batch=512)
    >>> designs = grid(scenario, chips=["H100 SXM", "B200"], nodes=[4, 8, 16], spares=[0, 1])
    >>> len(designs), designs[0].nodes
    (448, 4)
    """
    check_scenario(scenario)
    found = _chips(scenario, chips)
    degrees = (tensor, pipeline, context, expert, chunks, zero_stages, recomputes, micro_batches)
    layouts: dict[Layout, int] = {}
    rows: list[tuple[Any, ...]] = []
    by_size: dict[int, list[int]] = {}
    others = (
        domains,
        nics,
        oversubscriptions,
        leaf_nodes,
        storages,
        checkpoint_intervals,
        asynchronous,
        spares,
        precisions,
    )
    for count, each in product(nodes, chips_per_node):
        size = count * each
        if size not in by_size:
            legal = _legal(scenario, size, degrees)
            by_size[size] = [layouts.setdefault(one, len(layouts)) for one in legal]
        for rest in product(range(len(found)), *others) if by_size[size] else ():
            others_of: dict[str, Any] = dict(zip(list(COLUMNS.values())[2:], rest[1:], strict=True))
            Design(chip=found[rest[0]], nodes=count, chips_per_node=each, **others_of)  # checks the values
            rows += [(rest[0], one, count, each, *rest[1:]) for one in by_size[size]]
    if not rows:
        raise ValueError(
            f"no combination of these degrees is a valid layout of {', '.join(map(str, sorted(by_size)))} chips: "
            f"try other values of tensor and pipeline, or nodes that divide {scenario.global_batch} sequences"
        )
    return _designs(found, tuple(layouts), rows)


def designs_of(some: Sequence[Design]) -> Designs:
    """Convert a list of designs to columns, for `evaluate_many`.

    Parameters
    ----------
    some : sequence of Design
        Designs with a layout.

    Returns
    -------
    Designs
        Same designs in columns.

    Raises
    ------
    ValueError
        A design has no layout.

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
            raise ValueError("each design must have a layout; evaluate searches one and returns it")
        numbers = chips.setdefault(one.accelerator, len(chips)), layouts.setdefault(one.layout, len(layouts))  # type: ignore[arg-type]
        rows.append((*numbers, *(getattr(one, name) for name in COLUMNS.values())))
    if not rows:
        raise ValueError("some must hold at least one design, got none")
    return _designs(tuple(chips), tuple(layouts), rows)


def _chips(scenario: Scenario, chips: Iterable[str | Accelerator] | None) -> tuple[Accelerator, ...]:
    if chips is not None:
        if isinstance(chips, (str, Accelerator)):
            raise TypeError(f"chips must be a list of chips, got {chips!r}")
        return tuple(map(specs.accelerator, chips))
    return usable_chips(scenario)


def usable_chips(scenario: Scenario) -> tuple[Accelerator, ...]:
    """Return the catalogue chips that have a price, a power and the precision of the scenario."""
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
