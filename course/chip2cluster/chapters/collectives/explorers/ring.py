"""Explorer of collectives at work: step by step, with the data in sight."""

from functools import cache
from typing import Any

import numpy as np

from chip2cluster import draw
from chip2cluster.collectives import Simulator
from chip2cluster.explore.base import Explorer
from chip2cluster.explore.controls import Choice, Slider
from chip2cluster.explore.frame import Column, Extent, Frame, Table
from chip2cluster.explore.handle import Handle
from chip2cluster.explore.static_states import ALL, Strip
from chip2cluster.units import significant

WAYS = {
    "all-reduce by ring": ("all_reduce", "ring"),
    "all-reduce by tree": ("all_reduce", "tree"),
    "all-reduce by recursive doubling": ("all_reduce", "recursive_doubling"),
    "all-reduce by halving-doubling": ("all_reduce", "halving_doubling"),
    "reduce-scatter by ring": ("reduce_scatter", "ring"),
    "all-gather by ring": ("all_gather", "ring"),
    "broadcast by tree": ("broadcast", "tree"),
    "reduce by tree": ("reduce", "tree"),
    "scatter by tree": ("scatter", "tree"),
    "gather by tree": ("gather", "tree"),
}
PARTS = ("all_gather", "gather")  # each rank starts with one chunk
FIRST = 1  # step at which it opens: messages are on their way
TO_ONE, TO_EACH = ("reduce", "gather"), ("reduce_scatter", "scatter")


def _ranks(values):
    swaps = WAYS[values["way"]][1] in ("recursive_doubling", "halving_doubling")
    return (2, 4) if swaps else (2, 3, 4, 5, 6)


def simulator(way, ranks):
    """A simulator whose numbers tell where they come from.

    Where something is summed, rank r starts with a 1 in digit r of every chunk. Where
    nothing is, an element is 1 + rank times the number of ranks + chunk.
    """
    collective, algorithm = WAYS[way]
    rank, chunk = np.arange(ranks)[:, None], np.arange(ranks)[None, :]
    if Simulator(collective, algorithm, np.zeros((ranks, ranks), int)).operation:
        vectors = 10 ** (ranks - 1 - rank) + 0 * chunk
    else:
        vectors = 1 + ranks * rank + chunk
    if collective in PARTS:
        vectors = 1 + (ranks + 1) * rank  # the rank's own chunk of its own vector
    return Simulator(collective, algorithm, vectors)


def _held(view):
    """What each rank holds, as whole numbers; 0: nothing."""
    return np.array([np.asarray(vector) for vector in view.buffers]).astype(int)


@cache
def _followed(way, ranks):
    """Rank that chunk 0 has reached after each step, where it goes from one to the next; empty elsewhere."""
    view = simulator(way, ranks)
    if view.algorithm != "ring":
        return ()
    view.run()
    sent = [[message for message in step.messages if 0 in message.chunks] for step in view.history]
    return (sent[0][0].source, *(messages[-1].destination for messages in sent))


class Ring(Explorer):
    """Step through a collective and see who sends what to whom, and what everybody holds.

    Who sends which chunk to whom, what everybody holds then, and what it has cost.

    Parameters
    ----------
    way : str
        ``"all-reduce by ring"``, ``"all-reduce by tree"``, ``"broadcast by tree"``, ...
    **values
        Start values of the other controls: ``ranks`` (2 to 6), ``step``.

    Raises
    ------
    ValueError
        For an unknown control, or a value that it does not offer.

    Examples
    --------
    >>> from chip2cluster import explore
    >>> explore.ring(ranks=4, step=3).table[0]["then holds (chunks 0 to 3)"]
    '1000 1111 1011 1001'
    """

    title = "Collectives, step by step"
    extent = Extent(letters=140, rows=10, lengthens=("ranks",))
    controls = (
        Choice(name="way", label="Collective", options=tuple(WAYS), default="all-reduce by ring"),
        Slider(name="ranks", label="Ranks", options=_ranks, default=4, prefer=(2,)),
        Slider(
            name="step", label="Steps taken", default=FIRST, plays=1.2,
            options=lambda values: tuple(range(simulator(values["way"], values["ranks"]).total_steps + 1)),
        ),
    )  # fmt: skip
    strip = Strip("step", {"way": ALL, "ranks": ALL})

    def _settled(self, asked, before):
        """Another collective, or another number of ranks, starts over."""
        if before and not {"way", "ranks"}.isdisjoint(asked):
            before = {**before, "step": FIRST}
        return super()._settled(asked, before)

    def frame(self, values: dict[str, Any]) -> Frame:
        ranks, taken = values["ranks"], values["step"]
        view = simulator(values["way"], ranks)
        before = held = _held(view)
        for _ in range(taken):
            before, held = held, (view.step(), _held(view))[1]
        cells = [[self._cell(view, held[r, c], held[r, c] != before[r, c]) for c in range(ranks)] for r in range(ranks)]
        wanted = self._wanted(view)
        done = sum(cells[r][c].share >= 1 for r, c in wanted)
        where = "complete" if view.operation else "in place"
        step = view.history[-1] if taken else None
        total = view.total_steps
        title = f"{'Start' if not taken else f'Step {taken} of {total}'}: {done} of {len(wanted)} chunks {where}"
        messages = step.messages if step else []
        # A collective of one phase has its name.
        subtitle = step.phase if step and not values["way"].startswith(step.phase) else ""
        description = self._describe(
            title, subtitle, [(m.source, m.destination, self._cargo(view, m)) for m in messages], cells
        )
        arrows = [(m.source, m.destination, self._label(view, m)) for m in messages]
        way = _followed(values["way"], ranks)
        picture = draw.exchange(
            cells, arrows, title=title, subtitle=subtitle, description=description,
            followed=(way[taken], "0") if way else None,
        )  # fmt: skip
        return Frame(
            picture, self._table(view, cells, messages, f"{values['way']}, {ranks} ranks"),
            self._say(view, taken, messages, done, len(wanted), where),
            handles=(Handle("step", tuple((rank, 0) for rank in way), "path"),) if way else (),
        )  # fmt: skip

    def _cell(self, view, number, arrived):
        if view.operation:
            text = f"{number:0{view.ranks}d}"
            return draw.Cell(text, text.count("1") / view.ranks, bool(arrived))
        if not number:
            return draw.Cell("–", 0.0)
        rank, chunk = divmod(int(number) - 1, view.ranks)
        return draw.Cell(f"{'abcdef'[rank]}{chunk}", 1.0, bool(arrived))

    def _wanted(self, view):
        """The (rank, chunk) pairs that must be complete in the end."""
        every = range(view.ranks)
        if view.collective in TO_EACH:
            return [(rank, rank) for rank in every]
        return [(rank, chunk) for rank in ((0,) if view.collective in TO_ONE else every) for chunk in every]

    def _table(self, view, cells, messages, caption):
        sends = dict.fromkeys(range(view.ranks), "–")
        for message in messages:
            sends[message.source] = f"{self._cargo(view, message)} → {message.destination}"
        rows = [
            (str(rank), sends[rank], " ".join(cell.text for cell in row), float(self._share(view, view.sent[rank])))
            for rank, row in enumerate(cells)
        ]
        columns = (
            Column("rank"), Column("sends now"), Column(f"then holds (chunks 0 to {view.ranks - 1})"),
            Column("sent so far", "× vector", "{:.2f}".format),
        )  # fmt: skip
        return Table(caption, columns, tuple(rows))

    def _share(self, view, nbytes):
        """Bytes over those of one whole vector, of 8-byte elements."""
        return nbytes / (8 * view.ranks)

    def _say(self, view, taken, messages, done, wanted, where):
        busiest = significant(float(self._share(view, view.sent.max())), 3) if taken else "0"
        if not taken:
            return f"Before the first of {view.total_steps} steps: each rank holds what it brought."
        senders = {message.source for message in messages}
        sizes = {significant(float(self._share(view, message.nbytes)), 2) for message in messages}
        size = f"{'up to ' * (len(sizes) > 1)}{max(sizes, key=float)} of a vector"
        silent = view.ranks - len(senders)
        who = f"all {view.ranks} ranks" if not silent else f"{len(senders)} of {view.ranks} ranks"
        rest = f", {silent} send{'s' * (silent == 1)} nothing" if silent else ""
        return (
            f"Step {taken} of {view.total_steps}: {who} send{'s' * (len(senders) == 1)} {size}{rest}. {done} of {wanted} "
            f"chunks are {where}. The busiest sender has sent {busiest} times a vector so far."
        )

    def _cargo(self, view, message):
        if view.contributions.shape[1] == 1:  # this algorithm cuts nothing
            return "its whole vector"
        return f"chunk{'s' * (len(message.chunks) > 1)} {', '.join(map(str, message.chunks))}"

    def _label(self, view, message):
        """Chunk numbers beside an arrow to the next rank; elsewhere they would stand on other arrows."""
        neighbours = message.destination == (message.source + 1) % view.ranks
        chunk = message.chunks[0]
        return f"c{chunk}" if neighbours and self._cargo(view, message) == f"chunk {chunk}" else ""

    def _describe(self, title, subtitle, messages, cells):
        told = "; ".join(f"rank {source} to rank {destination}, {cargo}" for source, destination, cargo in messages)
        held = "; ".join(f"rank {rank}: {' '.join(cell.text for cell in row)}" for rank, row in enumerate(cells))
        return f"{title}. {f'{subtitle}. ' if subtitle else ''}{f'Messages: {told}. ' if told else ''}Held: {held}."
