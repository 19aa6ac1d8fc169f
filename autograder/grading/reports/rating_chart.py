"""Chart of a class's rated answers, without names: how close each comes to the best possible one, as a small SVG picture."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

from markupsafe import Markup

from chip2cluster.draw import svg
from chip2cluster.exercise.scored_answers import Board

from ..lab import Lab

WIDTH, HEIGHT, LEFT, RIGHT, FOOT, TOP = 640, 320, 56, 16, 52, 34
STEPS = (0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100)  # between two ticks
MOST_TICKS = 8
NEAR = 1.02  # largest value that looks as if it were on the line
FAR = 1000.0  # larger values are drawn at the edge


@dataclass(frozen=True)
class BoardView:
    """Board of one exercise: title, explanation, number of answers, and picture."""

    title: str
    explanation: str
    count: str
    picture: Markup


def board_views(rows: Iterable[Mapping[str, Any]], lab: Lab) -> list[BoardView]:
    """Return the boards of a lab's exercises.

    Parameters
    ----------
    rows : iterable of dict
        Rows with the exercise ``id`` and the ``place`` of a student's answer, if it has one.
    lab : Lab
    """
    places: dict[str, list[tuple[float, float]]] = {}
    for row in rows:
        if row.get("place"):
            across, up = row["place"]
            places.setdefault(row["id"], []).append((float(across), float(up)))
    found = []
    for task in lab.tasks:
        if task.definition and task.definition.board and (spots := places.get(task.exercise)):
            near = sum(up <= NEAR for _, up in spots)
            count = f"{len(spots)} {'answer' if len(spots) == 1 else 'answers'}, {near} of them on the line"
            board = task.definition.board
            found.append(BoardView(board.title, board.says, count, draw_board(spots, board, f"{task.cell}-board")))
    return found


def draw_board(spots: list[tuple[float, float]], board: Board, name: str) -> Markup:
    """Draw a dot for each answer above the line at 1.

    Parameters
    ----------
    spots : list of tuple of float
        Coordinates of the answers, at least 1.
    board : Board
    name : str
        Name of the picture within its page.

    Returns
    -------
    markupsafe.Markup
        An ``<svg>`` element with a title and a description for screen readers.
    """
    # Sorted, so that the order of the dots does not reveal names.
    spots = sorted((min(max(across, 1.0), FAR), min(max(up, 1.0), FAR)) for across, up in spots)
    wide, tall = WIDTH - LEFT - RIGHT, HEIGHT - FOOT - TOP
    (across_step, across_end), (up_step, up_end) = (_axis(max(values)) for values in zip(*spots, strict=True))

    def x(value: float) -> float:
        return LEFT + wide * (value - 1) / (across_end - 1)

    def y(value: float) -> float:
        return HEIGHT - FOOT - tall * (value - 1) / (up_end - 1)

    ticks = [_text(x(value), HEIGHT - FOOT + 18, f"{value:g}") for value in _ticks(across_step, across_end)]
    ticks += [_text(LEFT - 8, y(value) + 4, f"{value:g}", "end") for value in _ticks(up_step, up_end)]
    line = f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(1):.1f}" y2="{y(1):.1f}" stroke="var(--right)" stroke-width="2"/>'
    dots = [
        f'<circle cx="{x(across):.1f}" cy="{y(up):.1f}" r="5" fill="var(--bar)" fill-opacity="0.6" stroke="var(--ink)"/>'
        for across, up in spots
    ]
    names = _text(LEFT + wide / 2, HEIGHT - 8, board.across) + _text(8, 16, board.up, "start")
    description = "; ".join(f"{across:.2f} and {up:.2f}" for across, up in spots)
    return Markup(
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-labelledby="{escape(name)}-title {escape(name)}-description">'
        f'<title id="{escape(name)}-title">{escape(board.title)}</title>'
        f'<desc id="{escape(name)}-description">{escape(f"{board.across}, and {board.up}: {description}")}</desc>'
        f"{line}{''.join(dots)}{''.join(ticks)}{names}</svg>"
    )


def _axis(most: float) -> tuple[float, float]:
    """Return the step between ticks and the end of an axis that begins at 1."""
    step = next((step for step in STEPS if (most - 1) / step <= MOST_TICKS - 1), (most - 1) / MOST_TICKS)
    return step, 1 + step * max(1, math.ceil((most - 1) / step + 0.25))


def _ticks(step: float, end: float) -> list[float]:
    return [1 + step * place for place in range(round((end - 1) / step) + 1)]


def _text(x: float, y: float, content: object, anchor: str = "middle") -> str:
    # The color of the page, which has a dark theme.
    return svg.text(x, y, content, anchor=anchor, size=12, color="var(--ink)")
