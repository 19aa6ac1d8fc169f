"""Tables that compare layouts, orders of axes, and MoE routers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import permutations
from math import inf, lcm, nan
from typing import TYPE_CHECKING, Any

from ..specs import Accelerator
from ..transformer import training_flops_per_token
from ..transformer.recomputation import RECOMPUTE
from .axis_placement import ORDER, Tier
from .experts import route
from .layout import Layout
from .search import layouts
from .step import axis_times, step_time

if TYPE_CHECKING:
    from pandas import DataFrame

    from ..transformer import Config


def router_table(
    tokens: int, experts: int, per_token: int, devices: int, *, skews: Iterable[float], factors: Iterable[float]
) -> DataFrame:
    """Tabulate load imbalance and dropped tokens of a mixture of experts (MoE) with skewed routers.

    Parameters
    ----------
    tokens, experts, per_token : int
        Tokens, experts, and experts of each token, see `route`.
    devices : int
        Devices over which the experts are spread, equally many on each (EP).
    skews, factors : iterable of float
        Skews of the router, a row each, and capacity factors, a column each.

    Returns
    -------
    pandas.DataFrame
        Load of the busiest expert and device relative to the mean, and dropped tokens in percent.

    Notes
    -----
    One draw for each skew. Ignores what `route` ignores. Source: see there.

    Examples
    --------
    >>> router_table(4096, 64, 2, 8, skews=[0.0, 0.5], factors=[1.25])["dropped at factor 1.25 (%)"].round(1).tolist()
    [0.0, 15.0]
    """
    from pandas import DataFrame

    rows, capacity_factors = [], tuple(factors)
    for skew in skews:
        routing = route(tokens, experts, per_token, skew=skew)
        busiest = {"busiest expert": routing.imbalance, "busiest device": routing.device_imbalance(devices)}
        dropped = {
            f"dropped at factor {factor:g} (%)": 100 * routing.dropped_share(factor) for factor in capacity_factors
        }
        rows.append({"skew": skew} | busiest | dropped)
    return DataFrame(rows).set_index("skew")


def order_table(
    config: Config, layout: Layout, device: Accelerator, tiers: Sequence[Tier], **options: Any
) -> DataFrame:
    """Tabulate the messages of a layout for all 24 orders of its axes, the fastest first.

    Parameters
    ----------
    config : transformer.Config
        Shape of the model.
    layout : Layout
        Degrees of parallelism.
    device : specs.Accelerator
        Chip of the cluster.
    tiers : sequence of Tier
        Network tiers from the innermost out.
    **options : object
        Options of `axis_times`, without ``order``.

    Returns
    -------
    pandas.DataFrame
        Milliseconds of the messages of each axis in a step, exposed or not, and of all of them.

    Notes
    -----
    Ignores what `axis_times` ignores. Source: see there.

    Examples
    --------
    >>> from chip2cluster import specs, transformer
    >>> cluster = Tier("node", 8, 400e9), Tier("network", 32, 25e9)
    >>> table = order_table(transformer.model("Llama 2 13B").config, Layout(4, 2, 2, 2), specs.accelerator("H100 SXM"),
    ...                     cluster, sequence=4096, global_batch=64)
    >>> len(table), table.index[0], table["all"].round().iloc[[0, -1]].tolist()
    (24, 'tensor, context, pipeline, data', [356.0, 3284.0])
    """
    from pandas import DataFrame

    rows = []
    for order in permutations(ORDER):
        times = axis_times(config, layout, device, tiers, order=order, **options)
        each = {axis: 1e3 * times[axis].seconds for axis in ORDER}
        rows.append({"innermost to outermost": ", ".join(order)} | each | {"all": sum(each.values())})
    return DataFrame(rows).set_index("innermost to outermost").sort_values("all", kind="stable")


def tensor_table(
    config: Config,
    device: Accelerator,
    domains: Iterable[int],
    degrees: Iterable[int],
    *,
    outside_one_way: float,
    sequence: int,
) -> DataFrame:
    """Tabulate the time of tensor-parallel (TP) messages relative to the arithmetic, by degree and scale-up domain.

    Parameters
    ----------
    config : transformer.Config
        Shape of the model.
    device : specs.Accelerator
        Chip, used at its dense bf16 peak and with its scale-up links inside the domain.
    domains, degrees : iterable of int
        Devices of a scale-up domain, a column each, and degrees of tensor parallelism, a row each.
    outside_one_way : float
        Unidirectional bandwidth of a device beyond its domain, bytes/s.
    sequence : int
        Tokens of a sequence.

    Returns
    -------
    pandas.DataFrame
        Seconds of messages over seconds of arithmetic, in percent.

    Notes
    -----
    All devices of every domain work: groups follow one another through as many domains as they fill. If a degree
    does not divide the domain, some groups are split, and their rate holds for all (see `place`). A run that leaves
    devices of a domain idle, such as 8 of 72, has a smaller domain, here of 64.

    A bound at datasheet rates, without latency. Ignores what `axis_times` ignores. Source: see there.

    Examples
    --------
    >>> from chip2cluster import specs, transformer
    >>> tensor_table(transformer.model("Llama 3.1 405B").config, specs.accelerator("H100 SXM"), [8, 64, 72], [8, 32],
    ...              outside_one_way=50e9, sequence=8192).round().loc[32].tolist()
    [96.0, 86.0, 96.0]
    """
    from pandas import DataFrame

    inside = device.scale_up_bandwidth_one_way
    if inside is None:
        raise ValueError(f"device must have a scale-up link in the catalogue, got {device.name}")
    columns, rows = {}, tuple(degrees)
    for domain in domains:
        tiers = Tier("domain", domain, inside), Tier("network", domain * lcm(*rows), outside_one_way)
        shares = []
        for t in rows:
            replicas = lcm(domain, t) // t  # groups that fill whole domains
            run: Any = (config, Layout(tensor=t, data=replicas), device, tiers)
            job: Any = {"sequence": sequence, "global_batch": replicas}
            messages = axis_times(*run, **job)["tensor"].seconds
            shares.append(100 * messages / step_time(*run, **job).model_arithmetic)
        columns[f"domain of {domain} (%)"] = shares
    return DataFrame(columns, index=rows).rename_axis("t")


def room_table(
    config: Config,
    devices: int,
    global_batch: int,
    device: Accelerator,
    tiers: Sequence[Tier],
    rooms: Iterable[float],
    *,
    sequence: int,
    kernel_efficiency: float = 1.0,
    **options: Any,
) -> DataFrame:
    """Tabulate the best MFU of all layouts, by the memory of a device and by activation checkpointing.

    Parameters
    ----------
    config : transformer.Config
        Shape of the model.
    devices, global_batch : int
        Devices, and sequences of a step.
    device : specs.Accelerator
        Chip of the cluster; its memory is replaced by ``rooms``.
    tiers : sequence of Tier
        Network tiers from the innermost out.
    rooms : iterable of float
        Memory of a device, bytes, a row each.
    sequence : int
        Tokens of a sequence.
    kernel_efficiency : float
        Fraction of peak that the kernels reach while they run.
    **options : object
        Options of `layouts`, without ``recomputes``.

    Returns
    -------
    pandas.DataFrame
        Percent; NaN if nothing fits.

    Notes
    -----
    A bound at datasheet rates. Ignores what `layouts` ignores. Source: see there.

    Examples
    --------
    >>> from chip2cluster import specs, transformer
    >>> cluster = Tier("node", 8, 450e9), Tier("network", 64, 50e9)
    >>> room_table(transformer.model("Llama 3 70B").config, 64, 512, specs.accelerator("H100 SXM"), cluster, [24e9, 80e9],
    ...            sequence=8192, zero_stages=(1, 3), kernel_efficiency=0.6).round().loc[80].tolist()
    [51.0, 57.0, 45.0]
    """
    from pandas import DataFrame

    found = layouts(
        config, devices, global_batch, device, tiers, sequence=sequence, kernel_efficiency=kernel_efficiency,
        recomputes=RECOMPUTE, **options,
    )  # fmt: skip
    work = global_batch * sequence * training_flops_per_token(config, sequence, "megatron")
    ideal = work / devices / device.peak_flops_dense("bf16")
    rows = {}
    for room in rooms:
        fastest = dict.fromkeys(RECOMPUTE, inf)
        for one in found:
            if one.memory_bytes is not None and one.step_seconds is not None and one.memory_bytes <= room:
                kind = one.layout.recompute
                fastest[kind] = min(fastest[kind], one.step_seconds)
        rows[room / 1e9] = {kind: 100 * ideal / seconds if seconds < inf else nan for kind, seconds in fastest.items()}
    return DataFrame.from_dict(rows, orient="index").rename_axis("memory of a device (GB)")
