"""Every way to spread a model over N devices: what it needs, how long a step takes, why it will not do."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from operator import attrgetter
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from .._validate import flag, known, positive
from ..transformer.config import check_config
from ..utilization.speed import _fraction
from . import costs
from . import tiers as network
from .layout import Layout, checked_device, one_whole
from .memory_model import by_device

if TYPE_CHECKING:
    from ..specs import Accelerator
    from ..transformer import Config

MEMORY = {"weight_bytes": 2.0, "gradient_bytes": 2.0, "optimizer_bytes": 12.0, "bytes_per_element": 2.0,
          "logit_bytes": 4.0, "expert_load": 1.0}  # fmt: skip


@dataclass(frozen=True)
class Candidate:
    """One layout that was looked at.

    ``memory_bytes`` is what its fullest device needs and ``step_seconds`` the time of a step,
    both None for a layout with problems; ``why_not`` says why it will not do, and is empty if it will.
    """

    layout: Layout
    memory_bytes: float | None
    step_seconds: float | None
    why_not: str

    @property
    def fits(self) -> bool:
        """Whether it is legal and has room."""
        return not self.why_not


def layouts(
    config: Config | str,
    devices: int,
    global_batch: int,
    device: Accelerator | str,
    tiers: Sequence[network.Tier],
    *,
    sequence: int,
    chunks: Collection[int] = (1,),
    zero_stages: Collection[int] = (1,),
    recomputes: Collection[str] = ("selective",),
    micro_batches: Collection[int] = (1,),
    experts: Collection[int] = (1,),
    contexts: Collection[int] | None = None,
    schedules: Collection[str | None] = (None,),
    sequence_parallel: bool = True,
    memory_share: float = 1.0,
    precision: str = "bf16",
    kernel_efficiency: float = 1.0,
    overlap: Collection[str] = costs.OVERLAP,
    order: Sequence[str] = network.ORDER,
    causal: bool = False,
    dropout: bool = False,
    **sizes: float,
) -> tuple[Candidate, ...]:
    """Look at every layout of N devices: the fastest that fits first, then the others and why not.

    Parameters
    ----------
    config : transformer.Config or str
        Or the name of a published one.
    devices, global_batch : int
        Devices, N, and sequences of a step.
    device : specs.Accelerator or str
        Its memory has to hold what the fullest device needs.
    tiers : sequence of Tier
        The network from the innermost tier out.
    sequence : int
        Tokens of a sequence.
    chunks, zero_stages, recomputes, micro_batches, experts, schedules : collections
        What to try for these fields of `Layout`: micro-batches in sequences of one, experts as devices
        they are spread over.
    contexts : collection of int, optional
        Degrees of context parallelism to try, those that divide N; all divisors when left out.
    sequence_parallel : bool
        As in `Layout`.
    memory_share : float
        Share of the memory that may be planned with; what is left is for buffers and fragments.
    precision, kernel_efficiency, overlap, order, causal
        As in `step_time`.
    dropout, **sizes
        As in `memory_by_stage`, without ``include_ends``: the ends count.

    Returns
    -------
    tuple of Candidate
        Every product tensor x pipeline x context x data = N in whole numbers, with every choice
        above. First those that fit, by time; then those that do not, by memory; then those with problems.

    Raises
    ------
    ValueError, TypeError
        For what `Layout`, `step_time` and `memory_by_stage` refuse whatever the layout, and a
        cluster of fewer devices than N.

    Notes
    -----
    The times are bounds with sheet rates: compare them, do not believe them. Ignores what
    `step_time` and `memory_by_stage` ignore, and that kernels get slower as each device has less to do:
    it likes more tensor and context parallelism than people choose. Source: as these.

    Examples
    --------
    >>> from chip2cluster import specs, transformer
    >>> from chip2cluster.parallelism import Tier
    >>> cluster = Tier("node", 8, 450e9), Tier("network", 1024, 50e9)
    >>> found = layouts(transformer.model("Llama 3 70B").config, 64, 512, specs.accelerator("H100 SXM"), cluster,
    ...                 sequence=8192, kernel_efficiency=0.6)
    >>> best = found[0].layout
    >>> len(found), best.tensor, best.pipeline, best.data, best.context
    (84, 1, 8, 1, 8)
    >>> next(one.why_not for one in found if one.layout.data == 64)
    'stage 0 needs 480 GB of 80: activations 180, weights 141, gradients 141'
    """
    n, batch = one_whole("devices", devices), one_whole("global_batch", global_batch)
    tokens = one_whole("sequence", sequence)
    config, device = check_config(config), checked_device(device)
    room = known("memory_bytes", device.memory_bytes) * _fraction("memory_share", memory_share)
    rungs, axes = network.checked_tiers(tiers), network.checked_order(order)
    if n > rungs[-1].devices:
        raise ValueError(f"devices must be at most {rungs[-1].devices}, those of the last of tiers, got {n}")
    if unknown := set(sizes) - set(MEMORY):
        raise TypeError(f"sizes must be among {', '.join(MEMORY)}, got {', '.join(sorted(unknown))}")
    needs: dict[str, Any] = {name: positive(name, value) for name, value in (MEMORY | sizes).items()}
    needs |= {"dropout": flag("dropout", dropout), "include_ends": True}
    times: dict[str, Any] = {
        "sequence": tokens, "global_batch": batch, "kernel_efficiency": kernel_efficiency, "causal": causal,
        "overlap": costs.checked_overlap(overlap), "order": axes,
        "sizes": {name: needs[name] for name in costs.BYTES},
    }  # fmt: skip
    peak = device.peak_flops_dense(precision)
    divisors = _divisors(n)
    wanted = {one_whole("contexts", one) for one in contexts or ()}
    among = divisors if contexts is None else [one for one in divisors if one in wanted]
    choices = tuple(map(tuple, (experts, chunks, zero_stages, recomputes, micro_batches, schedules)))
    rejected, groups = [], defaultdict(list)
    for layout in _all(n, among, choices, flag("sequence_parallel", sequence_parallel)):
        problems = layout.problems(config, batch, sequence=tokens)
        if problems:
            rejected.append(Candidate(layout, None, None, "; ".join(problems)))
        else:
            alike = (layout.pipeline, layout.chunks, layout.zero_stage, layout.recompute, layout.schedule_name)
            groups[alike].append(layout)
    fitting, full = [], []
    for some in groups.values():
        stacked, m = _stacked(some, batch)
        parts = by_device(config, stacked, tokens, m, **needs)
        bytes_of = np.array([np.broadcast_to(part, (len(some), stacked.pipeline)) for part in parts.values()])
        total = bytes_of.sum(axis=0)
        stage = total.argmax(axis=1)
        found = costs.parts_of(config, stacked, m, peak, rungs, **times)
        seconds = np.broadcast_to(found.step.seconds, m.shape)[:, 0].tolist()
        most = total.max(axis=1).tolist()
        for row, layout in enumerate(some):
            if most[row] <= room:
                fitting.append(Candidate(layout, most[row], seconds[row], ""))
            else:
                why = _too_full(
                    int(stage[row]), dict(zip(parts, bytes_of[:, row, stage[row]].tolist(), strict=True)), room
                )
                full.append(Candidate(layout, most[row], seconds[row], why))
    fitting.sort(key=attrgetter("step_seconds"))
    full.sort(key=attrgetter("memory_bytes"))
    return (*fitting, *full, *rejected)


def _all(
    n: int, contexts: list[int], choices: tuple[tuple[Any, ...], ...], sequence_parallel: bool
) -> Iterator[Layout]:
    divisors = _divisors(n)
    for tensor in divisors:
        for pipeline in (one for one in divisors if (n // tensor) % one == 0):
            rest = n // tensor // pipeline
            for context in (one for one in contexts if rest % one == 0):
                for expert, chunk, zero, recompute, micro_batch, schedule in product(*choices):
                    yield Layout(
                        tensor, pipeline, rest // context, context, expert, chunk, zero,
                        sequence_parallel, recompute, micro_batch, schedule,
                    )  # fmt: skip


def _divisors(n: int) -> list[int]:
    small = [one for one in range(1, int(n**0.5) + 1) if n % one == 0]
    return sorted({*small, *(n // one for one in small)})


def _stacked(some: list[Layout], batch: int) -> tuple[SimpleNamespace, Any]:
    """Layouts that differ in degrees alone, as one with columns; and their micro-batches."""
    first = some[0]
    column = {
        name: np.array([[getattr(one, name)] for one in some])
        for name in ("tensor", "data", "context", "expert", "micro_batch")
    }
    fixed = {
        name: getattr(first, name)
        for name in ("pipeline", "chunks", "zero_stage", "sequence_parallel", "recompute", "schedule_name")
    }
    return SimpleNamespace(**column, **fixed), batch // (column["data"] * column["micro_batch"])


def _too_full(stage: int, parts: dict[str, float], room: float) -> str:
    largest = sorted(parts, key=lambda name: -parts[name])[:3]
    listed = ", ".join(f"{name} {parts[name] / 1e9:,.0f}" for name in largest if parts[name] >= 0.5e9)
    return f"stage {stage} needs {sum(parts.values()) / 1e9:,.0f} GB of {room / 1e9:,.0f}: {listed}"
