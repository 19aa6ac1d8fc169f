"""Formulas from the step time to the bill, for one design (numbers) or many (columns); arguments are already checked."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import economics, links, loading, reliability, transformer
from ..parallelism import Tier, costs, memory_model
from ..parallelism.search import MEMORY

if TYPE_CHECKING:
    from ..specs import Accelerator
    from ..transformer import Config
    from .design import Design
    from .scenario import Scenario

ORDER = ("tensor", "context", "pipeline", "data")
AXES = ("tensor", "context", "expert", "pipeline", "data")
PACKET = 4096  # payload bytes of a network packet
TOKEN_BYTES = 4.0  # bytes of a token in the data files
KEPT_CHECKPOINTS = 3
HIDDEN = {
    "dualpipe": (*costs.OVERLAP, "expert")
}  # axes that overlap with arithmetic: DualPipe pairs micro-batches for that
RADIX = 64  # ports of a switch
LATENCY = 2e-6, 5e-6  # seconds of a message in the domain, and outside it
NEVER = 1e15  # seconds, thirty million years: stands for a run that never ends
MOST_SWITCHES, RARE = 64, 1e-12  # most switches broken at once, and the share of time that is neglected
ALL_BUT_ALWAYS = 1 - 1e-12  # fraction of time: a run that waits for longer never ends
ALWAYS = -1  # stands for unlimited spares in a column of counts


@lru_cache(maxsize=256)
def inside_rate(chip: Accelerator) -> float:
    """Return the unidirectional scale-up bytes/s of a chip: payload if known, else the datasheet; 0 without links."""
    sheet = chip.scale_up_bandwidth_one_way
    if sheet is None:
        return 0.0
    if chip.scale_up_link not in links.measured_links():
        return sheet
    wire = links.rates(chip.scale_up_link)
    payload = wire.payload_of("sm")
    return sheet * payload / wire.sheet_one_way if payload else sheet


@lru_cache(maxsize=1)
def network_rate() -> float:
    """Return the fraction of the network rate that headers leave for payload."""
    return float(links.payload_efficiency("infiniband", PACKET))


@lru_cache(maxsize=1)
def copy_rate() -> float:
    """Return measured bytes/s from one chip to its host memory over PCIe 4."""
    return links.rates("PCIe 4 x16").measured_by("copy engine")[0]


@lru_cache(maxsize=256)
def parameters(config: Config) -> int:
    """Return the number of parameters of the whole model."""
    return transformer.parameters(config)


def machine(design: Design, scenario: Scenario, share: float) -> SimpleNamespace:
    """Return the inputs of `step`, `memory` and `run` for one design; ``wire`` and ``storage`` are the job's share."""
    chip = design.accelerator
    return SimpleNamespace(
        peak=chip.peak_flops_dense(scenario.precision), memory=chip.driver_memory_bytes, inside=inside_rate(chip) * scenario.domain_share, share=share,
        watts=watts(chip, scenario), price=scenario.prices.of_chip(chip.name), nodes=design.nodes,
        chips_per_node=design.chips_per_node, devices=design.devices, domain=design.domain,
        nic=design.nic_bytes_per_second_one_way,
        wire=design.nic_bytes_per_second_one_way * network_rate() * scenario.network_share, oversubscription=design.oversubscription,
        leaf=0 if design.leaf_nodes is None else design.leaf_nodes * design.chips_per_node,
        storage=design.storage_bytes_per_second * scenario.storage_share, bought=design.storage_bytes_per_second, interval=design.checkpoint_interval or 0.0, asynchronous=design.asynchronous,
        spares=ALWAYS if design.spares is None else design.spares,
    )  # fmt: skip


def watts(chip: Accelerator, scenario: Scenario) -> float:
    """Return the TDP of a chip, watts."""
    found = scenario.watts_per_chip or chip.tdp_watts
    if found is None:
        raise ValueError(f"watts_per_chip must be given for the {chip.name}: its vendor publishes no power")
    return found


def tiers(m: SimpleNamespace) -> tuple[Any, ...]:
    """Return domain, leaf and upper tier of the network: `parallelism.Tier`, or look-alikes that hold columns."""
    if isinstance(m.domain, int):
        leaf = max(m.leaf, m.domain)
        rungs = [Tier("domain", m.domain, m.inside or m.wire, LATENCY[0])]
        if leaf > m.domain:
            rungs.append(Tier("leaf", leaf, m.wire, LATENCY[1]))
        return *rungs, Tier("network", max(m.devices, leaf) + 1, m.wire / m.oversubscription, LATENCY[1])
    leaf = np.maximum(m.leaf, m.domain)
    inside = np.where(m.inside > 0, m.inside, m.wire)
    rates = (m.domain, inside), (leaf, m.wire), (np.maximum(m.devices, leaf) + 1, m.wire / m.oversubscription)
    return tuple(
        SimpleNamespace(devices=count, bandwidth_one_way=rate, latency_seconds=LATENCY[place > 0])
        for place, (count, rate) in enumerate(rates)
    )


def lines(m: SimpleNamespace, layout: Any) -> dict[str, list[Any]]:
    """Return the links that each axis of a layout, or of a stack, uses; independent of model and chip."""
    return costs.axis_rates(layout, tiers(m), ORDER)


def step(
    m: SimpleNamespace, scenario: Scenario, layout: Any, micro_batches: Any, lines: dict[str, list[Any]] | None = None
) -> costs.StepParts:
    """Return the parts of a step for a layout or a stack of them; ``lines`` passes known results of `lines`."""
    return costs.step_parts(
        scenario.config, layout, micro_batches, m.peak, tiers(m), sequence=scenario.sequence,
        global_batch=scenario.global_batch, kernel_efficiency=m.share, overlap=HIDDEN.get(layout.schedule_name, costs.OVERLAP), order=ORDER,
        causal=scenario.causal, sizes=costs.BYTES, rates=lines,
    )  # fmt: skip


def memory(scenario: Scenario, layout: Any, micro_batches: Any) -> dict[str, Any]:
    """Return bytes by kind; the last axis is the pipeline stage."""
    return memory_model.stage_memory_arrays(
        scenario.config, layout, scenario.sequence, micro_batches, dropout=False, include_ends=True, **MEMORY
    )


def least_states(config: Config, split: Any, replicas: Any, zero_stage: Any) -> Any:
    """Return a lower bound of the state bytes in the fullest chip: the mean if every parameter were split maximally."""
    sizes: dict[str, Any] = {name: MEMORY[name] for name in ("weight_bytes", "gradient_bytes", "optimizer_bytes")}
    each = transformer.state_memory(1.0, zero_stage=zero_stage, data_parallel=replicas, **sizes)
    return parameters(config) / split * each.total


def loading_wait(m: SimpleNamespace, scenario: Scenario, computing: Any) -> Any:
    """Return seconds of a step in which the chips wait for input data."""
    load = TOKEN_BYTES * scenario.tokens_per_step / m.storage
    return loading.step_time(computing, load) - computing


def switch_ports(m: SimpleNamespace) -> Any:
    """Return the number of switch ports in a tree of one, two or three levels that joins all NICs."""
    endpoints = m.chips_per_node * (m.nodes + np.maximum(m.spares, 0))
    levels_up = np.where(endpoints <= RADIX, 0, np.where(endpoints <= RADIX**2 // 2, 1, 2))
    ports = endpoints * (1 + 2 * levels_up / m.oversubscription)
    return np.where(m.devices <= m.domain, 0, ports)


@dataclass(frozen=True)
class Totals:
    """Totals of a whole training run: numbers or columns, SI base units and dollars."""

    work_seconds: Any
    seconds: Any
    goodput: Any
    mtbf: Any
    checkpoint_bytes: Any
    checkpoint_interval: Any
    shortest_interval: Any
    checkpoint_seconds: Any
    persist_seconds: Any
    restart_seconds: Any
    waiting_share: Any
    joules: Any
    watts: Any
    kg_by_location: Any
    capital_dollars: Any
    running_dollars: Any
    dollars: Any


def run(m: SimpleNamespace, scenario: Scenario, step_seconds: Any) -> Totals:
    """Return time, energy, carbon and cost of the whole run for a given step time."""
    failures, prices = scenario.failures, scenario.prices
    work = scenario.steps * step_seconds
    size = reliability.checkpoint_bytes(parameters(scenario.config))
    node_rate = m.chips_per_node * m.nic
    write = reliability.asynchronous_checkpoint(size, m.nodes, m.chips_per_node * copy_rate(), node_rate, m.storage)
    if isinstance(m.asynchronous, bool):
        stall, persist = (
            (write.stall_seconds, write.persist_seconds) if m.asynchronous else (write.persist_seconds, 0.0)
        )
    else:
        stall = np.where(m.asynchronous, write.stall_seconds, write.persist_seconds)
        persist = np.where(m.asynchronous, write.persist_seconds, 0.0)
    mean = _mtbf(m, scenario)
    shortest = _larger(persist - stall, 0.0)
    best = _larger(reliability.optimal_interval(stall, mean), shortest)
    given = (
        np.where(np.asarray(m.interval) > 0, m.interval, best)
        if not isinstance(m.interval, float)
        else m.interval or best
    )
    interval = _larger(given, shortest * (1 + 1e-12))
    restart = failures.restart_seconds + write.persist_seconds
    alone = reliability.expected_time(work, interval, stall, restart, mean, persist_seconds=persist)
    waiting = -_larger(-_waiting(m, scenario), -ALL_BUT_ALWAYS)
    seconds = alone / (1.0 - waiting)
    counted = np.minimum(seconds, NEVER) if not isinstance(seconds, float) else min(seconds, NEVER)
    mean_watts = m.watts * scenario.mean_share_of_tdp
    drawn = economics.device_energy(m.devices, counted, mean_watts)
    joules = economics.facility_energy(economics.node_energy(drawn, scenario.node_over_device), scenario.pue)
    everyone = m.nodes + _larger(m.spares, 0)
    capital = (
        everyone * (m.chips_per_node * m.price + prices.node)
        + switch_ports(m) * (prices.port + prices.port_per_byte_per_second * m.nic)
        + prices.storage_per_byte_per_second * m.bought
        + prices.storage_per_byte * (TOKEN_BYTES * scenario.tokens + KEPT_CHECKPOINTS * size)
    )  # fmt: skip
    each = economics.own_cost(
        capital / m.devices, prices.years, mean_watts=mean_watts * scenario.node_over_device, pue=scenario.pue,
        dollars_per_kwh=prices.per_kwh,
    )  # fmt: skip
    hours = m.devices * counted / 3600.0
    return Totals(
        work, seconds, work / seconds, mean, size, interval, shortest, stall, persist, restart, waiting, joules,
        everyone * m.chips_per_node * m.watts * scenario.node_over_device * scenario.pue,
        economics.carbon_by_location(joules, scenario.grams_per_kwh), capital, each.energy * hours, each.total * hours,
    )  # fmt: skip


def _mtbf(m: SimpleNamespace, scenario: Scenario) -> Any:
    rates = scenario.failures
    alone = reliability.mtbf(m.nodes, 1.0 / rates.node_mtbf)
    if rates.group_nodes is None or rates.group_mtbf is None:
        return alone
    groups = -(-m.nodes // rates.group_nodes)
    return 1.0 / (1.0 / alone + groups / rates.group_mtbf)


def _waiting(m: SimpleNamespace, scenario: Scenario) -> Any:
    """Return the fraction of time in which the job waits for repairs of nodes, with spares lost to broken switches.

    Switches are assumed to fail while the job waits for nodes, too: without spares the result is about 4 % too high.
    """
    rates = scenario.failures
    kept = _larger(m.spares, 0)
    if rates.group_nodes is None or rates.group_mtbf is None:
        return _short(m, kept, rates) * (m.spares != ALWAYS)
    groups, wait, chance = -(-m.nodes // rates.group_nodes), 0.0, 1.0  # probability of so many broken switches or more
    for broken in range(MOST_SWITCHES):
        more = reliability.waiting_share(groups, broken, rates.group_mtbf, rates.repair_seconds)
        going = (chance >= RARE) & (
            kept >= broken * rates.group_nodes
        )  # with more broken switches the job waits in any case
        wait = wait + going * (chance - more) * _short(m, kept - broken * rates.group_nodes, rates)
        chance = going * more + (1 - going) * chance
        if not np.any(going):
            break
    return (wait + chance) * (m.spares != ALWAYS)


def _short(m: SimpleNamespace, kept: Any, rates: Any) -> Any:
    """Return the waiting share for nodes alone; 1 if a switch took more nodes than there are spares."""
    share = reliability.waiting_share(m.nodes, _larger(kept, 0), rates.node_mtbf, rates.repair_seconds)
    return np.where(kept < 0, 1.0, share) if getattr(kept, "ndim", 0) else (1.0 if kept < 0 else share)


def _larger(one: Any, other: Any) -> Any:
    """Return the larger of two, for numbers without the cost of NumPy."""
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return one if one >= other else other
    return np.maximum(one, other)
