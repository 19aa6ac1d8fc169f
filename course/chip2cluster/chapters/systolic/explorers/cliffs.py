"""Explorer of odd sizes: where an array and where a GPU loses to padding."""

from typing import Any

from chip2cluster import draw
from chip2cluster import systolic as model
from chip2cluster.explore.base import Explorer
from chip2cluster.explore.controls import Choice, Slider
from chip2cluster.explore.frame import Column, Extent, Frame, Table
from chip2cluster.explore.handle import Handle
from chip2cluster.explore.static_states import ALL, Strip

ROWS_OF_A, WIDE, SAME = 65536, "4,096", "as many as k"
LARGEST = 640
# Multiples of 8, and what lies just beside the tiles.
SIZES = tuple(
    sorted({*range(8, LARGEST + 1, 8), *(64 * n + d for n in range(1, 11) for d in (-1, 1) if 64 * n + d < LARGEST)})
)
TILES = ((64, 64, 32), (128, 128, 64), (128, 256, 64))


class Cliffs(Explorer):
    """Move the size of a weight matrix over the cliffs of an array and of a GPU.

    A long stream of A meets k × n weights in bf16; only padding is counted, with one tile on the GPU.

    Parameters
    ----------
    rows : int
        Rows of the weights, k: a multiple of 8 up to 640, or one beside a multiple of 64
        (63, 65, 127, 129, 191, 193, ...).
    **values
        Start values of the other controls: ``side``, ``tile`` (such as ``(128, 128, 64)``),
        ``columns``.

    Raises
    ------
    ValueError
        For an unknown control, or a value that it does not offer.

    Examples
    --------
    >>> from chip2cluster import explore
    >>> view = explore.cliffs(136)
    >>> [round(row["useful (%)"], 1) for row in view.table]
    [53.1, 70.8]
    """

    title = "Explorer of odd sizes"
    extent = Extent(letters=320)
    controls = (
        Slider(name="rows", label="Rows of weights k", default=136, options=SIZES),
        Choice(name="side", label="The array's side", options=(128, 256), default=128, text="{0} × {0} cells".format),
        Choice(
            name="tile", label="The GPU's tile", options=TILES, default=(128, 256, 64), parse=tuple,
            text="{0[0]} × {0[1]}, in steps of {0[2]}".format,
        ),
        Choice(name="columns", label="Columns of weights n", options=(WIDE, SAME), default=WIDE, more=True),
    )  # fmt: skip
    strip = Strip("rows", {"side": ALL, "tile": ALL})

    def frame(self, values: dict[str, Any]) -> Frame:
        rows, side, tile = values["rows"], values["side"], values["tile"]
        wide = values["columns"] == WIDE
        columns = (lambda k: 4096) if wide else (lambda k: k)
        array = lambda k: model.padded_utilization(ROWS_OF_A, columns(k), k, side, side)
        gpu = lambda k: model.tile_utilization(ROWS_OF_A, columns(k), k, *tile)
        aligned = model.aligned(rows) and model.aligned(columns(rows))
        table = (
            self._row(f"array of {side} × {side}", rows, columns(rows), side, side, array(rows), ""),
            self._row("GPU", rows, columns(rows), tile[2], tile[1], gpu(rows), "yes" if aligned else "no"),
        )
        heads = (
            Column("chip"), Column("rows", text="{:,}".format), Column("columns", text="{:,}".format),
            Column("it computes rows", text="{:,}".format), Column("and columns", text="{:,}".format),
            Column("useful", "%", "{:.1f}".format), Column("rows aligned"),
        )  # fmt: skip
        subject = f"k = {rows:,}, n = {columns(rows):,}"
        title = (
            f"Useful: {table[0][5]:.0f} % of the array, {'' if aligned else 'at most '}{table[1][5]:.0f} % of the GPU"
        )
        say = self._say(table, rows, aligned)
        picture = draw.utilization_by_size(
            (draw.Steps(table[0][0], array), draw.Steps(f"GPU, tile of {tile[0]} × {tile[1]}, steps of {tile[2]}", gpu, not aligned, table[1][0])),
            rows, LARGEST, axis="Rows of weights, k" + ("" if wide else " = n"), title=title, subtitle="Weights in bf16 under a long stream",
            description=f"{title}. {say}",
        )  # fmt: skip
        sizes = self._choices("rows", values)
        handle = Handle("rows", tuple((size, float(array(size))) for size in sizes))
        return Frame(picture, Table(subject, heads, table), say, handles=(handle,))

    def _row(self, name, rows, columns, down, across, share, aligned):
        padded = model.padded_size(rows, down), model.padded_size(columns, across)
        return name, rows, columns, *padded, 100 * share, aligned

    def _say(self, table, rows, aligned):
        array, gpu = table
        sides = [
            f"{name} computes {down:,} × {across:,} weights, {share:.1f} % of them yours"
            for name, (_, _, _, down, across, share, _) in (("the array", array), ("the GPU", gpu))
        ]
        end = (
            "The rows of the matrices start at multiples of 16 bytes."
            if aligned
            else "Some rows of the matrices don't start at multiples of 16 bytes, so the GPU's library takes another "
            "kernel: several times slower where it was recorded, as explore.alignment() shows."
        )
        return f"For {rows:,} rows {sides[0]}, and {sides[1]}. {end}"
