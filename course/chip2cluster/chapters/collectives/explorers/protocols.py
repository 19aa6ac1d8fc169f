"""Explorer of NCCL's methods: what each takes for a message, which the library takes, and what was measured."""

from dataclasses import dataclass, replace
from functools import partial
from math import isnan
from typing import Any

import numpy as np

from chip2cluster import collectives as model
from chip2cluster import draw
from chip2cluster.draw.format import binary
from chip2cluster.explore.base import Explorer
from chip2cluster.explore.controls import Choice, Slider, in_bytes
from chip2cluster.explore.frame import Column, Extent, Frame, Table
from chip2cluster.explore.handle import Handle
from chip2cluster.explore.static_states import ALL, Strip
from chip2cluster.units import show, significant

SIZES = tuple(2**power for power in range(10, 34))  # bytes, as a benchmark tries them: 1 KiB to 8 GiB
SHOWN = (5e-6, 1.0)  # seconds
EVERY, WITHOUT = "all methods", "no in-network reduction"
LEAST_RATE = 1e6  # bytes/s; a smaller number means another unit
SPELLED = {"ring": "ring", "tree": "tree", "nvls": "NVLS"}


@dataclass(frozen=True)
class Machine:
    """GPUs as the tuner sees them, and a published run on them; ``note`` says what was fitted."""

    name: str
    system: model.NcclSystem
    run: str = ""  # of `nccl_run`; "table" is the table of lab 7
    note: str = ""

    @property
    def measured(self):
        """Sizes and seconds of the run, or nothing."""
        if not self.run:
            return ()
        table = model.nccl_tests_table() if self.run == "table" else model.nccl_run(self.run)
        return tuple(zip(table.message_bytes.tolist(), table.seconds.tolist(), strict=True))


# The bandwidth of a ring is that of each machine's own rings with long messages, measured apart from the run; for the
# two nodes nobody measured one, and it is what NCCL's maintainers say of one adapter of 200 Gb/s, times four.
MACHINES = (
    Machine("8 H200", model.NcclSystem("hopper", 8, 366e9, switch_adds=True), "h200-8-allreduce"),
    Machine("8 H100", model.NcclSystem("hopper", 8, 368e9, switch_adds=True, version="2.18"), "azure-h100-8-allreduce"),
    Machine(
        "8 A100",
        model.NcclSystem("ampere", 8, 235e9),
        "a100-8-allreduce",
        "Its version was not printed; taken as 2.27.",
    ),
    Machine(
        "2 × 4 H100",
        model.NcclSystem("hopper", 4, 4 * 24e9, 2, version="2.20"),
        "table",
        "Its ring: four adapters, of which NCCL uses 24 GB/s each.",
    ),
)
NAMES = tuple(machine.name for machine in MACHINES)
_BY_NAME = {machine.name: machine for machine in MACHINES}


def of(name):
    """The machine behind an option: a name of ours, or an `NcclSystem` of the reader's."""
    if isinstance(name, model.NcclSystem):
        nodes = f"{name.nodes} × " if name.nodes > 1 else ""
        return Machine(f"yours: {nodes}{name.ranks_per_node} {name.gpu}", name)
    return _BY_NAME[name]


def _methods(values):
    return (EVERY, WITHOUT) if of(values["machine"]).system.switch_adds else (EVERY,)


class OwnMachine(Choice):
    """Offers our machines, and any that a caller brings."""

    def choices(self, values):
        brought = values.get(self.name, NAMES[0])
        return NAMES if brought in NAMES else (*NAMES, brought)

    def check(self, value, values):
        if not isinstance(value, model.NcclSystem):
            return super().check(value, {})
        if (rate := value.ring_bandwidth_one_way) < LEAST_RATE:
            raise ValueError(
                f"machine has ring_bandwidth_one_way={rate:g}, and that is in bytes/s: {rate:g} GB/s are {rate:g}e9"
            )
        return value

    def settle(self, value, values):
        return value


class Protocols(Explorer):
    """See which method NCCL takes for an all-reduce, and what a benchmark measured.

    Three protocols of the ring, the tree and the adding switch over the size of the message.

    Parameters
    ----------
    machine : str or NcclSystem
        ``"8 H200"``, ``"8 H100"``, ``"8 A100"``, ``"2 × 4 H100"``, or GPUs of your own.
    **values
        Start values of the other controls: ``message`` (bytes or a text such as ``"1 MiB"``,
        a power of two from 1024 to 2**33), ``methods`` ("all methods" or "no in-network reduction").

    Raises
    ------
    ValueError
        For an unknown control, or a value that it does not offer.

    Examples
    --------
    >>> from chip2cluster import collectives, explore
    >>> explore.protocols("8 H200", message=2**21).table[0]["method"]
    'NVLS, Simple'
    >>> mine = collectives.NcclSystem("blackwell", 4, 600e9)
    >>> explore.protocols(mine, message=2**20).table[0]["method"]
    'ring, LL'
    """

    title = "Methods of NCCL"
    extent = Extent(letters=300, rows=7)
    controls = (
        OwnMachine(name="machine", label="Machine", options=NAMES, default=NAMES[0], text=lambda name: of(name).name),
        Slider(name="message", label="Message", options=SIZES, default=2**20, text=binary, parse=in_bytes),
        Choice(name="methods", label="Methods", options=_methods, default=EVERY),
    )
    strip = Strip("message", {"machine": ALL, "methods": ALL})

    def frame(self, values: dict[str, Any]) -> Frame:
        machine, message = of(values["machine"]), values["message"]
        system = machine.system
        if values["methods"] == WITHOUT:
            system = replace(system, switch_adds=False)
        every = model.nccl_table(system, message).reset_index().to_dict("records")
        for row in every:
            row["seconds"] = model.nccl_time(float(message), system, row["algorithm"], row["protocol"])
        every.sort(key=lambda row: row["seconds"])
        rows = tuple(
            (
                _method(row), row["latency (µs)"], row["bus bandwidth (GB/s)"], row["half of it at (MB)"],
                1e6 * row["seconds"], row["taken from (bytes)"],
            )
            for row in every
        )  # fmt: skip
        measured = machine.measured if values["methods"] == EVERY else ()
        best = every[0]["seconds"]
        title = f"{binary(message)}: NCCL takes {rows[0][0]}, estimated {show(best, 's', 2)}"
        ring = f"{system.ring_bandwidth_one_way / 1e9:.0f} GB/s"
        subtitle = f"All-reduce, ring of {ring}, constants of NCCL {system.version}"
        sentence = _say(machine, message, rows, best, dict(measured))
        curves = _curves(system)
        picture = draw.message_times(
            curves, message, title=title, subtitle=subtitle, seconds=SHOWN, measured=measured,
            envelope="what NCCL takes", amount=binary, description=f"{title}. {subtitle}. {sentence} "
            + " ".join(f"{name}: {show(time / 1e6, 's')}." for name, *_, time, _ in rows),
        )  # fmt: skip
        times = np.min([curve.seconds(np.array(SIZES, float)) for curve in curves], axis=0)
        handle = Handle("message", tuple(zip(SIZES, times.tolist(), strict=True)))
        return Frame(picture, Table(machine.name, COLUMNS, rows, marked=0), sentence, handles=(handle,))


def _method(row):
    return f"{SPELLED[row['algorithm']]}, {row['protocol']}"


def _from(size):
    return "never" if isnan(size) else binary(int(size))


def _curves(system):
    """The ring's three protocols each, the tree at its best, the switch."""
    ring = [draw.Curve(f"ring, {name}", partial(_seconds, system, "ring", name)) for name in ("LL", "LL128", "Simple")]
    curves = [*ring, draw.Curve("tree, best", partial(_seconds, system, "tree", None))]
    if system.switch_adds:
        curves.append(draw.Curve("NVLS", partial(_seconds, system, "nvls", None)))
    return curves


def _seconds(system, algorithm, protocol, sizes):
    return model.nccl_time(sizes, system, algorithm, protocol)


def _say(machine, message, rows, best, measured):
    parts = [f"For {binary(message)} NCCL takes {rows[0][0]}: it estimates {show(best, 's')}."]
    if message in measured:
        ratio = significant(measured[message] / best, 2)
        parts.append(f"Measured were {show(measured[message], 's')}, {ratio} times as long.")
    taken = sorted((row[-1], row[0]) for row in rows if not isnan(row[-1]))
    order = ", then ".join(f"{method} from {binary(int(size))}" for size, method in taken)
    parts.append(f"Over all sizes it takes {order}.")
    return " ".join(parts) + (f" {machine.note}" if machine.note else "")


COLUMNS = (
    Column("method"),
    Column("latency", "µs", "{:.1f}".format),
    Column("bus bandwidth", "GB/s", "{:.0f}".format),
    Column("half of it at", "MB", lambda size: significant(size)),
    Column("time", "µs", lambda time: f"{time:,.1f}" if time < 1e5 else f"{time:,.0f}"),
    Column("taken from", text=_from),
)
