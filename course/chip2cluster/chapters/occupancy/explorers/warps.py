"""Explorer of a warp scheduler: other warps work while one waits."""

from typing import Any

from chip2cluster import draw
from chip2cluster import occupancy as model
from chip2cluster.explore.base import Explorer
from chip2cluster.explore.controls import Slider
from chip2cluster.explore.frame import Column, Extent, Frame, Table
from chip2cluster.explore.static_states import ALL, Strip

CYCLES = 96


class Warps(Explorer):
    """Watch one scheduler hide the latency of its warps' loads, cycle by cycle.

    A quarter of a multiprocessor: it issues one instruction a cycle, from a warp that need
    not wait.

    Parameters
    ----------
    warps : int
        Warps of this scheduler, 1 to 16.
    latency : int
        Cycles from a load to its data: 4, 8, 16, 24, 32 or 48.
    loads : int
        Independent loads that a warp starts before it waits: 1, 2 or 4.
    **values
        Start value of the other control, ``compute``: instructions for each load, 0, 1, 3 or 7.

    Raises
    ------
    ValueError
        For an unknown control, or a value that it does not offer.

    Examples
    --------
    >>> from chip2cluster import explore
    >>> explore.warps(8).table[0]["issues (% of cycles)"].__round__()
    91
    """

    title = "Warp scheduler"
    extent = Extent(letters=160, rows=3)
    positional = ("warps", "latency", "loads")
    controls = (
        Slider(name="warps", label="Warps", default=2, options=tuple(range(1, 17))),
        Slider(name="latency", label="Latency", default=32, unit="cycles", options=(4, 8, 16, 24, 32, 48)),
        Slider(name="loads", label="Loads in flight", default=1, options=(1, 2, 4)),
        Slider(name="compute", label="Instructions for each load", default=3, options=(0, 1, 3, 7), more=True),
    )
    strip = Strip("warps", {"latency": (4, 16, 32), "loads": ALL, "compute": (0, 3)})

    def frame(self, values: dict[str, Any]) -> Frame:
        warps, kernel = values["warps"], (values["latency"], values["loads"], values["compute"])
        run = model.warp_timeline(warps, *kernel, cycles=CYCLES)
        enough = _enough(*kernel)
        counts = {"yours": warps, "one alone": 1}
        if warps >= enough:  # who has not found it yet is not told
            counts["just enough"] = enough
        rows = tuple(_row(name, count, *kernel) for name, count in counts.items())
        columns = (
            Column("which"),
            Column("warps"),
            Column("issues", "% of cycles", "{:.1f}".format),
            Column("loads started", "in 100 cycles", "{:.1f}".format),
            Column("total loads in flight", "on average", "{:.1f}".format),
        )
        subject = (
            f"{_counted(warps, 'warp')}, latency {kernel[0]} cycles, {_counted(kernel[1], 'load')} at once, "
            f"{_counted(kernel[2], 'instruction')} for each"
        )
        picture = draw.warp_timeline(run)
        table = Table(subject, columns, rows, marked=0, note="In a long run")
        return Frame(picture, table, _say(rows[0], enough, kernel))


def _enough(latency, loads, compute):
    """The fewest warps that keep the scheduler busy; so many instructions fill the round of one."""
    instructions = loads * (1 + compute)
    return -(-(latency + instructions - 1) // instructions)


def _row(name, warps, latency, loads, compute):
    share = model.issue_utilization(warps, latency, loads, compute)
    started = share / (1 + compute)  # loads a cycle; the number in flight follows by Little's law
    return name, warps, 100 * share, 100 * started, model.bytes_in_flight(latency, started)


def _say(row, enough, kernel):
    _, warps, percent, _, under_way = row
    latency, loads, compute = kernel
    instructions = loads * (1 + compute)
    who = f"{_counted(warps, 'warp')} issue{'s' if warps == 1 else ''}"
    if percent < 100:
        return (
            f"In a long run {who} in {percent:.1f} % of the cycles: a round of one warp takes "
            f"{latency + instructions - 1} cycles and has {_counted(instructions, 'instruction')}. "
            f"On average {under_way:.1f} loads are in flight."
        )
    spare = "no warp is spare" if warps == enough else f"{enough} would be enough, the others queue to be picked"
    return (
        f"In a long run {who} in every cycle: the latency is hidden, and {spare}. On average {under_way:.1f} loads "
        f"are in flight."
    )


def _counted(number, noun):
    return f"{number} {noun}{'' if number == 1 else 's'}"
