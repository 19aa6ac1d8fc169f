"""Explorer of waves: a grid of blocks as a staircase, and what its last wave costs."""

from typing import Any

import numpy as np

from chip2cluster import draw, specs
from chip2cluster import occupancy as model
from chip2cluster.draw.pictures.wave_quantization import ABOVE, BELOW, MOST, YOURS
from chip2cluster.explore.base import Explorer
from chip2cluster.explore.controls import Choice, Slider
from chip2cluster.explore.frame import Column, Extent, Frame, Table
from chip2cluster.explore.handle import Handle
from chip2cluster.explore.static_states import ALL, Strip

CHIPS = ("V100 SXM2", "A100 SXM 80GB", "H100 SXM", "B200", "RTX 4090", "MI300X")
EACH = (1, 2, 4)


def _units(chip):
    return specs.accelerator(chip).compute_units


def _grids(values):
    """Even steps, and each multiple of this chip's multiprocessors with its neighbours."""
    full = range(units := _units(values["chip"]), MOST, units)
    return tuple(sorted({*range(24, MOST + 1, 24), *full, *(end + 1 for end in full), *(end - 1 for end in full)}))


class Grids(Slider):
    """The blocks of a grid; a number beside a full wave of one chip becomes the one beside a full wave of the next."""

    def settle(self, value, values):
        choices = self.choices(values)
        if value in choices:
            return value
        here = _units(values["chip"])
        for units in map(_units, CHIPS):
            waves, beside = divmod(value + 1, units)  # the remainder is 0, 1, 2 for one block fewer, none, one more
            if waves and beside <= 2:
                return min(waves, (MOST - 1) // here) * here + beside - 1
        return min(choices, key=lambda choice: abs(choice - value))


class Waves(Explorer):
    """Grow a grid block by block and see it run in waves, the last of them rarely full.

    Parameters
    ----------
    blocks : int
        Blocks of the grid: multiples of 24 up to 1,200, and multiples of the multiprocessors with their neighbours.
    chip : str
        Such as ``"H100 SXM"``.
    each : int
        Blocks that one multiprocessor or compute unit holds: 1, 2 or 4.

    Raises
    ------
    ValueError
        For an unknown control, or a value that it does not offer.

    Examples
    --------
    >>> from chip2cluster import explore
    >>> explore.waves(133).sentence[:57]
    '133 blocks in 132 slots take 2 waves, and the last holds '
    """

    title = "Waves of blocks"
    extent = Extent(letters=200, rows=3)
    positional = ("blocks", "chip", "each")
    controls = (
        Choice(name="chip", label="Chip", default="H100 SXM", options=CHIPS),
        Choice(name="each", label="Blocks on each SM or CU", default=1, options=EACH),
        Grids(name="blocks", label="Blocks of the grid", default=132, options=_grids),
    )
    strip = Strip("blocks", {"chip": ("A100 SXM 80GB", "H100 SXM", "B200"), "each": ALL})

    def frame(self, values: dict[str, Any]) -> Frame:
        chip, each, blocks = values["chip"], values["each"], values["blocks"]
        units = _units(chip)
        slots = units * each
        full = blocks // slots * slots
        grids = {YOURS: blocks, BELOW: full, ABOVE: full + slots}
        rows = tuple(_row(name, grid, units, each) for name, grid in grids.items() if grid)
        columns = (
            Column("grid"),
            Column("blocks", "", "{:,}".format),
            Column("waves"),
            Column("in the last wave", "blocks", "{:,}".format),
            Column("slots at work", "%", "{:.1f}".format),
        )
        kind = "compute units" if specs.accelerator(chip).vendor == "AMD" else "multiprocessors"
        subject = f"{chip}, {each} block{'s' * (each > 1)} on each, a grid of {blocks:,}"
        picture = draw.wave_quantization(blocks, units, each, subtitle=f"{units} {kind}")
        grids = self._choices("blocks", values)
        shares = model.wave_efficiency(np.array(grids), units, each)
        handle = Handle("blocks", tuple(zip(grids, np.asarray(100 * shares).tolist(), strict=True)))
        return Frame(picture, Table(subject, columns, rows, marked=0), _say(rows, slots), handles=(handle,))


def _row(name, blocks, units, each):
    rounds = model.waves(blocks, units, each)
    last = blocks - (rounds - 1) * units * each
    return name, blocks, rounds, last, 100 * model.wave_efficiency(blocks, units, each)


def _say(rows, slots):
    _, blocks, rounds, last, percent = rows[0]
    plural = "" if rounds == 1 else "s"
    first = f"{blocks:,} blocks in {slots:,} slots take {rounds} wave{plural}, and the last holds {last:,} of {slots:,}"
    if last == slots:
        return f"{first}: all slots work all the time. One block more would start another wave."
    return (
        f"{first}: {percent:.1f} % of the slots are at work on average. {slots - last} more block"
        f"{'s' * (slots - last > 1)} would take no longer."
    )
