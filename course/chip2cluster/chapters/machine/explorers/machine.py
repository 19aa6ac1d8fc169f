"""Explorer of the machine: the ladder from registers to storage, and what some bytes take on each rung."""

from dataclasses import replace
from typing import Any

from chip2cluster import draw, hierarchy, specs
from chip2cluster.draw.format import giga
from chip2cluster.draw.pictures.memory_tiers import count
from chip2cluster.explore.base import Explorer
from chip2cluster.explore.controls import Choice, Slider
from chip2cluster.explore.frame import Column, Extent, Frame, Table
from chip2cluster.explore.static_states import ALL, Strip
from chip2cluster.units import show

# The chapter draws the package of this system's chip: where its tiers lie there, or how bytes from outside come in.
DRAWN = "DGX H100"
WAYS = {"registers": "sm", "L1 and shared memory": "sm", "L2": "l2", "HBM": "hbm", "node HBM over NVLink": "nvlink"}
WAYS |= dict.fromkeys(("host memory", "cluster HBM over InfiniBand", "local NVMe", "remote storage"), "pcie")
# The accelerator of each system in the catalogue, for its peak.
CHIPS = {
    "DGX A100": "A100 SXM 80GB",
    "DGX H100": "H100 SXM",
    "DGX B200": "B200",
    "GH200": "GH200 96GB",
    "MI300X platform": "MI300X",
    "TPU v4 host": "TPU v4",
    "TPU v5p host": "TPU v5p",
}
# 1 byte to 1 TB, and the weights of 8 and 70 billion parameters in bf16.
SIZES = tuple(
    sorted({step * 10**power for power in range(12) for step in (1, 2, 5)} | {10**12, 16 * 10**9, 140 * 10**9})
)

SMALL = "does not fit"


def _system_name(name):
    return hierarchy.system(name).name


class Machine(Explorer):
    """Climb down the memory ladder of a machine and see what some bytes take from each tier.

    Every tier of a system, seen from one of its accelerators.

    Parameters
    ----------
    system : str
        Any name in `chip2cluster.hierarchy.systems`, such as ``"DGX A100"`` or ``"TPU v5p"``.
        A `hierarchy.Tier` in its place, as `hierarchy.measure_memory` returns it, stands as one
        more rung on the ladder of every system.
    **values
        Start values of the other controls: ``message`` (bytes: 1, 2, 5, 10 and so on to 10**12,
        16e9 and 140e9), ``axis`` ("bandwidth" or "time").

    Raises
    ------
    ValueError
        For an unknown system or control, or a value that it does not offer.

    Examples
    --------
    >>> from chip2cluster import explore
    >>> view = explore.machine("DGX H100", message=16_000_000_000)
    >>> [(row["tier"], round(row["time"], 3)) for row in view.table if row["tier"] in ("HBM", "host memory")]
    [('HBM', 0.005), ('host memory', 0.254)]
    """

    title = "Machine explorer"
    extent = Extent(letters=470, rows=11)
    controls = (
        Choice(name="system", label="System", options=tuple(CHIPS), default="DGX H100", parse=_system_name),
        Slider(name="message", label="Bytes", options=SIZES, default=16 * 10**9, text=count),
        Choice(name="axis", label="Axis", options=("bandwidth", "time"), default="bandwidth"),
    )
    strip = Strip("message", {"system": ALL, "axis": ALL})

    def __init__(self, *given, **values):
        values = self._named(given, values)
        self._mine = values.pop("system") if isinstance(values.get("system"), hierarchy.Tier) else None
        super().__init__(**values)

    def frame(self, values: dict[str, Any]) -> Frame:
        message = values["message"]
        home_name = hierarchy.tier_for(values["system"], message).name
        system = _with(hierarchy.system(values["system"]), self._mine)
        chip = specs.accelerator(CHIPS[system.name])
        peak = chip.peak_flops_dense("bf16")
        moves = hierarchy.time_to_move(system, message)
        rungs = [
            draw.Rung(tier.name, tier.scope, tier.bandwidth_one_way, seconds, moves[tier.name].is_lower_bound,
                      tier.capacity_bytes is None or tier.capacity_bytes >= message)
            for tier, seconds in zip(system.tiers, _worth_showing(system.tiers, moves), strict=True)
        ]  # fmt: skip
        home = [tier.name for tier in system.tiers].index(home_name)
        rows = tuple(_row(tier, rung, peak) for tier, rung in zip(system.tiers, rungs, strict=True))
        subject = "Seen from one of its accelerators; bytes from each tier in turn"
        if system.accelerators == 1:
            subject = "Seen from its accelerator; bytes from each tier in turn"
        picture = draw.memory_tiers(rungs, message, home=home, axis=values["axis"], subtitle=subject)
        work = f"Work at {peak / 1e12:,.0f} TFLOP/s, bf16 dense"
        table = Table(system.name, _columns(), rows, marked=home, note=work)
        sentence = _say(rungs, home, message, system.name, peak)
        if self._mine is not None:
            sentence += f" {self._mine.name.capitalize()} is seen from your processor, not from the accelerator."
        if any(tier.protocols for tier in system.tiers):
            sentence += " For a link the table uses the fastest of NCCL's three protocols, each with its own latency and rate (host memory is a stand-in)."
        ways = WAYS if system.name == DRAWN else {}
        return Frame(
            picture, table, sentence, machine={name: f"die {ways[name]}" for name in table.names() if name in ways}
        )


def _with(system, mine):
    """The system, with one more rung before the first slower one."""
    if mine is None:
        return system
    slower = (
        tier.bandwidth_one_way is not None and tier.bandwidth_one_way < mine.bandwidth_one_way for tier in system.tiers
    )
    place = next((place for place, is_slower in enumerate(slower) if is_slower), len(system.tiers))
    return replace(system, tiers=(*system.tiers[:place], mine, *system.tiers[place:]))


def _worth_showing(tiers, moves):
    """Seconds from each tier; None where only a bound is known, below the latency of a nearer tier.

    A byte from a distant storage whose latency nobody prints is not there in "at least 200 ps".
    """
    shown, nearer = [], 0.0
    for tier in tiers:
        move = moves[tier.name]
        silent = move.is_lower_bound and move.seconds is not None and move.seconds < nearer
        shown.append(None if silent else move.seconds)
        nearer = max(nearer, tier.latency_seconds or 0.0)
    return shown


class AtLeast(float):
    """A number of which a lower bound is known, and no more."""


def _row(tier, rung, peak):
    kind = AtLeast if rung.at_least else float
    rate = None if tier.bandwidth_one_way is None else tier.bandwidth_one_way / 1e9
    time: str | float | None = None
    work: str | float | None = None
    if not rung.holds:
        time = work = SMALL
    elif rung.seconds is not None:
        time, work = kind(rung.seconds), kind(peak * rung.seconds)
    return tier.name, tier.capacity_bytes, rate, tier.latency_seconds, time, work


def _columns():
    return (
        Column("tier"),
        Column("holds", text=_room),
        Column("one way", "GB/s", lambda rate: "unknown" if rate is None else giga(1e9 * rate)),
        Column("latency", text=_seconds),
        Column("time", text=_seconds),
        Column("work in that time", text=_work),
    )


def _room(size):
    if size is None:
        return "unknown"
    return "no limit" if size == float("inf") else show(size, "B")


def _seconds(value):
    if isinstance(value, str):
        return value
    return "unknown" if value is None else _bound(value) + show(value, "s")


def _work(flop):
    if isinstance(flop, str):
        return "–"
    return "unknown" if flop is None else _bound(flop) + show(flop, "FLOP")


def _bound(value):
    return "≥ " if isinstance(value, AtLeast) else ""


def _say(rungs, home, message, name, peak):
    here, last = rungs[home], next((rung for rung in reversed(rungs) if rung.seconds is not None), None)
    verb = "lives" if message == 1 else "live"
    parts = [f"{count(message)} {verb} in {here.name}, the fastest tier of the {name} with enough room."]
    if here.seconds is None:
        parts.append("How fast it delivers is not known.")
    else:
        work = ("at least " if here.at_least else "") + show(peak * here.seconds, "FLOP")
        parts.append(f"One pass, each byte once, takes {here.time}; the chip could do {work} meanwhile.")
        if last is not None and last is not here:
            parts.append(f"From {last.name} it takes {last.time}, {_as_long(last, here)}.")
    if any("unknown" in (rung.time, rung.bandwidth_one_way or "unknown") for rung in rungs):
        parts.append("No source gives the unknown numbers.")
    if any(rung.at_least and rung.seconds is not None and rung.holds for rung in rungs):
        parts.append("A ≥ means that the latency is unknown and left out.")
    return " ".join(parts)


def _as_long(last, here):
    """How many times as long the last rung takes, as far as that is known: a latency may be missing in either."""
    known = {
        (False, False): "",
        (True, False): "at least ",
        (False, True): "at most ",
        (True, True): "by the bandwidths alone ",
    }
    return f"{known[last.at_least, here.at_least]}{times(last.seconds / here.seconds)} as long"


def times(ratio):
    """A ratio in words: ``"53 times"``."""
    return f"{ratio:,.0f} times" if ratio >= 10 else f"{ratio:.1f} times"
