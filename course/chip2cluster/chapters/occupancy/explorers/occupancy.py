"""Explorer of occupancy: a multiprocessor that fills up with blocks."""

from typing import Any

import numpy as np

from chip2cluster import draw
from chip2cluster import occupancy as model
from chip2cluster.draw.pictures.multiprocessor import NAMES, limited_by
from chip2cluster.explore.base import Explorer
from chip2cluster.explore.controls import Choice, Slider
from chip2cluster.explore.frame import Column, Extent, Frame, Table
from chip2cluster.explore.static_states import ALL, Strip

CHIPS = {
    "7.0": "V100",
    "7.5": "T4",
    "8.0": "A100",
    "8.6": "RTX 3090, A40",
    "8.7": "Jetson Orin",
    "8.9": "RTX 4090, L40S",
    "9.0": "H100, H200",
    "10.0": "B200",
    "10.3": "B300",
    "11.0": "Jetson Thor",
    "12.0": "RTX 5090",
    "12.1": "DGX Spark",
}
REGISTERS = (*range(16, 249, 8), 255)
# KiB; among them halves, thirds and quarters of an SM, and what is left of them after the system's KiB.
SHARED = (0, 1, 2, 4, 8, 12, 16, 20, 24, 28, 32, 40, 48, 56, 57, 64, 72, 75, 80, 96, 99, 113, 114, 128, 163, 192, 227)


def _chip(name):
    return f"{name}: {CHIPS[name]}"


def _shared(name):
    """Only what one block of this chip may ask for."""
    most = model.limits(name).shared_memory_per_block_opt_in // 1024
    return tuple(size for size in SHARED if size <= most)


class Occupancy(Explorer):
    """Fill one NVIDIA multiprocessor with blocks and see what stops the next one.

    Parameters
    ----------
    threads : int
        Threads a block, a multiple of 32 up to 1,024.
    registers : int
        Registers a thread: a multiple of 8 from 16 to 248, or 255.
    shared : int
        Shared memory a block, KiB; one of the values that the control offers.
    **values
        Start value of the other control, ``capability``: a compute capability
        such as ``"9.0"``.

    Raises
    ------
    ValueError
        For an unknown control, or a value that it does not offer.

    Examples
    --------
    >>> from chip2cluster import explore
    >>> explore.occupancy(threads=512).sentence[:49]
    '1 block lives on the multiprocessor: 16 of 64 war'
    """

    title = "Occupancy explorer"
    extent = Extent(letters=200)
    positional = ("threads", "registers", "shared")
    controls = (
        Slider(name="threads", label="Threads a block", default=256, options=tuple(range(32, 1025, 32))),
        Slider(name="registers", label="Registers a thread", default=72, options=REGISTERS),
        Choice(name="capability", label="Compute capability", default="9.0", options=tuple(CHIPS), text=_chip, more=True),
        Slider(
            name="shared", label="Shared memory a block", default=0, unit="KiB",
            options=lambda values: _shared(values["capability"]),
        ),
    )  # fmt: skip
    strip = Strip("threads", {"registers": ALL, "shared": (0, 57)})

    def frame(self, values: dict[str, Any]) -> Frame:
        name, kernel = values["capability"], (values["threads"], values["registers"], 1024 * values["shared"])
        result = model.occupancy(name, *kernel, barriers=0)
        subject = (
            f"{_chip(name)} · {values['threads']:,} threads a block, {values['registers']} registers a thread, "
            f"{values['shared']} KiB shared"
        )
        rows, stops = self._rows(model.limits(name), result, kernel)
        columns = (
            Column("resource"),
            Column("a block takes", "", "{:,.6g}".format),
            Column("the SM has", "", "{:,}".format),
            Column("so it holds", "blocks", lambda number: number if isinstance(number, str) else f"{number:,}"),
            Column("the limit"),
        )
        picture = draw.multiprocessor(name, *kernel)
        return Frame(
            picture, Table(subject, columns, rows, stops, tuple(NAMES.values())), self._say(name, result, kernel)
        )

    def _rows(self, chip, result, kernel):
        warps = -(-kernel[0] // chip.warp_size)
        taken = {
            "blocks": (1, chip.max_blocks_per_sm, ""),
            "warps": (warps, chip.max_warps_per_sm, ""),
            "registers": (result.registers_per_block, chip.registers_per_sm, ""),
            "shared_memory": (result.shared_memory_per_block / 1024, chip.shared_memory_per_sm // 1024, " (KiB)"),
        }
        rows = [
            (NAMES[factor] + unit, takes, has, self._holds(result, factor), "yes" * (factor in result.limiters))
            for factor, (takes, has, unit) in taken.items()
        ]
        return tuple(rows), next(place for place, row in enumerate(rows) if row[-1])

    def _holds(self, result, factor):
        limit = getattr(result.block_limits, factor)
        return "any number" if limit == model.UNLIMITED else limit

    def _say(self, name, result, kernel):
        blocks, warps = result.active_blocks, kernel[0] // 32
        if not blocks:
            return f"A block of {kernel[0]:,} threads does not fit at all: limited by {limited_by(result)}. The launch fails."
        sentences = [
            f"{blocks} block{'s live' if blocks > 1 else ' lives'} on the multiprocessor: {result.active_warps} of "
            f"{result.max_warps} warps, occupancy {100 * result.occupancy:.1f} %, limited by {limited_by(result)}."
        ]
        best = model.max_potential_block_size(name, kernel[1], kernel[2], barriers=0)
        if result.active_warps == result.max_warps:
            return f"{sentences[0]} More warps cannot live here."
        if result.limiters == {"registers"}:
            fewer = np.arange(1, kernel[1])
            more = model.occupancy(name, kernel[0], fewer, kernel[2], barriers=0).active_blocks > blocks
            if more.any():
                size = f"{warps} warp{'s' if warps > 1 else ''}"
                sentences.append(
                    f"One more block of {size} would fit from {fewer[more].max()} registers a thread down."
                )
        if best.active_blocks * best.threads_per_block // 32 == result.active_warps:  # told to who has found it
            same = f" at {kernel[2] // 1024} KiB of shared memory a block" if kernel[2] else ""
            sentences.append(f"No other block size holds more warps{same}.")
        return " ".join(sentences)
