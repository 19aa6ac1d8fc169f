"""Time of a training step of a layout, and the exposed communication of each axis."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from .. import utilization
from .._validate import one_positive, one_whole, plain
from ..transformer.config import check_config
from ..utilization.gradient_exchange import BACKWARD, FORWARD
from . import axis_placement as network
from . import communication as sent
from .costs import BYTES, OVERLAP, StepParts, check_overlap, step_parts
from .layout import Layout, check_device, check_layout
from .memory_model import OffloadedStageMemory, memory_by_stage

if TYPE_CHECKING:
    from ..specs import Accelerator
    from ..transformer import Config


@dataclass(frozen=True)
class AxisTime:
    """Cost of one axis in a step.

    Attributes
    ----------
    axis : str
        Name of the axis.
    tier : str
        Outermost network tier that it needs.
    bytes_sent_one_way_per_step : float
        Bytes that one device sends.
    seconds : float
        Time of its messages.
    exposed_seconds : float
        Time that the arithmetic does not hide.
    """

    axis: str
    tier: str
    bytes_sent_one_way_per_step: float
    seconds: float
    exposed_seconds: float


def step_time(
    config: Config | str,
    layout: Layout,
    device: Accelerator | str,
    tiers: Sequence[network.Tier],
    *,
    sequence: int,
    global_batch: int,
    precision: str = "bf16",
    kernel_efficiency: float = 1.0,
    overlap: Collection[str] = OVERLAP,
    order: Sequence[str] = network.ORDER,
    causal: bool = False,
    offload: tuple[str, ...] = (),
    host_bandwidth_one_way: float | None = None,
    **sizes: float,
) -> utilization.Step:
    """Compute the time of a training step: arithmetic, bubble, exposed communication (TP, CP, PP, DP, EP).

    Parameters
    ----------
    config : transformer.Config or str
        Shape of the model, or the name of a published one.
    layout : Layout
        Degrees of parallelism.
    device : specs.Accelerator or str
        Chip of the catalogue, its name, or a custom chip (`specs.own`).
    tiers : sequence of Tier
        Network tiers from the innermost out.
    sequence, global_batch : int
        Tokens of a sequence, and sequences of a step.
    precision : str
        Precision of the arithmetic, for the dense peak.
    kernel_efficiency : float
        Fraction of peak that the kernels reach while they run, above 0 and at most 1.
    overlap : collection of str
        Axes whose messages overlap with the arithmetic as long as it lasts; the others are fully exposed.
    order : sequence of str
        Order of the axes on the network, see `place`.
    causal : bool
        Whether only half of the attention scores are computed.
    offload : tuple of {"optimizer", "weights"}
        States in the memory of the host, see `transformer.state_memory`.
    host_bandwidth_one_way : float, optional
        Unidirectional bandwidth between a device and its host, bytes/s; needed with ``offload``.
    **sizes : float
        ``weight_bytes``, ``gradient_bytes``, ``bytes_per_element`` and ``expert_load`` of `volumes`.

    Returns
    -------
    utilization.Step
        Seconds of each part.

    Raises
    ------
    ValueError
        If the layout is illegal or its micro-batches do not divide the batch.

    Notes
    -----
    Arithmetic as Megatron counts it, spread evenly; recomputation is added. Exposed communication inside the layers
    lengthens every pass, and so the bubble, which is that of the schedule
    with equal stages (if no formula holds, and f = b = w, it is simulated). A data exchange
    overlaps with the first forward or the last backward pass; messages of every micro-batch (ZeRO 2 and 3) with all.
    Ignores the optimizer, uneven stages
    (`schedule` takes them), latency hidden by pipelining, two axes on one link at once, and in-network
    reduction (SHARP). Gradients leave for the host during the last backward pass, and new weights come back when
    nothing else runs; offloaded weights come along with the arithmetic. Ignores the update on the host. With datasheet rates and an efficiency of 1 it is a lower bound, not a forecast.
    Source: Narayanan et al. 2021, arXiv:2104.04473, section 3; `collectives.time`.

    Examples
    --------
    >>> from chip2cluster import specs, transformer
    >>> from chip2cluster.parallelism import Layout, Tier
    >>> cluster = Tier("node", 8, 450e9), Tier("network", 16384, 50e9)
    >>> llama, h100 = transformer.model("Llama 3.1 405B").config, specs.accelerator("H100 SXM")
    >>> for chunks in (1, 7):
    ...     step = step_time(llama, Layout(8, 16, 128, chunks=chunks), h100, cluster,
    ...                      sequence=8192, global_batch=2048, kernel_efficiency=0.6)
    ...     print(round(step.seconds, 1), round(step.mfu, 2), round(step.pipeline_bubble / step.seconds, 2))
    10.1 0.27 0.48
    5.9 0.46 0.12
    """
    parts = _parts(
        config, layout, device, tiers, sequence, global_batch, precision, kernel_efficiency, overlap, order, causal, sizes
    )  # fmt: skip
    if not offload:
        return parts.step
    if host_bandwidth_one_way is None:
        raise ValueError("offload needs host_bandwidth_one_way, such as links.pcie(5, 16).bandwidth_one_way")
    rate = one_positive("host_bandwidth_one_way", host_bandwidth_one_way)
    late = _host_seconds(config, layout, sequence, global_batch, offload, rate, parts.busy, sizes)
    return replace(parts.step, exposed_communication=plain(parts.exposed + late))


def _host_seconds(
    config: Config | str, layout: Layout, sequence: int, global_batch: int, offload: tuple[str, ...], rate: float,
    busy: float, sizes: dict[str, float],
) -> float:  # fmt: skip
    """Return the seconds of messages between device and host that the arithmetic does not hide, on the slowest stage."""
    m = layout.micro_batches(global_batch)
    stored: dict[str, Any] = {name: sizes[name] for name in ("weight_bytes", "gradient_bytes") if name in sizes}
    stages = memory_by_stage(config, layout, sequence, m, offload=offload, **stored)
    late = []
    for stage, whole_stage in zip(stages, memory_by_stage(config, layout, sequence, m, **stored), strict=True):
        assert isinstance(stage, OffloadedStageMemory)
        fetched = 2 * m * whole_stage.weights if "weights" in offload else 0.0
        updated = stage.pcie_bytes - fetched  # gradients to the host, and new weights back
        weights, gradients = (BYTES | sizes)["weight_bytes"], (BYTES | sizes)["gradient_bytes"]
        back = 0.0 if fetched else updated * weights / (weights + gradients)
        hidden = busy * BACKWARD / (FORWARD + BACKWARD) / m
        late.append(max((updated - back) / rate - hidden, 0.0) + back / rate + max(fetched / rate - busy, 0.0))
    return max(late)


def axis_times(
    config: Config | str,
    layout: Layout,
    device: Accelerator | str,
    tiers: Sequence[network.Tier],
    *,
    sequence: int,
    global_batch: int,
    precision: str = "bf16",
    kernel_efficiency: float = 1.0,
    overlap: Collection[str] = OVERLAP,
    order: Sequence[str] = network.ORDER,
    causal: bool = False,
    **sizes: float,
) -> dict[str, AxisTime]:
    """Return the cost of each axis of a layout in a step: its tier, bytes, seconds, and exposed seconds.

    Parameters
    ----------
    config : transformer.Config or str
        Shape of the model, or the name of a published one.
    layout : Layout
        Degrees of parallelism.
    device : specs.Accelerator or str
        Chip of the catalogue, its name, or a custom chip.
    tiers : sequence of Tier
        Network tiers from the innermost out.
    sequence, global_batch : int
        Tokens of a sequence, and sequences of a step.
    precision : str
        Precision of the arithmetic, for the dense peak.
    kernel_efficiency : float
        Fraction of peak that the kernels reach while they run.
    overlap : collection of str
        Axes whose messages overlap with the arithmetic.
    order : sequence of str
        Order of the axes on the network, see `place`.
    causal : bool
        Whether only half of the attention scores are computed.
    **sizes : float
        Sizes as in `step_time`.

    Returns
    -------
    dict of str to AxisTime
        Cost by axis. The exposed seconds add up to ``exposed_communication`` of `step_time`.

    Raises
    ------
    ValueError
        If the layout is illegal or its micro-batches do not divide the batch.

    Notes
    -----
    Ignores the same as `step_time`. Source: see there.

    Examples
    --------
    >>> from chip2cluster import specs, transformer
    >>> from chip2cluster.parallelism import Layout, Tier
    >>> cluster = Tier("node", 8, 450e9), Tier("network", 1024, 50e9)
    >>> found = axis_times(transformer.model("GPT-3 175B").config, Layout(8, 8, 16), specs.accelerator("H100 SXM"),
    ...                    cluster, sequence=2048, global_batch=1536)
    >>> {axis: (one.tier, round(one.exposed_seconds, 2)) for axis, one in found.items() if one.seconds}
    {'tensor': ('node', 0.9), 'pipeline': ('network', 0.0), 'data': ('network', 0.19)}
    """
    parts = _parts(
        config, layout, device, tiers, sequence, global_batch, precision, kernel_efficiency, overlap, order, causal, sizes
    )  # fmt: skip
    placements = network.place(layout, tiers, order)
    found = sent.volumes(config, layout, sequence, layout.micro_batches(global_batch), **sizes)
    return {
        axis: AxisTime(axis, placements[axis].tier.name, found[axis].bytes_sent_one_way_per_step, *map(plain, parts.axes[axis]))
        for axis in sent.AXES
    }  # fmt: skip


def _parts(
    config: Any, layout: Any, device: Any, tiers: Any, sequence: Any, global_batch: Any, precision: str,
    kernel_efficiency: Any, overlap: Any, order: Any, causal: bool, sizes: Any,
) -> StepParts:  # fmt: skip
    config, device = check_config(config), check_device(device)
    problems = check_layout(layout).problems(config, global_batch, sequence=sequence)
    if problems:
        raise ValueError("; ".join(problems))
    network.place(layout, tiers, order)
    if unknown := set(sizes) - set(BYTES):
        raise TypeError(f"sizes must be among {', '.join(BYTES)}, got {', '.join(sorted(unknown))}")
    return step_parts(
        config, layout, layout.micro_batches(global_batch), device.peak_flops_dense(precision), tuple(tiers),
        sequence=one_whole("sequence", sequence), global_batch=global_batch, overlap=check_overlap(overlap),
        kernel_efficiency=kernel_efficiency, order=tuple(order), causal=causal, sizes=BYTES | sizes,
    )  # fmt: skip
