"""Explorer of switches that add: from how many GPUs on they beat the ring, and what bus bandwidth then means."""

from dataclasses import dataclass, replace
from math import floor, isfinite
from typing import Any

from chip2cluster import collectives as model
from chip2cluster import draw, units
from chip2cluster.draw.format import giga
from chip2cluster.explore.base import Explorer
from chip2cluster.explore.controls import Choice, Slider
from chip2cluster.explore.frame import Column, Extent, Frame, Table
from chip2cluster.explore.handle import Handle
from chip2cluster.explore.static_states import ALL, Strip

OWN = "yours"
NODE = tuple(range(2, 9))
RACK = (*NODE, 12, 16, 24, 36, 48, 64, 72)


@dataclass(frozen=True)
class Machine:
    """A machine's rates, bytes/s one way a GPU: in a ring, while the switch adds, and on the sheet (None: not said)."""

    name: str
    ring: float
    switch: float
    sheet: float | None
    seen: tuple = ()  # (GPUs, method, bus bandwidth)
    note: str = ""


def _measured(sweep):
    """A measured machine: both rates are those of its eight GPUs."""
    switch = model.switch_wire_rate(sweep.bus_bandwidth[-1], int(sweep.gpus[-1]))
    gpus, taken, rates = sweep.gpus.tolist(), sweep.taken, sweep.bus_bandwidth.tolist()
    switched = [one for one in zip(gpus, taken, rates, strict=True) if one[1] == "nvls"]
    ring = [(count, "ring", rate) for count, rate in zip(gpus, sweep.ring_bus_bandwidth.tolist(), strict=True)]
    return Machine(sweep.gpu, ring[-1][-1], float(switch), sweep.sheet_one_way, (*ring, *switched))


MACHINES = {sweep.gpu: _measured(sweep) for sweep in model.switch_sweeps()}
MACHINES["H100"] = replace(
    MACHINES["H100"],
    note="Its squares are rounded: a user gave the switch in steps of 20 GB/s, and the ring as 365 to 370, drawn in the middle.",
)


def _gpus(values):
    return RACK if values["machine"] == OWN else NODE


class Switch(Explorer):
    """Let a switch add, and see what a benchmark prints and what each wire carries.

    Ring and adding switch over the number of GPUs, with measured points.

    Parameters
    ----------
    machine : str
        ``"H100"``, ``"H200"`` or ``"B200"``.
    ring, wire : str, optional
        Rates of your own machine, such as ``"700 GB/s"``, one way: what a GPU's wires
        carry in a ring, and while the switch adds. Both or none.
    **values
        Start values of the other controls: ``gpus``.

    Raises
    ------
    ValueError, TypeError
        For an unknown control, a value that it does not offer, a rate without its unit,
        and one rate without the other.

    Examples
    --------
    >>> from chip2cluster import explore
    >>> explore.switch("H200", gpus=8).table[-1]["switch (GB/s)"].__round__()
    473
    >>> explore.switch(ring="700 GB/s", wire="600 GB/s", gpus=72).current.picture.title
    '72 GPUs: the switch prints 1,167 GB/s, each wire carries 600'
    """

    title = "In-network reduction"
    extent = Extent(letters=410)
    controls: tuple[Choice, ...] = (
        Choice(name="machine", label="Machine", options=tuple(MACHINES), default="H200"),
        Slider(name="gpus", label="GPUs", options=_gpus, default=8),
    )
    strip = Strip("gpus", {"machine": ALL})
    _own: Machine

    def __init__(self, *given, ring=None, wire=None, **values):
        if (ring is None) != (wire is None):
            raise TypeError(f"ring and wire go together, got ring={ring!r}, wire={wire!r}")
        if ring is not None:
            self._own = Machine(OWN, _own_rate("ring", ring), _own_rate("wire", wire), None)
            machine, gpus = self.controls
            self.controls = replace(machine, options=(*MACHINES, OWN)), gpus
            values = {"machine": OWN} | values
        super().__init__(*given, **values)

    def frame(self, values: dict[str, Any]) -> Frame:
        machine = self._own if values["machine"] == OWN else MACHINES[values["machine"]]
        gpus, numbers = values["gpus"], _gpus(values)
        ring = tuple(machine.ring for _ in numbers)
        switch = tuple(model.switch_bus_bandwidth(count, machine.switch) for count in numbers)
        measured = {(count, method): rate for count, method, rate in machine.seen}
        place = numbers.index(gpus)
        rows: tuple[tuple[Any, ...], ...] = tuple(
            (
                count, model.ring_all_reduce_traffic(1.0, count), model.switch_all_reduce_traffic(1.0, count),
                machine.ring / 1e9, rate / 1e9, _giga(measured.get((count, "ring"))), _giga(measured.get((count, "nvls"))),
            )
            for count, rate in zip(numbers, switch, strict=True)
        )  # fmt: skip
        sheet = f" of {giga(machine.sheet)}" if machine.sheet else ""
        title = f"{gpus} GPUs: the switch prints {giga(switch[place])} GB/s, each wire carries {giga(machine.switch)}{sheet}"
        subtitle = f"Long all-reduces; ring {giga(machine.ring)} GB/s, switch {giga(machine.switch)} GB/s a wire"
        sentence = _say(machine, gpus, switch[place])
        picture = draw.rates_by_gpus(
            numbers, [draw.Law("ring", ring), draw.Law("in-network reduction", switch)], gpus,
            level=("sheet of the wire", machine.sheet) if machine.sheet else None,
            seen=[draw.Seen(count, rate, int(method == "nvls")) for count, method, rate in machine.seen],
            title=title, subtitle=subtitle, description=_describe(title, subtitle, sentence, rows),
        )  # fmt: skip
        columns = COLUMNS if machine.seen else COLUMNS[:-2]
        rows = tuple(row[: len(columns)] for row in rows)
        handle = Handle("gpus", tuple(zip(numbers, switch, strict=True)))
        return Frame(picture, Table(machine.name, columns, rows, marked=place), sentence, handles=(handle,))


def _own_rate(name, rate):
    if not isinstance(rate, str):
        raise TypeError(f"{name} must be a text with its unit, such as '700 GB/s'; got {rate!r}")
    return units.parse(rate, "B/s")


def _giga(rate):
    return None if rate is None else rate / 1e9


def _say(machine, gpus, printed):
    ring, switch = model.ring_all_reduce_traffic(1.0, gpus), model.switch_all_reduce_traffic(1.0, gpus)
    parts = [
        f"With {gpus} GPUs each link carries {ring:.3f} times the message in each direction in a ring, and {switch:.3f} times with in-network reduction.",
        f"The benchmark counts {ring:.3f} in both cases, so it prints {giga(printed)} GB/s when each wire carries "
        f"{giga(machine.switch)}.",
    ]
    crossing = model.switch_crossover_ranks(machine.ring, machine.switch)
    if not isfinite(crossing):
        parts.append("The switch never wins: its wires carry half of the ring's rate or less.")
    else:
        parts.append(
            f"By these laws both are equal at {crossing:.1f} GPUs: from {floor(crossing) + 1} on the switch wins."
        )
    return " ".join(parts) + (f" {machine.note}" if machine.note else "")


def _describe(title, subtitle, sentence, rows):
    lines = [f"{row[0]} GPUs: ring {row[3]:.0f}, switch {row[4]:.0f} GB/s{_found(row)}." for row in rows]
    return " ".join([f"{title}. {subtitle}. {sentence}", *lines])


def _found(row):
    found = [f"{rate:.0f} by {name}" for name, rate in zip(("ring", "switch"), row[5:], strict=True) if rate]
    return f", measured {' and '.join(found)}" if found else ""


def _rate(rate):
    return "–" if rate is None else giga(1e9 * rate)


COLUMNS = (
    Column("GPUs"),
    Column("ring sends", "× message", "{:.3f}".format),
    Column("switch", "× message", "{:.3f}".format),
    Column("ring", "GB/s", _rate),
    Column("switch", "GB/s", _rate),
    Column("ring measured", "GB/s", _rate),
    Column("switch measured", "GB/s", _rate),
)
