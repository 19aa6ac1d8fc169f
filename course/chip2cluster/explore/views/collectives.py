"""Explorer of algorithms: which one is fastest for which message."""

from functools import partial
from itertools import combinations
from math import isfinite

from ... import collectives as model
from ... import draw, links
from ...units import show, significant
from ..base import Explorer
from ..controls import Choice, Slider, Toggle
from ..frame import Column, Frame, Table
from ..strip import ALL, Strip

COLLECTIVES = tuple(name for name in model.algorithms() if name != "send_recv")
RANKS = (2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 72, 96, 128, 256, 512, 1024)
SIZES = (*(digit * 10**power for power in range(3, 10) for digit in (1, 2, 5)), 10**10)
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


class Collectives(Explorer):
    """Compare the algorithms of a collective for every size of message.

    All algorithms of a collective over the size of the message.

    Parameters
    ----------
    collective : str
        As in `chip2cluster.collectives.time`.
    **values
        Start values of the other controls: ``ranks``, ``message`` (bytes), ``link``,
        ``latency`` (µs), ``adding``.

    Raises
    ------
    ValueError
        For an unknown control, or a value that it does not offer.

    Examples
    --------
    >>> from chip2cluster import explore
    >>> explore.collectives(ranks=8, message=10**6).table[0]["algorithm"]
    'recursive doubling'
    """

    title = "Algorithms of a collective"
    controls = (
        Choice(
            name="collective", label="Collective", options=COLLECTIVES, default="all_reduce",
            text=lambda name: name.replace("_", "-"),
        ),
        Slider(name="ranks", label="Ranks", options=RANKS, default=8),
        Slider(name="message", label="Message", options=SIZES, default=10**6, text=lambda size: show(size, "B", 1)),
        Choice(
            name="link", label="Link", options=tuple(LINKS), default="NVLink 4", more=True,
            text=lambda name: f"{name}, {LINKS[name] / 1e9:.0f} GB/s one way",
        ),
        Choice(name="latency", label="Latency of a step", options=(2, 5, 10, 20), default=2, unit="µs", more=True),
        Toggle(name="adding", label="Switches that add and copy", more=True),
    )  # fmt: skip
    strip = Strip("message", {"ranks": ALL, "adding": ALL})

    def frame(self, values):
        collective, ranks, message = values["collective"], values["ranks"], float(values["message"])
        link = ranks, LINKS[values["link"]], 1e-6 * values["latency"]
        names = [
            name for name in model.algorithms(collective)
            if (values["adding"] or name != "in_network") and self._serves(collective, name, ranks)
        ]  # fmt: skip
        seconds = {name: model.time(collective, name, message, *link) for name in names}
        order = sorted(names, key=seconds.get)
        best = order[0]
        kind = collective.replace("_", "-")
        title = f"{show(message, 'B', 1)}: {spelled(best)} is fastest, {show(seconds[best], 's')}"
        subtitle = (
            f"{kind}, {ranks:,} ranks, {values['link']} ({link[1] / 1e9:.0f} GB/s), {values['latency']} µs a step"
        )
        crossings = self._crossings(collective, names, link)
        rows = tuple(
            (
                spelled(name), model.steps(collective, name, ranks),
                model.time(collective, name, 1.0, ranks, bandwidth_one_way=1.0), 1e6 * seconds[name],
                model.bus_bandwidth(collective, message, seconds[name], ranks) / 1e9,
            )
            for name in order
        )  # fmt: skip
        picture = draw.times(
            [draw.Curve(spelled(name), partial(self._seconds, collective, name, link)) for name in names], message, [point for *_, point in crossings],
            title=title, subtitle=subtitle, description=self._describe(title, subtitle, rows, crossings),
        )  # fmt: skip
        return Frame(picture, Table(subtitle, COLUMNS, rows, marked=0), self._say(values, order, seconds, crossings))

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
        changes = {}
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
        parts = [f"For {show(values['message'], 'B', 1)} {spelled(best)} is fastest: {show(seconds[best], 's')}."]
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

    def _describe(self, title, subtitle, rows, crossings):
        lines = [f"{title}. {subtitle}. Time against message size, both axes logarithmic."]
        lines += [
            f"{name}: {count:,} step{'s' * (count != 1)}, {show(time * 1e-6, 's')}." for name, count, _, time, _ in rows
        ]
        lines += [f"{spelled(b)} and {spelled(a)} cross at {show(size, 'B')}." for b, a, (size, _) in crossings]
        return " ".join(lines)


COLUMNS = (
    Column("algorithm"),
    Column("steps", "", "{:,}".format),
    Column("bytes in a row", "× message", "{:.2f}".format),
    Column("time", "µs", lambda time: f"{time:,.1f}" if time < 1e5 else f"{time:,.0f}"),
    Column("bus bandwidth", "GB/s", lambda rate: f"{rate:.3g}" if rate < 100 else f"{rate:.0f}"),
)
