"""Explorer of algorithms: which one is fastest for which message."""

from dataclasses import replace
from functools import partial
from itertools import combinations
from math import inf, isfinite
from typing import Any

import numpy as np

from chip2cluster import collectives as model
from chip2cluster import draw, links, units
from chip2cluster.explore.base import Explorer
from chip2cluster.explore.controls import Choice, Control, Slider, Toggle, in_bytes
from chip2cluster.explore.frame import Column, Extent, Frame, Table
from chip2cluster.explore.handle import Handle
from chip2cluster.explore.static_states import ALL, Strip
from chip2cluster.units import show, significant

COLLECTIVES = tuple(name for name in model.algorithms() if name != "send_recv")
MOST_RANKS, MOST_LATENCY = 100_000, 10_000  # µs
RANKS = (2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 72, 96, 128, 256, 512, 1024)
SIZES = (*(digit * 10**power for power in range(3, 10) for digit in (1, 2, 5)), 10**10)
LATENCIES = (2, 5, 10, 20)  # µs
LINKS = {
    "NVLink 5": links.nvlink(5).bandwidth_one_way,
    "NVLink 4": links.nvlink(4).bandwidth_one_way,
    "NVLink 3": links.nvlink(3).bandwidth_one_way,
    "PCIe 5 ×16": links.pcie(5, 16).bandwidth_one_way,
    "InfiniBand NDR": links.infiniband("NDR").bandwidth_one_way,
    "InfiniBand HDR": links.infiniband("HDR").bandwidth_one_way,
}
SPELLED = {"van_de_geijn": "van de Geijn", "halving_doubling": "halving-doubling", "bruck": "Bruck",
           "rabenseifner": "Rabenseifner", "in_network": "in-network"}  # fmt: skip


def spelled(name):
    """An algorithm or collective as people write it.

    >>> spelled("halving_doubling"), spelled("double_binary_tree")
    ('halving-doubling', 'double binary tree')
    """
    return SPELLED.get(name, name.replace("_", " "))


def _size(size):
    """A size as a reader sees it: one digit for ours, three for the reader's own."""
    return show(size, "B", 1 if size in SIZES else 3)


def _rate(link):
    return LINKS[link] if link in LINKS else units.parse(link, "B/s")


def _own_ranks(count):
    if isinstance(count, bool) or not isinstance(count, int) or not 2 <= count <= MOST_RANKS:
        raise ValueError(f"ranks must be a whole number from 2 to {MOST_RANKS:,}, got {count!r}")
    return count


def _own_link(link):
    if not isinstance(link, str) or not link[:1].isdigit():
        raise ValueError(
            f"link must be one of {', '.join(map(repr, LINKS))}, or a rate such as '300 GB/s'; got {link!r}"
        )
    if not 0 < units.parse(link, "B/s") < inf:
        raise ValueError(f"link must carry something, got {link!r}")
    return link


def _own_latency(latency):
    """Microseconds, from text with its unit or from a number of them."""
    if isinstance(latency, bool) or not isinstance(latency, (int, float, str)):
        raise TypeError(f"latency must be a number of µs, or a text such as '700 ns'; got {latency!r}")
    micro = 1e6 * units.parse(latency, "s") if isinstance(latency, str) else latency
    if not 0 <= micro <= MOST_LATENCY:
        raise ValueError(f"latency must be from 0 to {MOST_LATENCY:,} µs, got {latency!r}")
    return micro


def _own_message(size):
    """Bytes, from text with its unit or from a number of them."""
    if isinstance(size, bool) or not isinstance(size, (int, float, str)):
        raise TypeError(f"message must be a number of bytes, or a text such as '3 MB'; got {size!r}")
    count = in_bytes(size)
    if not SIZES[0] <= count <= SIZES[-1]:
        raise ValueError(f"message must be from {show(SIZES[0], 'B', 1)} to {show(SIZES[-1], 'B', 1)}, got {size!r}")
    return int(count) if count == int(count) else count


OWN = {
    "ranks": _own_ranks,
    "link": _own_link,
    "latency": _own_latency,
    "message": _own_message,
}  # controls that take what the reader has


class Collectives(Explorer):
    """Compare the algorithms of a collective for every size of message.

    All algorithms of a collective over the size of the message.

    Parameters
    ----------
    collective : str
        Collective, as in `chip2cluster.collectives.time`.
    ranks : int
        Any number from 2 to 100,000; yours joins those of the slider.
    link : str
        ``"NVLink 4"`` and its like, or a rate of your own one way: ``"300 GB/s"``.
    latency : float or str
        Latency of a step: 2, 5, 10 or 20 µs, or your own: ``"700 ns"``.
    **values
        Start values of the other controls: ``message`` (bytes, or a text such as ``"3 MB"``),
        ``adding``.

    Raises
    ------
    ValueError, TypeError
        For an unknown control, a value that it does not offer, and numbers of your own
        that make no sense or lack their unit.

    Examples
    --------
    >>> from chip2cluster import explore
    >>> explore.collectives(ranks=8, message=10**6).table[0]["algorithm"]
    'recursive doubling'
    >>> mine = explore.collectives(ranks=40, link="300 GB/s", latency="7 us", message=10**6)
    >>> mine.table[0]["algorithm"], mine.values["ranks"]
    ('double binary tree', 40)
    """

    title = "Algorithms of a collective"
    extent = Extent(letters=220, rows=6)
    controls: tuple[Control, ...] = (
        Choice(
            name="collective", label="Collective", options=COLLECTIVES, default="all_reduce",
            text=lambda name: name.replace("_", "-"),
        ),
        Slider(name="ranks", label="Ranks", options=RANKS, default=8),
        Slider(name="message", label="Message", options=SIZES, default=10**6, text=_size, parse=in_bytes),
        Choice(
            name="link", label="Link", options=tuple(LINKS), default="NVLink 4", more=True,
            text=lambda name: f"{name}, {_rate(name) / 1e9:.4g} GB/s one way",
        ),
        Choice(
            name="latency", label="Latency of a step", options=LATENCIES, default=2, text="{:g}".format, unit="µs",
            more=True,
        ),
        Toggle(name="adding", label="In-network reduction, as in InfiniBand SHARP", more=True),
    )  # fmt: skip
    strip = Strip("message", {"ranks": ALL, "adding": ALL})

    def __init__(self, *given, **values):
        values, controls = self._named(given, values), []
        for control in self.controls:
            given = values.get(control.name, control.default)
            if control.name in OWN and isinstance(control, Choice) and given not in control.choices(values):
                own = values[control.name] = OWN[control.name](values[control.name])
                options = *control.choices(values), own
                control = replace(control, options=options if control.name == "link" else tuple(sorted({*options})))
            controls.append(control)
        self.controls = tuple(controls)
        super().__init__(**values)

    def frame(self, values: dict[str, Any]) -> Frame:
        collective, ranks, message = values["collective"], values["ranks"], float(values["message"])
        link = ranks, _rate(values["link"]), 1e-6 * values["latency"]
        names = [
            name for name in model.algorithms(collective)
            if (values["adding"] or name != "in_network") and self._serves(collective, name, ranks)
        ]  # fmt: skip
        seconds = {name: model.time(collective, name, message, *link) for name in names}
        order = sorted(names, key=seconds.__getitem__)
        best = order[0]
        kind = collective.replace("_", "-")
        title = f"{_size(message)}: {spelled(best)} is fastest, {show(seconds[best], 's')}"
        wire = f"{values['link']} ({link[1] / 1e9:.4g} GB/s)" if values["link"] in LINKS else values["link"]
        subject = f"{kind}, {ranks:,} ranks, {wire}, {values['latency']:g} µs a step"
        crossings = self._crossings(collective, names, link)
        rows = tuple(
            (
                spelled(name), model.steps(collective, name, ranks),
                model.time(collective, name, 1.0, ranks, bandwidth_one_way=1.0), 1e6 * seconds[name],
                model.bus_bandwidth(collective, message, seconds[name], ranks) / 1e9,
                name in model.algorithms(collective, library="nccl"),
            )
            for name in order
        )  # fmt: skip
        picture = draw.message_times(
            [draw.Curve(spelled(name), partial(self._seconds, collective, name, link)) for name in names], message, [point for *_, point in crossings],
            title=title, amount=_size, description=self._describe(title, rows, crossings),
        )  # fmt: skip
        times = [self._seconds(collective, name, link, np.array(SIZES, float)) for name in names]
        handle = Handle("message", tuple(zip(SIZES, np.min(times, axis=0).tolist(), strict=True)))
        table, say = Table(subject, COLUMNS, rows, marked=0), self._say(values, order, seconds, crossings)
        return Frame(picture, table, say, handles=(handle,))

    def _serves(self, collective, name, ranks):
        try:
            model.steps(collective, name, ranks)
        except ValueError:
            return False  # a power of two is needed
        return True

    def _seconds(self, collective, name, link, sizes):
        return model.time(collective, name, sizes, *link)

    def _crossings(self, collective, names, link):
        """Where the fastest changes: (below it, above it, (bytes, seconds)), by size."""
        changes: dict[float, Any] = {}
        for name, other in combinations(names, 2):
            size = model.crossover_size(collective, name, other, *link)
            if not (isfinite(size) and SIZES[0] < size < SIZES[-1]):
                continue
            seconds = model.time(collective, name, size, *link)
            if all(seconds <= model.time(collective, rival, size, *link) * (1 + 1e-9) for rival in names):
                below, above = sorted((name, other), key=lambda rival: model.time(collective, rival, size / 2, *link))
                changes.setdefault(round(size, 3), (below, above, (size, seconds)))
        return [changes[size] for size in sorted(changes)]

    def _say(self, values, order, seconds, crossings):
        best, worst = order[0], order[-1]
        parts = [f"For {_size(values['message'])} {spelled(best)} is fastest: {show(seconds[best], 's')}."]
        if seconds[worst] > 1.005 * seconds[best]:
            ratio = seconds[worst] / seconds[best]
            parts.append(f"The slowest, {spelled(worst)}, takes {significant(ratio)} times as long.")
        for below, above, (size, _) in crossings:
            parts.append(
                f"Below {show(size, 'B')} {spelled(below)} beats {spelled(above)}, above it the other way round."
            )
        if not crossings:
            parts.append("The fastest is the same for every size shown.")
        if values["ranks"] & (values["ranks"] - 1):
            parts.append("Algorithms that need a power of two are left out.")
        return " ".join(parts)

    def _describe(self, title, rows, crossings):
        lines = [f"{title}. Time against message size, both axes logarithmic."]
        lines += [
            f"{name}: {count:,} step{'s' * (count != 1)}, {show(time * 1e-6, 's')}."
            for name, count, _, time, *_ in rows
        ]
        lines += [f"{spelled(b)} and {spelled(a)} cross at {show(size, 'B')}." for b, a, (size, _) in crossings]
        return " ".join(lines)


COLUMNS = (
    Column("algorithm"),
    Column("steps", "", "{:,}".format),
    Column("bytes in a row", "× message", "{:.2f}".format),
    Column("time", "µs", lambda time: f"{time:,.1f}" if time < 1e5 else f"{time:,.0f}"),
    Column("bus bandwidth", "GB/s", lambda rate: f"{rate:.3g}" if rate < 100 else f"{rate:.0f}"),
    Column("in NCCL", text=lambda has: "yes" if has else "no"),
)
