"""Ids of exercises and predictions that have changed or gone: what bears an old one counts under the new one.

A record of progress, a page that was handed out before, a stored result, the guesses that a browser keeps: each may
use an id that was renamed since. Whoever renames one adds a line here, ``"old": "new"``, and takes none away.
"""

EXERCISES: dict[str, str] = {}
PREDICTIONS: dict[str, str] = {}
# Exercises that the course no longer has. What a record holds about them stays in it.
CUT = frozenset(
    {
        "accelerators.fleet_peak",
        "occupancy.best_block",
        "occupancy.launch",
        "occupancy.my_element",
        "occupancy.warps_needed",
        "occupancy.wave_efficiency",
        "roofline.bound_by",
        "systolic.peak",
    }
)


def current(name: str, renamed: dict[str, str]) -> str:
    """The id of today for an id of any day.

    >>> current("a", {"a": "b", "b": "c"}), current("x", {"a": "b"})
    ('c', 'x')
    """
    while name in renamed:
        name = renamed[name]
    return name


def original(name: str, renamed: dict[str, str]) -> str:
    """The id under which it began: what is drawn from an id stays the same when it is renamed.

    >>> original("c", {"a": "b", "b": "c"}), original("x", {"a": "b"}), original("c", {"a": "c", "b": "c"})
    ('a', 'x', 'a')
    """
    before = {new: old for old, new in reversed(renamed.items())}  # of two that became one, the first named
    while name in before:
        name = before[name]
    return name
