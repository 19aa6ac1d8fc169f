"""Explorer of the systolic array: the cells of a small array, cycle by cycle."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from chip2cluster import draw
from chip2cluster import systolic as model
from chip2cluster.explore.base import Explorer
from chip2cluster.explore.controls import Choice, Slider, Toggle
from chip2cluster.explore.frame import Column, Frame, Table
from chip2cluster.explore.handle import Handle
from chip2cluster.explore.static_states import ALL, Strip

WEIGHTS = ((4, 4), (5, 4), (3, 4), (5, 5), (8, 4), (8, 8))  # k x n


@dataclass(frozen=True, kw_only=True)
class Clock(Slider):
    """A cycle of the run; a shorter run stops it at its end."""

    def settle(self, value, values):
        return min(value, self.choices(values)[-1])


def _sizes(values):
    k, n = values["weights"]
    side = values["side"]
    return {"m": values["rows_of_a"], "n": n, "k": k, "rows": side, "cols": side, "dataflow": values["dataflow"]}


def _cycles(values):
    return tuple(range(model.cycles(**_sizes(values), overlap=values["overlap"]) + 1))


def _one_tile(values):
    """Why loading ahead changes nothing: without a second tile the run has the same length either way."""
    lengths = {model.cycles(**_sizes(values), overlap=ahead) for ahead in (False, True)}
    return "The array takes B as one tile: there is no next one to load." if len(lengths) == 1 else ""


@lru_cache(maxsize=32)
def _run(m, n, k, rows, cols, dataflow, overlap):
    """Every state of a product of two matrices of small whole numbers."""
    a = 1 + (3 * np.arange(m)[:, None] + 5 * np.arange(k)) % 9
    b = 1 + (2 * np.arange(k)[:, None] + 7 * np.arange(n)) % 9
    array = model.simulator(a, b, rows, cols, dataflow, overlap=overlap)
    states = [array.state]
    while not array.done:
        states.append(array.step())
    return tuple(states)


class Systolic(Explorer):
    """Step through a small systolic array, cycle by cycle, with its utilization beside it.

    A product of two small matrices on 2 × 2 to 4 × 4 cells.

    Parameters
    ----------
    rows_of_a : int
        Rows that stream through the array, 1 to 16.
    **values
        Start values of the other controls: ``weights`` (a pair such as ``(5, 4)``),
        ``cycle``, ``side``, ``dataflow``, ``overlap``.

    Raises
    ------
    ValueError
        For an unknown control, or a value that it does not offer.

    Examples
    --------
    >>> from chip2cluster import explore
    >>> view = explore.systolic(rows_of_a=16, cycle=12)
    >>> view.table[1]["cycles"], round(view.table[1]["utilization (%)"])
    (26, 62)
    """

    title = "Systolic array explorer"
    controls = (
        Slider(name="rows_of_a", label="Rows of A", default=4, options=tuple(range(1, 17))),
        Choice(name="weights", label="Weights B", default=(4, 4), options=WEIGHTS, text="{0[0]} × {0[1]}".format, parse=tuple),
        Choice(name="side", label="Array", default=4, options=(2, 3, 4), text="{0} × {0} cells".format, more=True),
        Choice(
            name="dataflow", label="What stays in the cells", default="weight_stationary", options=model.DATAFLOWS,
            text=lambda name: {"weight_stationary": "the weights B", "output_stationary": "the results C"}[name], more=True,
        ),
        Toggle(name="overlap", label="Load the next tile while this one computes", more=True, idle=_one_tile),
        Clock(name="cycle", label="Cycle", default=8, options=_cycles, plays=1.0),
    )  # fmt: skip
    strip = Strip("cycle", {"rows_of_a": (1, 4, 16), "weights": ((4, 4), (5, 4), (8, 8)), "overlap": ALL})

    def frame(self, values: dict[str, Any]) -> Frame:
        sizes, cycle = _sizes(values), values["cycle"]
        states = _run(**sizes, overlap=values["overlap"])
        cells = sizes["rows"] * sizes["cols"]
        useful = np.cumsum([np.count_nonzero(state.busy) for state in states])
        rows = tuple(
            (name, now, int(useful[now]), cells * now, 100 * states[now].utilization)
            for name, now in (("so far", cycle), ("whole run", len(states) - 1))
        )
        k, n = values["weights"]
        caption = f"[{sizes['m']} × {k}] times [{k} × {n}] on {sizes['rows']} × {sizes['cols']} cells"
        columns = (
            Column("how far"), Column("cycles"), Column("useful multiply-accumulates"), Column("cell cycles"),
            Column("utilization", "%", "{:.1f}".format),
        )  # fmt: skip
        picture = draw.systolic_run(states, cycle)
        handle = Handle("cycle", tuple((number, None) for number in range(len(states))))
        say = self._say(values, states, rows)
        return Frame(picture, Table(caption, columns, rows, marked=0), say, handles=(handle,))

    def _say(self, values, states, rows):
        sizes = _sizes(values)
        busy, cells = np.count_nonzero(states[values["cycle"]].busy), states[0].busy.size
        _, cycles, useful, _, percent = rows[1]
        tiles = model.tiles(**sizes)
        limit = 100 * model.padded_utilization(**sizes)
        stream = "A" if sizes["dataflow"] == "weight_stationary" else "the inner size"
        parts = [
            f"In cycle {values['cycle']} of {cycles}, {busy} of {cells} cells do useful work.",
            f"The whole run does {useful} useful multiply-accumulates in {cycles} cycles of {cells} cells: {percent:.0f} %.",
            f"It takes {tiles} tile{'' if tiles == 1 else 's'}; however long {stream} gets,",
            f"padding keeps the share at or below {limit:.0f} %." if limit < 100 else "it can only approach 100 %.",
        ]
        return " ".join(parts)
