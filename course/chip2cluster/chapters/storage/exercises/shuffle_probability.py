"""Exercise on the probability that an item leaves a shuffle buffer at a given position."""

from chip2cluster import loading
from chip2cluster.exercise.model import Exercise, Group, Mistake


def chance(items, buffer, item, place):
    """Probability that this item of the input is the output at this place, both counted from 0."""
    return float(loading.shuffle_probabilities(items, buffer)[item, place])


def _case(items, buffer, item, place):
    return {"items": int(items), "buffer": int(buffer), "item": int(item), "place": int(place)}


def _places(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    drawn = [_case(6, 2, 2, 2)]
    for items, buffer in ((20, 4), (40, 9), (60, 5), (35, 12)):
        item = int(generator.integers(buffer + 2, items - 2 * buffer + 4))
        entered = item - buffer + 1
        drawn.append(_case(items, buffer, item, entered + int(generator.integers(2, buffer + 2))))
        early = int(generator.integers(1, buffer))  # in the buffer from the start
        drawn.append(_case(items, buffer, early, int(generator.integers(1, 6))))
        # At the end the buffer empties itself.
        last = int(generator.integers(items - 2 * buffer, items - buffer))
        drawn.append(_case(items, buffer, last, items - int(generator.integers(1, buffer - 1))))
    return drawn


def _edges(generator):
    item = int(generator.integers(20, 40))
    return [
        _case(60, 8, item, item - 8),  # one place too early
        _case(60, 8, item, item - 7),
        _case(30, 1, 17, 17),
        _case(30, 1, 17, 18),
        _case(12, 50, 3, 7),
        _case(60, 8, 59, 59),
    ]


def _like(enters=lambda i, b: max(i - b + 1, 0), full=True, drain=True, early=True):
    """The same with a slip: when an item enters, whether the buffer is full, empties itself, and lets nothing out early."""

    def wrong(items, buffer, item, place):
        size = min(buffer, items)
        entered = enters(item, size)
        if early and place < entered:
            return 0.0
        stays = min(place, items - size) if drain else place
        chance = (1 - 1 / size) ** max(stays - entered, 0) / size if size > 1 or stays == entered else 0.0
        return chance if full else 1 / max(items - entered, 1)

    return wrong


def _drained(items, buffer, item, place):
    """While the buffer is full as it should be; then one of those that are left, whatever happened before."""
    return 1 / (items - place) if place > items - min(buffer, items) else chance(items, buffer, item, place)


def _not_stayed(items, buffer, item, place):
    """While the buffer is full as it should be; at the end without the draws in which the item stayed meanwhile."""
    size = min(buffer, items)
    whole = chance(items, buffer, item, place)
    return whole * size / (items - place) if place > items - size else whole


SHUFFLE = Exercise(
    id="storage.shuffle",
    title="Where does an item come out?",
    signature="chance(items, buffer, item, place)",
    unit="",
    points=4,
    reference=chance,
    shows=(chance, loading.shuffle_probabilities),
    groups=(
        Group("places", 0.8, _places),
        Group(
            "edges",
            0.2,
            _edges,
            advice="An item can't leave before it is in the buffer. A buffer of one changes nothing; a buffer for all items is a full shuffle.",
        ),
    ),
    hints=(
        "For which output is the item in the buffer for the first time? Output 0 is drawn from items 0 to buffer − 1.",
        "While the buffer is full, an item stays at each draw with probability 1 − 1/buffer. What happens when nothing is left to read? "
        "Multiply out two or three of the last draws: all items still in the buffer are equally likely.",
        "size = min(buffer, items); entered = max(item − size + 1, 0); 0 before that; else "
        "(1 − 1/size) ** (min(place, items − size) − entered) / size, where that power counts no less than 0.",
    ),
    solution="""
def chance(items, buffer, item, place):
    size = min(buffer, items)
    entered = max(item - size + 1, 0)
    if place < entered:
        return 0.0
    draws = max(min(place, items - size) - entered, 0)  # that it stayed through while the buffer was full
    return (1 - 1 / size) ** draws / size
""",
    explanation=(
        "An item in the buffer leaves with probability 1/B at each draw, so it leaves soon: after B draws on average. When the "
        "input ends, the B items that are left come out in any order, each place equally likely. No item comes out more than "
        "B − 1 places early, so items that are far apart in the input hardly ever end up in the same batch."
    ),
    meaning=lambda: (
        f"With a million samples and a buffer of 1,000, sample 500,000 comes out at output 499,001 at the earliest, and "
        f"with {100 * _within(3000, 1000):.0f} % probability no more than 3,000 draws later: that is 0.3 % of the places. If neighbors "
        "in the files are alike, so are the samples in your batches. Shuffle the shards first."
    ),
    mistakes=(
        Mistake(
            "a full shuffle",
            lambda items, buffer, item, place: 1 / items,
            "You gave every place the same probability. That is a full shuffle, with a buffer that holds all items.",
        ),
        Mistake(
            "no memory of the draws",
            lambda items, buffer, item, place: 1 / min(buffer, items) if place >= max(item - buffer + 1, 0) else 0.0,
            "You left out that the item must still be there: at each earlier draw it stayed with probability 1 − 1/buffer.",
        ),
        Mistake(
            "enters at its own place",
            _like(enters=lambda i, b: i, early=False),
            "Your items enter the buffer at their own place. The buffer is filled first, so an item enters buffer − 1 draws earlier.",
        ),
        Mistake(
            "enters one draw late",
            _like(enters=lambda i, b: max(i - b + 2, 0) if i >= b else 0),
            "Your items enter one draw late. Item number buffer is read after the first item has left, and can be the next to leave: output 1.",
        ),
        Mistake(
            "enters one draw early",
            _like(enters=lambda i, b: max(i - b, 0)),
            "Your items enter one draw early. Item number buffer − 1 fills the buffer; item number buffer enters after the first draw.",
        ),
        Mistake(
            "the shrinking buffer stays away",
            _not_stayed,
            "You left out the draws in which the item stayed while the buffer shrank. They belong in the product as well.",
        ),
        Mistake(
            "the draws at the end alone",
            _drained,
            "For an item that is left at the end you used only its probability among the items that are left. It must also have stayed "
            "until then: multiply by the probability of staying in all earlier draws.",
        ),
        Mistake(
            "full to the end",
            _like(drain=False),
            "Your buffer stays full. When all items are read it drains, and each place is equally likely.",
        ),
        Mistake(
            "the first ones wait, too",
            _like(enters=lambda i, b: i - b + 1, early=False),
            "You count draws from before the first output. The first items of the input are all in the buffer at output 0.",
        ),
        Mistake(
            "earlier than it is read",
            _like(early=False),
            "Your items come out before they are read. Item i is in the buffer from output i − buffer + 1 on; before that the probability is 0.",
            "wrong at the edges",
            share=0.8,
        ),
    ),
)


def _within(draws, buffer):
    """Probability that an item has left within this many draws after it entered."""
    return 1 - (1 - 1 / buffer) ** draws
