"""Late policy of a lab: set it, describe it, remove it."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from ..gradebook.course import open_course
from ..gradebook.late_policy import LatePolicy, lab_dates_file, load_lab_dates, save_lab_dates
from ..lab import load


def change_policy(root: str | Path, lab: str, **changes: Any) -> LatePolicy:
    """Change the policy of a lab; what is not named stays.

    Parameters
    ----------
    root : path
        The course folder.
    lab : str
        Name of the lab.
    **changes : float
        New values of ``per_day``, ``grace_seconds`` and ``late_days``.

    Raises
    ------
    ValueError
        If the lab is unknown, or there would be fewer than 0 late days.
    """
    load(root, lab)
    if changes.get("late_days", 0) < 0:
        raise ValueError(f"the number of late days is 0 or more, not {changes['late_days']:g}")
    course = open_course(root)
    settings = load_lab_dates(course.root, lab)
    policy = replace(settings.policy or LatePolicy(timezone=settings.timezone or "UTC"), **changes)
    save_lab_dates(course.root, lab, replace(settings, policy=policy))
    return policy


def remove_policy(root: str | Path, lab: str) -> None:
    """Remove the policy of a lab."""
    load(root, lab)
    course = open_course(root)
    save_lab_dates(course.root, lab, replace(load_lab_dates(course.root, lab), policy=None, first_due=None))


def policy_sentence(root: str | Path, lab: str) -> str:
    """Say what late work costs in a lab, and where that is stored."""
    load(root, lab)
    course = open_course(root)
    if policy := load_lab_dates(course.root, lab).policy:
        file = lab_dates_file(course.root, lab).relative_to(course.root)
        return f"{lab}: {policy.sentence()}. Stored in {file}; `autograder late {lab} --remove` removes it."
    plugin = course.app.config.get("AssignLatePenalties", {}).get("plugin_class")
    method = course.app.config.get("LateSubmissionPlugin", {}).get("penalty_method", "none")
    name = getattr(plugin, "__name__", plugin) or f"penalty_method {str(method)!r} of LateSubmissionPlugin"
    return f"{lab}: no policy is set with `autograder late`, so nbgrader_config.py decides: {name}."
