"""A ring collective: ranks with the messages of this step, and the chunks that each rank holds."""

from html import escape
from math import cos, hypot, pi, sin

from ...collectives import Simulator
from ...units import show
from .. import typeface
from ..palette import COMMUNICATION, FAINT, INK, MUTED, PAPER, SHADE
from ..svg import text

_MOST = 16
_NODE = 17  # radius of a rank
_CELL_WIDTH, _CELL_HEIGHT = 34, 28
_LEGEND = "number: ranks combined in the chunk · bold: complete · frame: arrived in this step"
_TOP, _BOTTOM = 64, 34  # room for the headline and for the legend
_SPELLED = {"van_de_geijn": "van de Geijn", "halving_doubling": "halving-doubling", "bruck": "Bruck"}


def ring(simulator: Simulator) -> str:
    """Draw a simulator after the last step it took, as an SVG.

    Left the ranks on a ring with an arrow for each message of that step (on a ring its
    chunk stands beside it). Right a table: for each rank and chunk, how many ranks' data
    it combines; bold where complete, framed where the step put it.

    Parameters
    ----------
    simulator : Simulator
        Such as `RingAllReduce`; any other algorithm is drawn the same way. Up to 16
        ranks and 16 chunks.

    Returns
    -------
    str
        An ``<svg>`` element with a title that states the finding and a description.

    Raises
    ------
    ValueError, TypeError
        For something else than a simulator, or one that is too large to read.

    Notes
    -----
    Shows the last step only; `Simulator.history` has them all.

    Examples
    --------
    >>> from chip2cluster.collectives import RingAllReduce
    >>> picture = ring(RingAllReduce([[1, 2], [3, 4]]))
    >>> picture.startswith("<svg"), "before the first of 2 steps" in picture
    (True, True)
    """
    if not isinstance(simulator, Simulator):
        raise TypeError(f"simulator must be a Simulator such as RingAllReduce, got {simulator!r}")
    contributions = simulator.contributions
    ranks, chunks = contributions.shape
    if ranks > _MOST or chunks > _MOST:
        raise ValueError(
            f"a picture shows up to {_MOST} ranks and {_MOST} chunks, got {ranks} ranks and {chunks} chunks"
        )
    step = simulator.history[-1] if simulator.history else None
    messages = step.messages if step else []
    radius = max(78, ranks * 13)
    side = 2 * (radius + 44)
    table_left = side + 66
    table_height = 26 + ranks * _CELL_HEIGHT
    middle = _TOP + max(side, table_height) / 2
    height = round(2 * middle - _TOP + _BOTTOM)
    title, description = _words(simulator, step, messages, contributions)
    headline, _, finding = title.partition(": ")
    lines = (headline, 16), (finding, 14), (_LEGEND, 12)
    longest = max(0.6 * size * len(line) for line, size in lines)  # 0.6 em: wider than any real line
    width = round(max(table_left + chunks * _CELL_WIDTH, 20 + longest) + 20)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" {typeface.LOOK} font-size="13">',
        f"<title>{escape(title)}</title>",
        f"<desc>{escape(description)}</desc>",
        f'<rect width="{width}" height="{height}" fill="{PAPER}"/>',
        text(20, 28, headline, anchor="start", size=16, weight="bold"),
        text(20, 50, finding, anchor="start", size=14),
    ]
    parts += _circle(ranks, radius, side / 2, middle, messages)
    parts += _table(simulator, contributions, step, table_left, middle - table_height / 2)
    parts.append(text(20, height - 14, _LEGEND, anchor="start", size=12, color=MUTED))
    return typeface.alone("".join(parts) + "</svg>")


def _words(simulator, step, messages, contributions):
    algorithm = _SPELLED.get(simulator.algorithm, simulator.algorithm.replace("_", " "))
    name = f"{algorithm} {simulator.collective.replace('_', '-')}"
    headline = f"{name[0].upper()}{name[1:]}, {_counted(simulator.ranks, 'rank')}"
    done = int((contributions >= simulator.complete).sum())
    chunks = _counted(contributions.size, "chunk")
    finding = f"{done} of {chunks} {'complete' if simulator.operation else 'in place'}"
    if step is None:
        total = simulator.total_steps
        when = f"before the first of {_counted(total, 'step')}" if total else "nothing to do"
        return f"{headline}, {when}: {finding}", f"No message has been sent. {_holdings(simulator, contributions)}"
    headline += f", step {step.index + 1} of {simulator.total_steps} ({step.phase})"
    finding += f", {show(step.total_bytes, 'B')} sent in this step, {show(int(simulator.sent.sum()), 'B')} so far"
    listed = "; ".join(
        f"rank {m.source} to rank {m.destination}: {_chunk_names(simulator, m.chunks)}"
        + (", combined" if m.combined else "")
        for m in messages
    )
    return f"{headline}: {finding}", f"Messages: {listed}. {_holdings(simulator, contributions)}"


def _counted(number, noun):
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _holdings(simulator, contributions):
    complete = (contributions >= simulator.complete).sum(axis=1)
    held = ", ".join(f"rank {rank} {count}" for rank, count in enumerate(complete))
    return f"Complete chunks: {held}."


def _chunk_names(simulator, chunks):
    if len(chunks) > 1:
        return f"{len(chunks)} chunks from {_column(simulator, min(chunks))} to {_column(simulator, max(chunks))}"
    return f"chunk {_column(simulator, chunks[0])}"


def _column(simulator, chunk):
    """Heading of a chunk's column; where places, not parts, are numbered it says so."""
    if simulator.algorithm == "pairwise" and simulator.collective == "all_to_all":
        return f"to {chunk}" if chunk < simulator.ranks else f"of {chunk - simulator.ranks}"
    if simulator.collective == "send_recv":
        return ("out", "in")[chunk]
    if simulator.algorithm == "bruck" and simulator.collective == "all_to_all":
        return f"+{chunk}"
    return str(chunk)


def _circle(ranks, radius, x, y, messages):
    def place(rank):
        angle = 2 * pi * rank / ranks - pi / 2
        return x + radius * cos(angle), y + radius * sin(angle)

    parts = []
    for message in messages:
        on_ring = message.destination == (message.source + 1) % ranks
        label = str(message.chunks[0]) if on_ring and len(message.chunks) == 1 else ""
        parts += _arrow(place(message.source), place(message.destination), label)
    for rank in range(ranks):
        at_x, at_y = place(rank)
        parts.append(
            f'<circle cx="{at_x:.1f}" cy="{at_y:.1f}" r="{_NODE}" fill="{PAPER}" stroke="{INK}" stroke-width="1.5"/>'
        )
        parts.append(text(at_x, at_y + 5, str(rank), size=14, weight="bold"))
    return parts


def _arrow(start, end, label):
    """A slightly bent arrow between two ranks, so that the way back does not cover it."""
    (x0, y0), (x1, y1) = start, end
    length = hypot(x1 - x0, y1 - y0)
    along_x, along_y = (x1 - x0) / length, (y1 - y0) / length
    out_x, out_y = along_y, -along_x  # left of the direction of travel: outwards when going round
    bend = 0.12 * length
    mid_x, mid_y = (x0 + x1) / 2 + bend * out_x, (y0 + y1) / 2 + bend * out_y
    x0, y0 = _towards((x0, y0), (mid_x, mid_y), _NODE + 2)
    x1, y1 = _towards((x1, y1), (mid_x, mid_y), _NODE + 3)
    back_x, back_y = _towards((x1, y1), (mid_x, mid_y), 9)
    half_x, half_y = -(back_y - y1) / 2, (back_x - x1) / 2
    head = f"{x1:.1f},{y1:.1f} {back_x + half_x:.1f},{back_y + half_y:.1f} {back_x - half_x:.1f},{back_y - half_y:.1f}"
    parts = [
        f'<path d="M{x0:.1f},{y0:.1f} Q{mid_x:.1f},{mid_y:.1f} {back_x:.1f},{back_y:.1f}" '
        f'fill="none" stroke="{COMMUNICATION}" stroke-width="2"/>',
        f'<polygon points="{head}" fill="{COMMUNICATION}"/>',
    ]
    if label:
        parts.append(text(mid_x + 11 * out_x, mid_y + 11 * out_y + 5, label, weight="bold"))
    return parts


def _towards(point, goal, distance):
    length = hypot(goal[0] - point[0], goal[1] - point[1])
    return tuple(p + distance * (g - p) / length for p, g in zip(point, goal, strict=True))


def _table(simulator, contributions, step, left, top):
    ranks, chunks = contributions.shape
    arrived = set()
    if step:
        arrived = {(int(rank), int(chunk)) for rank, chunk in zip(step.destination, step.target, strict=True)}
    parts = [text(left - 12, top + 18, "chunk", anchor="end", size=12, color=MUTED)]
    for chunk in range(chunks):
        heading = _column(simulator, chunk)
        parts.append(text(left + (chunk + 0.5) * _CELL_WIDTH, top + 18, heading, size=12, color=MUTED))
    for rank in range(ranks):
        y = top + 26 + rank * _CELL_HEIGHT
        parts.append(text(left - 12, y + 19, f"rank {rank}", anchor="end"))
        for chunk in range(chunks):
            x, count = left + chunk * _CELL_WIDTH, int(contributions[rank, chunk])
            share = min(count / simulator.complete, 1)
            parts.append(
                f'<rect x="{x + 1}" y="{y + 1}" width="{_CELL_WIDTH - 2}" height="{_CELL_HEIGHT - 2}" '
                f'fill="{SHADE}" fill-opacity="{share:.3g}" stroke="{FAINT}"/>'
            )
            weight = "bold" if count >= simulator.complete else "normal"
            parts.append(text(x + _CELL_WIDTH / 2, y + 19, str(count) if count else "–", weight=weight))
            if (rank, chunk) in arrived:
                parts.append(
                    f'<rect x="{x + 2.5}" y="{y + 2.5}" width="{_CELL_WIDTH - 5}" height="{_CELL_HEIGHT - 5}" '
                    f'fill="none" stroke="{COMMUNICATION}" stroke-width="2.5"/>'
                )
    return parts
