"""Explorer of the shuffle buffer: how far an item travels in it, and whose items meet in a batch."""

from functools import lru_cache
from statistics import fmean
from typing import Any

from chip2cluster import draw, loading
from chip2cluster.explore.base import Explorer
from chip2cluster.explore.controls import Choice, Slider
from chip2cluster.explore.frame import Column, Extent, Frame, Table
from chip2cluster.explore.static_states import ALL, Strip
from chip2cluster.units import significant

IN_ORDER, AT_RANDOM = "in order", "in random order"
BATCHES = 10  # of an epoch
FULL, TENTH = "it is full", "a tenth of it is full"
ITEMS = (20, 50, 100, 200)
SHUFFLES = 25  # whose mean is right to about a tenth of a shard
DRAWN = 100  # items, at most, whose dots keep apart


def _buffers(values):
    items = values["items"]
    shares = (0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0)
    return tuple(sorted({max(1, round(share * items)) for share in shares}))


def _room(count):
    return f"{count} {'item' if count == 1 else 'items'}"


def _shards(values):
    return tuple(count for count in (2, 5, 10, 20, 25, 50) if not values["items"] % count and count < values["items"])


class Shuffle(Explorer):
    """Send items through a shuffle buffer, and see where each of them can come out.

    The stronger the color, the likelier; the dots are one shuffle. An epoch is ten batches.

    Parameters
    ----------
    buffer : int
        Items that the buffer holds.
    order : {"in order", "in random order"}
        How the shards are read that the buffer is filled from.
    seed : int
        Number of the shuffle that is drawn: 1 to 8.
    **values
        Start values of the other controls: ``items`` of the whole input (20, 50, 100 or 200),
        ``shards`` that they lie in, ``start`` (the buffer gives when ``"it is full"`` or
        ``"a tenth of it is full"``).

    Raises
    ------
    ValueError
        For an unknown control, or a value that it does not offer.

    Examples
    --------
    >>> from chip2cluster import explore
    >>> view = explore.shuffle(10)
    >>> round(view.table[0]["an item moves (places)"], 1), round(view.table[-1]["an item moves (places)"], 1)
    (6.6, 33.3)
    """

    title = "Shuffle explorer"
    extent = Extent(letters=250)
    positional = ("buffer", "order", "seed")
    controls = (
        Choice(name="items", label="Items", options=ITEMS, default=100, more=True),
        Slider(name="buffer", label="Buffer", options=_buffers, default=10, text=_room),
        Choice(name="order", label="Shards are read", options=(IN_ORDER, AT_RANDOM), default=IN_ORDER),
        Slider(name="seed", label="Shuffle number", options=tuple(range(1, 9)), default=1),
        Choice(name="shards", label="Shards", options=_shards, default=10, more=True),
        Choice(name="start", label="Gives items when", options=(FULL, TENTH), default=FULL, more=True),
    )
    strip = Strip("buffer", {"order": ALL, "seed": (1, 2, 3)})

    def frame(self, values: dict[str, Any]) -> Frame:
        items, buffer = values["items"], values["buffer"]
        initial = None if values["start"] == FULL else max(1, buffer // 10)
        ways = {
            "shards in order": (buffer, initial, 1),
            "shards in random order": (buffer, initial, values["shards"]),
            "all items at once": (items, None, 1),
        }
        chosen = 0 if values["order"] == IN_ORDER else 1
        rows = tuple((name, *_numbers(values, *way)) for name, way in ways.items())
        shards = values["shards"] if chosen else 1
        subject = f"{items} items in {values['shards']} shards, read {values['order']}"
        drawn = "dots: one shuffle" if items <= DRAWN else ""
        picture = draw.shuffle_map(
            items, buffer, initial=initial, shards=shards, seed=values["seed"] if items <= DRAWN else None,
            title=f"A batch of {items // BATCHES} holds items of {significant(rows[chosen][3], 2)} of the {values['shards']} shards",
            subtitle=drawn,
        )  # fmt: skip
        table = Table(f"{subject}; buffer of {buffer}", COLUMNS, rows, marked=chosen)
        return Frame(picture, table, _say(values, rows, chosen))


@lru_cache(maxsize=256)
def _quality(items, buffer, initial, shards):
    return loading.shuffle_quality(items, buffer, initial, shards=shards)


def _numbers(values, buffer, initial, shards):
    """Mean way of an item, chance in percent that the first stays first, shards in a batch on average."""
    items = values["items"]
    found = _quality(items, buffer, initial, shards)
    met = _met(items, buffer, initial, values["shards"])
    return found.mean_displacement, 100 * found.first_stays_first, met


@lru_cache(maxsize=256)
def _met(items, buffer, initial, shards):
    """Shards in a batch, on average; in which order the shards come does not change who meets."""
    each = items // shards
    if buffer >= items and initial is None:
        return float(loading.groups_touched(items // BATCHES, items, each))
    orders = (loading.shuffle_shards(shards, each, buffer, seed, initial) for seed in range(SHUFFLES))
    return fmean(loading.shards_in_batches(order, each, items // BATCHES) for order in orders)


def _say(values, rows, chosen):
    _, moved, first, met = rows[chosen]
    best = rows[-1]
    share = 100 * values["buffer"] / values["items"]
    return (
        f"With room for {share:g} % of the items an item moves {significant(moved, 2)} places on average; a full "
        f"shuffle moves it {significant(best[1], 2)}. The first item comes out first with a probability of "
        f"{significant(first, 2)} %. On average a batch of {values['items'] // BATCHES} holds items of "
        f"{significant(met, 2)} of the {values['shards']} shards; shuffled all at once, of {significant(best[3], 2)}."
    )


COLUMNS = (
    Column("what is shuffled"),
    Column("an item moves", "places", lambda places: significant(places, 2)),
    Column("first stays first", "%", lambda share: significant(share, 2)),
    Column("shards in a batch", "", lambda count: significant(count, 2)),
)
