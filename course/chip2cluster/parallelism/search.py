"""Search of all layouts of a model on N devices: memory, step time, and why a layout is ruled out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from operator import attrgetter
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from .._validate import flag, fraction, known, one_whole, positive
from ..transformer.config import check_config
from . import axis_placement as network
from . import costs
from .layout import Layout, check_device
from .memory_model import stage_memory_arrays

if TYPE_CHECKING:
    from ..specs import Accelerator
    from ..transformer import Config

MEMORY = {"weight_bytes": 2.0, "gradient_bytes": 2.0, "optimizer_bytes": 12.0, "bytes_per_element": 2.0,
          "logit_bytes": 4.0, "expert_load": 1.0}  # fmt: skip


@dataclass(frozen=True)
class Candidate:
    """One layout of a search.

    Attributes
    ----------
    layout : Layout
        Degrees of parallelism.
    memory_bytes : float or None
        Bytes that its fullest device needs; None for an illegal layout.
    step_seconds : float or None
        Time of a step; None for an illegal layout.
    why_not : str
        Reason why it is ruled out; empty if it fits.
    """

    layout: Layout
    memory_bytes: float | None
    step_seconds: float | None
    why_not: str

    @property
    def fits(self) -> bool:
        """Whether the layout is legal and its memory fits."""
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
    """Search all layouts of N devices; return those that fit by step time, then the others with the reason.

    Parameters
    ----------
    config : transformer.Config or str
        Shape of the model, or the name of a published one.
    devices, global_batch : int
        Devices, N, and sequences of a step.
    device : specs.Accelerator or str
        Chip of the cluster; its memory as the driver reports it limits the layouts.
    tiers : sequence of Tier
        Network tiers from the innermost out.
    sequence : int
        Tokens of a sequence.
    chunks, zero_stages, recomputes, micro_batches, experts : collections
        Values to try for these fields of `Layout`: micro-batches in sequences, experts as the degree of
        expert parallelism (EP).
    contexts : collection of int, optional
        Degrees of context parallelism (CP) to try, those that divide N; all divisors when left out.
    schedules : collection of str
        Pipeline schedules to try.
    sequence_parallel : bool
        Sequence parallelism (SP), as in `Layout`.
    memory_share : float
        Fraction of the memory that a layout may use; the rest is for buffers and fragmentation.
    precision : str
        Precision of the arithmetic, for the dense peak.
    kernel_efficiency : float
        Fraction of peak that the kernels reach while they run.
    overlap : collection of str
        Axes whose messages overlap with the arithmetic, see `step_time`.
    order : sequence of str
        Order of the axes on the network, see `place`.
    causal : bool
        Whether only half of the attention scores are computed.
    dropout : bool
        Whether the model has dropout.
    **sizes : float
        Bytes per parameter and element, and ``expert_load``, see `memory_by_stage`.

    Returns
    -------
    tuple of Candidate
        Every product tensor x pipeline x context x data = N in whole numbers, with every choice
        above. First those that fit, by time; then those that do not, by memory; then illegal ones.

    Raises
    ------
    ValueError
        If the cluster has fewer than N devices.

    Notes
    -----
    The times are bounds at datasheet rates: use them to compare, not to predict. Ignores what
    `step_time` and `memory_by_stage` ignore, and that kernels get slower as each device has less work:
    the search favours more tensor and context parallelism than practitioners choose. Source: see these.

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
    'stage 0 needs 480 GB of 86: activations 180, weights 141, gradients 141'
    """
    n, batch = one_whole("devices", devices), one_whole("global_batch", global_batch)
    tokens = one_whole("sequence", sequence)
    config, device = check_config(config), check_device(device)
    room = known("driver_memory_bytes", device.driver_memory_bytes) * fraction("memory_share", memory_share)
    tiers, axes = network.check_tiers(tiers), network.check_order(order)
    if n > tiers[-1].devices:
        raise ValueError(f"devices must be at most {tiers[-1].devices}, the devices of the last tier, got {n}")
    if unknown := set(sizes) - set(MEMORY):
        raise TypeError(f"sizes must be among {', '.join(MEMORY)}, got {', '.join(sorted(unknown))}")
    needs: dict[str, Any] = {name: positive(name, value) for name, value in (MEMORY | sizes).items()}
    needs |= {"dropout": flag("dropout", dropout), "include_ends": True}
    times: dict[str, Any] = {
        "sequence": tokens, "global_batch": batch, "kernel_efficiency": kernel_efficiency, "causal": causal,
        "overlap": costs.check_overlap(overlap), "order": axes,
        "sizes": {name: needs[name] for name in costs.BYTES},
    }  # fmt: skip
    peak = device.peak_flops_dense(precision)
    divisors = divisors_of(n)
    wanted = {one_whole("contexts", one) for one in contexts or ()}
    among = divisors if contexts is None else [one for one in divisors if one in wanted]
    choices = tuple(map(tuple, (experts, chunks, zero_stages, recomputes, micro_batches, schedules)))
    rejected, groups = [], defaultdict(list)
    for layout in _candidate_layouts(n, among, choices, flag("sequence_parallel", sequence_parallel)):
        problems = layout.problems(config, batch, sequence=tokens)
        if problems:
            rejected.append(Candidate(layout, None, None, "; ".join(problems)))
        else:
            alike = (layout.pipeline, layout.chunks, layout.zero_stage, layout.recompute, layout.schedule_name)
            groups[alike].append(layout)
    fitting, full = [], []
    for some in groups.values():
        stacked, m = stack_layouts(some, batch)
        parts = stage_memory_arrays(config, stacked, tokens, m, **needs)
        part_bytes = np.array([np.broadcast_to(part, (len(some), stacked.pipeline)) for part in parts.values()])
        total = part_bytes.sum(axis=0)
        stage = total.argmax(axis=1)
        found = costs.step_parts(config, stacked, m, peak, tiers, **times)
        seconds = np.broadcast_to(found.step.seconds, m.shape)[:, 0].tolist()
        most = total.max(axis=1).tolist()
        for row, layout in enumerate(some):
            if most[row] <= room:
                fitting.append(Candidate(layout, most[row], seconds[row], ""))
            else:
                why = _memory_problem(
                    int(stage[row]), dict(zip(parts, part_bytes[:, row, stage[row]].tolist(), strict=True)), room
                )
                full.append(Candidate(layout, most[row], seconds[row], why))
    fitting.sort(key=attrgetter("step_seconds"))
    full.sort(key=attrgetter("memory_bytes"))
    return (*fitting, *full, *rejected)


def _candidate_layouts(
    n: int, contexts: list[int], choices: tuple[tuple[Any, ...], ...], sequence_parallel: bool
) -> Iterator[Layout]:
    divisors = divisors_of(n)
    for tensor in divisors:
        for pipeline in (one for one in divisors if (n // tensor) % one == 0):
            rest = n // tensor // pipeline
            for context in (one for one in contexts if rest % one == 0):
                for expert, chunk, zero, recompute, micro_batch, schedule in product(*choices):
                    yield Layout(
                        tensor, pipeline, rest // context, context, expert, chunk, zero,
                        sequence_parallel, recompute, micro_batch, schedule,
                    )  # fmt: skip


def divisors_of(n: int) -> list[int]:
    """Return the divisors of a number in ascending order."""
    small = [one for one in range(1, int(n**0.5) + 1) if n % one == 0]
    return sorted({*small, *(n // one for one in small)})


def stack_layouts(some: list[Layout], batch: int) -> tuple[SimpleNamespace, Any]:
    """Stack layouts that differ in degrees alone as one with columns; return it with their micro-batches."""
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


def _memory_problem(stage: int, parts: dict[str, float], room: float) -> str:
    largest = sorted(parts, key=lambda name: -parts[name])[:3]
    listed = ", ".join(f"{name} {parts[name] / 1e9:,.0f}" for name in largest if parts[name] >= 0.5e9)
    return f"stage {stage} needs {sum(parts.values()) / 1e9:,.0f} GB of {room / 1e9:,.0f}: {listed}"
