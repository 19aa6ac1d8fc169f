"""A systolic array in one cycle: values in each cell, values that move or wait, finished results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...units import with_minus
from .. import typeface
from ..palette import FAINT, GREY, HAIRLINE, INK, KINDS, MUTED, PAPER, WORK
from ..svg import text

if TYPE_CHECKING:
    from ...systolic import ArrayState, OutputStationary, WeightStationary

AT_WORK = f'stroke="{WORK}" stroke-width="3" fill="{HAIRLINE}"'
CELL_WIDTH, CELL_HEIGHT, GAP = 116, 72, 14
LARGEST = 8  # cells a side, and sides of the product, that stay readable
QUEUE_STEP = 50
TOP_STEP = 24

# What the moving and the held values are, for the legend.
WORDS = {
    "weight_stationary": ("weight in use", "partial sum, moves down", "next weight, coming or waiting"),
    "output_stationary": ("running sum", "value of B, moves down", "finished sum, shifting out"),
}


def systolic(state: ArrayState | WeightStationary | OutputStationary) -> str:
    """Draw a systolic array after a cycle.

    Parameters
    ----------
    state : ArrayState, WeightStationary or OutputStationary
        State of `chip2cluster.systolic`, or a simulator, whose current state is drawn.

    Returns
    -------
    str
        An SVG picture with title and description. Values of A wait at the left edge
        and flow right (blue), partial sums or values of B flow down (orange). A
        framed, tinted cell did a useful multiply-accumulate in this cycle.

    Raises
    ------
    ValueError
        For an array of more than 8 x 8 cells.
    TypeError
        For anything but a state or a simulator.

    Examples
    --------
    >>> from chip2cluster.systolic import WeightStationary
    >>> array = WeightStationary([[1, 2], [3, 4]], [[5, 6], [7, 8]], rows=2, cols=2)
    >>> picture = systolic(array.step())
    >>> picture[:4], picture.count("<title>")
    ('<svg', 1)
    """
    now: Any = getattr(state, "state", state)
    if not hasattr(now, "left_queue"):
        raise TypeError(f"state must be a systolic ArrayState or a simulator, got {now!r}")
    rows, cols = now.busy.shape
    if max(rows, cols) > LARGEST:
        raise ValueError(f"a picture shows at most {LARGEST} x {LARGEST} cells, got {rows} x {cols}")

    waiting = min(max(rows, cols) + 1, now.left_queue.shape[1], 6)
    left, top = 24 + waiting * QUEUE_STEP, 56 + waiting * TOP_STEP
    right = left + cols * (CELL_WIDTH + GAP)
    bottom = top + rows * (CELL_HEIGHT + GAP)
    show_product = max(now.product.shape) <= LARGEST
    product_rows = now.product.shape[0] if show_product else 0
    height = max(bottom + 30, top + 12 + 26 * product_rows) + 62
    width = max(right + 20 + max(now.product.shape[1] * 52 if show_product else 0, 190), 720)

    parts = [text(20, 26, _headline(now), size=15, weight="bold", anchor="start")]
    parts += _queues(now, waiting, left, top)
    for i in range(rows):
        for j in range(cols):
            parts += _cell(now, i, j, left + j * (CELL_WIDTH + GAP), top + i * (CELL_HEIGHT + GAP))
    for j in np.flatnonzero(~np.ma.getmaskarray(now.leaving)).tolist():
        x = left + j * (CELL_WIDTH + GAP) + CELL_WIDTH / 2
        parts.append(_pill(x, bottom + 10, "↓ " + _number(now.leaving[j]), KINDS[1], bold=True))
    parts += _product(now.product, right + 20, top, show_product)
    parts += _legend(now.dataflow, 20, height - 40)
    return typeface.alone(
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" {typeface.LOOK} fill="{INK}">'
        f"<title>{_headline(now)}</title><desc>{_description(now)}</desc>"
        f'<rect width="{width}" height="{height}" fill="{PAPER}"/>{"".join(parts)}</svg>'
    )


def _headline(state):
    name = state.dataflow.replace("_", "-").capitalize()
    busy, cells = np.count_nonzero(state.busy), state.busy.size
    used = f"{100 * state.utilization:.0f} %"
    return f"{name}, cycle {state.cycle}: {busy} of {cells} cells at work; utilization so far {used}"


def _description(state):
    held, down, _ = (word.split(",")[0] for word in WORDS[state.dataflow])
    rows, cols = state.busy.shape
    sentences = [f"A grid of {rows} rows and {cols} columns of cells."]
    for i, j in np.argwhere(state.busy):
        sentences.append(
            f"Row {i + 1}, column {j + 1}: {held} {_number(state.stationary[i, j])}, "
            f"value of A {_number(state.right[i, j])}, {down} {_number(state.down[i, j])}."
        )
    out = state.leaving.compressed()
    sentences.append(f"Leaving at the bottom: {', '.join(map(_number, out)) if out.size else 'nothing'}.")
    sentences.append(f"Complete: {state.product.count()} of {state.product.size} elements of the product.")
    return " ".join(sentences)


def _cell(state, i, j, x, y):
    frame = AT_WORK if state.busy[i, j] else f'stroke="{GREY}" fill="{PAPER}"'
    parts = [f'<rect x="{x}" y="{y}" width="{CELL_WIDTH}" height="{CELL_HEIGHT}" rx="6" {frame}/>']
    shown = {name: getattr(state, name)[i, j] for name in ("stationary", "shadow", "right", "down")}
    shown = {name: None if value is np.ma.masked else _number(value) for name, value in shown.items()}
    if shown["shadow"] is not None:
        parts.append(text(x + CELL_WIDTH - 5, y + 17, f"({shown['shadow']})", size=11, anchor="end", color=MUTED))
    if shown["stationary"] is not None:
        parts.append(text(x + CELL_WIDTH / 2, y + 43, shown["stationary"], size=17, weight="bold"))
    if shown["right"] is not None:
        parts.append(_pill(x + 5, y + 13, "→ " + shown["right"], KINDS[0], from_left=True))
    if shown["down"] is not None:
        parts.append(_pill(x + CELL_WIDTH / 2, y + CELL_HEIGHT - 13, "↓ " + shown["down"], KINDS[1]))
    return parts


def _queues(state, waiting, left, top):
    parts = []
    rows, cols = state.busy.shape
    down_color = GREY if state.dataflow == "weight_stationary" else KINDS[1]
    for i in range(rows):
        y = top + i * (CELL_HEIGHT + GAP) + 13
        parts += [
            _waiting(left - 30 - step * QUEUE_STEP, y, state.left_queue[i, step], KINDS[0]) for step in range(waiting)
        ]
    for j in range(cols):
        x = left + j * (CELL_WIDTH + GAP) + CELL_WIDTH / 2
        parts += [
            _waiting(x, top - 18 - step * TOP_STEP, state.top_queue[step, j], down_color) for step in range(waiting)
        ]
    return parts


def _waiting(x, y, value, color):
    if value is np.ma.masked:
        return f'<circle cx="{x}" cy="{y}" r="1.5" fill="{FAINT}"/>'
    return _pill(x, y, _number(value), color)


def _product(product, x, y, show):
    parts = [text(x, y + 4, f"A B: {product.count()} of {product.size} complete", size=13, anchor="start")]
    if not show:
        return parts
    for (i, j), value in np.ndenumerate(product.filled(0)):
        missing = np.ma.getmaskarray(product)[i, j]
        shown = "·" if missing else _number(value)
        parts.append(text(x + 24 + 52 * j, y + 30 + 26 * i, shown, size=13, color=MUTED if missing else INK))
    return parts


def _legend(dataflow, x, y):
    held, down, shadow = WORDS[dataflow]
    return [
        _pill(x + 19, y, "→ 1", KINDS[0]),
        text(x + 46, y + 4, "value of A, moves right", size=12, anchor="start"),
        _pill(x + 219, y, "↓ 1", KINDS[1]),
        text(x + 246, y + 4, down, size=12, anchor="start"),
        f'<rect x="{x + 416}" y="{y - 8}" width="24" height="16" rx="3" {AT_WORK}/>',
        text(x + 448, y + 4, "at work", size=12, anchor="start"),
        text(x + 19, y + 29, "1", size=17, weight="bold"),
        text(x + 46, y + 28, held, size=12, anchor="start"),
        text(x + 219, y + 28, "(1)", size=12, color=MUTED),
        text(x + 246, y + 28, shadow, size=12, anchor="start"),
    ]


def _pill(x, y, content, color, bold=False, from_left=False):
    """A rounded label, centred at x or starting there."""
    width = 8 + 7.4 * len(content)
    centre = x + width / 2 if from_left else x
    return (
        f'<rect x="{centre - width / 2:g}" y="{y - 9}" width="{width:g}" height="18" rx="9" '
        f'fill="{PAPER}" stroke="{color}" stroke-width="1.5"/>'
        + text(centre, y + 4, content, size=12, weight="bold" if bold else "normal")
    )


def _number(value):
    """The value in five characters where that can be done."""
    exact = f"{value:d}" if isinstance(value, (int, np.integer)) else f"{value:.3g}"
    for spelled in (exact, f"{value:.2g}", f"{value:.0e}"):
        spelled = spelled.replace("e+0", "e").replace("e+", "e").replace("e-0", "e-")
        if len(spelled) <= 5:
            break
    return with_minus(spelled)
