"""An instructor's decisions that a known mistake keeps a share of the points, such as after an appeal.

They are in ``partial_credit.toml`` in the course folder::

    ["lab.roofline.efficiency"]
    "share of the peak" = 0.5

The exercise and what `Mistake.share` proves about its cases stay as they are.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeAlias

from ..checking.verdict import Verdict
from ..exercises import Exercise, exercise
from .check_cells import GradedTask

FILE = "partial_credit.toml"
# Share by the name of the mistake, by exercise id.
Credit: TypeAlias = Mapping[str, Mapping[str, float]]


def load_credit(root: str | Path) -> Credit:
    """Load the decisions of a course; there are none without a file.

    Raises
    ------
    ValueError
        If the file cannot be read, or names an unknown exercise or mistake or a share that cannot be; the message names the
        choices.
    """
    file = Path(root) / FILE
    if not file.is_file():
        return {}
    try:
        tables: dict[str, Any] = tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except ValueError as problem:
        raise ValueError(f"{file} cannot be read: {problem}") from None
    credit: dict[str, dict[str, float]] = {}
    for name, shares in tables.items():
        # Without quotation marks around the id, its parts are nested tables.
        if not isinstance(shares, dict) or any(isinstance(share, dict) for share in shares.values()):
            raise ValueError(
                f'{file}: write ["ID OF THE EXERCISE"] on a line, and "NAME OF THE MISTAKE" = 0.5 below it'
            )
        try:
            definition = exercise(name)
        except LookupError as problem:
            raise ValueError(f"{file}: {problem}") from None
        credit[definition.id] = {mistake: _share(file, definition, mistake, share) for mistake, share in shares.items()}
    return credit


def _share(file: Path, definition: Exercise, mistake: str, share: object) -> float:
    """Return a valid share of a known mistake."""
    known = {one.name: one for one in definition.mistakes}
    if mistake not in known:
        near = get_close_matches(mistake, known, n=1, cutoff=0.4)
        hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(map(repr, known)) or 'none'}"
        raise ValueError(f"{file}: {definition.id} has no known mistake {mistake!r}; {hint}")
    if isinstance(share, bool) or not isinstance(share, int | float) or not known[mistake].share <= share <= 1:
        raise ValueError(
            f"{file}: the share of {mistake!r} in {definition.id} is a number from {known[mistake].share:g}, which it earns "
            f"already, to 1, not {share!r}"
        )
    return float(share)


def with_credit(tasks: Sequence[GradedTask], credit: Credit) -> tuple[GradedTask, ...]:
    """Return the tasks of a lab with the decisions about their exercises."""
    return tuple(
        replace(task, credit=tuple(sorted(credit[task.exercise].items()))) if task.exercise in credit else task
        for task in tasks
    )


def apply_credit(task: GradedTask, verdict: Verdict) -> Verdict:
    """Return the verdict with the points that the instructor gives for its mistake, if those are more."""
    points = round(dict(task.credit).get(verdict.mistake, 0.0) * verdict.max_score, 6)
    if points <= verdict.score:
        return verdict
    message = f"{verdict.message} Your instructor gives {points:g} of {verdict.max_score:g} points for this mistake."
    return replace(verdict, score=points, message=message)
