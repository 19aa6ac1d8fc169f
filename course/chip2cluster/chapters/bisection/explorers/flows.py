"""Explorer of flows on a hash: how full the fullest uplink gets, and what spraying changes."""

from functools import lru_cache
from typing import Any

import numpy as np

from chip2cluster import draw
from chip2cluster import topology as model
from chip2cluster.draw.pictures.uplink_load import percent
from chip2cluster.explore.base import Explorer
from chip2cluster.explore.controls import Choice, Slider
from chip2cluster.explore.frame import Column, Extent, Frame, Table
from chip2cluster.explore.static_states import ALL, Strip
from chip2cluster.units import significant

NUMBERS = (1, 2, 4, 8, 16, 32, 64)
PARTS = {"hash": 1, "hash of 16 queue pairs": 16, "spray packets": 0}  # hashed parts of a flow; 0: every packet alone


class Flows(Explorer):
    """Throw flows at uplinks by a hash, and see how full the fullest one gets.

    Flows on a hash: everybody waits for the fullest uplink.

    Parameters
    ----------
    flows : int
        Flows that start together, 1 to 64 in steps of two times.
    **values
        Start values of the other controls: ``uplinks``, ``routing`` ("hash", "hash of 16 queue pairs" or
        "spray packets"), ``size`` (GB of a flow), ``link`` (GB/s one way), ``throw`` (the number of the example).

    Raises
    ------
    ValueError
        For an unknown control, or a value that it does not offer.

    Examples
    --------
    >>> from chip2cluster import explore
    >>> [round(row["bandwidth left (%)"], 1) for row in explore.flows(8, uplinks=8).table]
    [38.5, 73.0, 100.0]
    """

    title = "Flows on a hash"
    extent = Extent(letters=260)
    controls = (
        Slider(name="flows", label="Flows", options=NUMBERS, default=8),
        Slider(name="uplinks", label="Uplinks", options=NUMBERS[1:], default=8),
        Choice(name="routing", label="Routing", options=tuple(PARTS), default="hash"),
        Choice(name="size", label="Size of a flow", options=(0.1, 1, 10), default=1, unit="GB", more=True),
        Choice(
            name="link", label="Link rate, unidirectional", options=(12.5, 25, 50, 100), default=50, unit="GB/s", more=True
        ),
        Slider(name="throw", label="Random example", options=tuple(range(1, 9)), default=1, more=True),
    )  # fmt: skip
    strip = Strip("flows", {"uplinks": ALL, "routing": ALL})

    def frame(self, values: dict[str, Any]) -> Frame:
        flows, uplinks, routing = values["flows"], values["uplinks"], values["routing"]
        size, rate = 1e9 * values["size"], 1e9 * values["link"]
        rows = tuple((name, *_row(flows, uplinks, parts, size, rate)) for name, parts in PARTS.items())
        chosen = tuple(PARTS).index(routing)
        _, mean, milliseconds, share, clean = rows[chosen]
        title = f"{_many(flows, 'flow')} on {uplinks} uplinks keep{'s' * (flows == 1)} {significant(share)} % of the bandwidth"
        loads, chances = _chances(flows, uplinks, PARTS[routing])
        throw = _throw(flows, uplinks, PARTS[routing], values["throw"])
        listed = "; ".join(
            f"{significant(load)}: {percent(chance)}"
            for load, chance in zip(loads, chances, strict=True)
            if chance >= 5e-4
        )
        description = (
            f"{title}. Flows on the fullest uplink and how likely that is: {listed}; on average {mean:.2f}. "
            f"One throw puts {', '.join(map(significant, throw))} flows on the uplinks."
        )
        picture = draw.uplink_load(
            loads,
            chances,
            throw,
            flows / uplinks,
            mean,
            title=title,
            subtitle=_even(flows, uplinks),
            description=description,
        )
        caption = f"{_many(flows, 'flow')} of {values['size']:g} GB, {uplinks} uplinks of {values['link']:g} GB/s one way, {routing}"
        return Frame(
            picture, Table(caption, COLUMNS, rows, marked=chosen), self._say(values, mean, milliseconds, share, clean)
        )

    def _say(self, values, mean, milliseconds, share, clean):
        flows, uplinks = values["flows"], values["uplinks"]
        what, one = f"{_many(flows, 'flow')} on {uplinks} uplinks", "s" * (flows == 1)
        if values["routing"] == "spray packets":
            return (
                f"Packet by packet, {what} fill{one} all uplinks evenly: {significant(milliseconds)} ms. The price: packets "
                "overtake each other, and the receiver must put them back in order."
            )
        return (
            f"By a {values['routing']}, {what} put{one} {mean:.2f} flows on the fullest uplink on average, and the last one arrives "
            f"after {significant(milliseconds)} ms on average, latency left out: {significant(share)} % of the bandwidth is left. "
            f"Spread as evenly as can be: {percent(clean)} of all throws."
        )


def _row(flows, uplinks, parts, size, rate):
    """Load of the fullest uplink, time in ms, share and chance of an even spread."""
    if not parts:
        return flows / uplinks, 1e3 * model.spray_time(size, flows, uplinks, rate), 100.0, 1.0
    seconds = model.hash_time(size, flows, uplinks, rate, queue_pairs=parts)
    chances = model.hash_probabilities(flows * parts, uplinks)
    least = -(-flows * parts // uplinks)
    mean = model.hash_worst_load(flows * parts, uplinks) / parts
    return mean, 1e3 * seconds, 100 * model.hash_share(flows, uplinks, queue_pairs=parts), float(chances[least])


@lru_cache(maxsize=512)
def _chances(flows, uplinks, parts):
    if not parts:
        return (flows / uplinks,), (1.0,)
    chances = model.hash_probabilities(flows * parts, uplinks)
    loads = [load for load, chance in enumerate(chances) if chance > 0]
    return tuple(load / parts for load in loads), tuple(float(chances[load]) for load in loads)


def _throw(flows, uplinks, parts, number):
    if not parts:
        return (flows / uplinks,) * uplinks
    thrown = np.random.default_rng([number, flows, uplinks]).integers(0, uplinks, flows * parts)
    return tuple((np.bincount(thrown, minlength=uplinks) / parts).tolist())


def _many(number, word):
    return f"{number} {word}{'s' * (number != 1)}"


def _even(flows, uplinks):
    """Say what an even spread would put on each uplink.

    >>> _even(8, 8), _even(1, 4)
    ('grey line below: 1 flow on each uplink, spread evenly', 'grey line below: 0.25 flows on each uplink, spread evenly')
    """
    return f"grey line below: {flows / uplinks:g} flow{'s' * (flows != uplinks)} on each uplink, spread evenly"


COLUMNS = (
    Column("routing"),
    Column("fullest uplink", "flows", "{:.2f}".format),
    Column("last flow arrives", "ms", significant),
    Column("bandwidth left", "%", significant),
    Column("probability of an even spread", "", percent),
)
