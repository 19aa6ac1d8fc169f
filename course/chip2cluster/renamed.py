"""Former ids of exercises and predictions, which count under their current ids.

Progress records, distributed notebooks, stored results and guesses in a browser may use a former id. For each rename
add a line ``"old": "new"`` here; never remove one.
"""

EXERCISES: dict[str, str] = {}
PREDICTIONS: dict[str, str] = {}
# Removed exercises; their entries in records are kept.
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
    """Return the current id for a current or former id.

    >>> current("a", {"a": "b", "b": "c"}), current("x", {"a": "b"})
    ('c', 'x')
    """
    while name in renamed:
        name = renamed[name]
    return name


def original(name: str, renamed: dict[str, str]) -> str:
    """Return the original id, so that random draws from an id survive a rename.

    >>> original("c", {"a": "b", "b": "c"}), original("x", {"a": "b"}), original("c", {"a": "c", "b": "c"})
    ('a', 'x', 'a')
    """
    before = {new: old for old, new in reversed(renamed.items())}  # of two ids merged into one, the first
    while name in before:
        name = before[name]
    return name
