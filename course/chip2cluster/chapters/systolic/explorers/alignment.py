"""Explorer of recorded products: what one more row or column costs on a real GPU, by the alignment of its rows."""

from typing import Any

from chip2cluster import draw, specs
from chip2cluster import systolic as model
from chip2cluster.explore.base import Explorer
from chip2cluster.explore.controls import Choice, Nearest
from chip2cluster.explore.frame import Column, Extent, Frame, Table
from chip2cluster.explore.handle import Handle
from chip2cluster.explore.static_states import ALL, Strip

SWEEPS = {
    "k": "k, the length of the sums",
    "n": "n, the columns of the weights",
    "m": "m, the rows of the batch",
    "vocabulary": "n, around a vocabulary of 50,257",
    "waves": "n, in steps of 8 up to 8,448",
}
KINDS = {"TMA": "multiples of 8", "cp.async": "other even sizes", "element": "odd sizes"}
BESIDE = (0, 1, 2, 4, 8)
# Sizes beside multiples of 64, and all sizes around the vocabulary; in steps of 8 every fourth one.
SIZES = {
    "near": tuple(sorted({64 * part + more for part in range(1, 18) for more in BESIDE if 64 * part + more <= 1100})),
    "vocabulary": tuple(range(50240, 50313)),
    "waves": tuple(range(64, 8449, 32)),
}


def _sizes(values):
    return SIZES.get(values["sweep"], SIZES["near"])


class Alignment(Explorer):
    """Move one size of a matrix product through rates that were recorded on an H100.

    Products in bf16 with cuBLAS 13; the other two sizes stay.

    Parameters
    ----------
    sweep : str
        Varied size: "k", "n", "m", "vocabulary" or "waves".
    **values
        Start value of the other control: ``size``.

    Raises
    ------
    ValueError
        For an unknown control, or a value that it does not offer.

    Examples
    --------
    >>> from chip2cluster import explore
    >>> view = explore.alignment("vocabulary", size=50257)
    >>> [round(row["measured (TFLOP/s)"]) for row in view.table if row["n"] == 50257]
    [111]
    """

    title = "Explorer of recorded sizes"
    extent = Extent(letters=150, rows=9)
    controls = (
        Choice(name="sweep", label="What varies", options=tuple(SWEEPS), default="k", text=SWEEPS.__getitem__),
        Nearest(name="size", label="Its size", default=1024, options=_sizes),
    )
    strip = Strip("size", {"sweep": ALL})

    def frame(self, values: dict[str, Any]) -> Frame:
        sweep, size = values["sweep"], values["size"]
        letter, steps = model.varied_size(sweep), model.product_steps(sweep)
        at = {getattr(step, letter): step for step in steps}
        chosen = at[size]
        rate = chosen.flops_per_second / 1e12
        copies = [copy for copy in model.COPIES if any(step.copy == copy for step in steps)]
        every = len(copies) == 1
        lines = [
            draw.MeasuredLine(
                ("every size" if sweep == "m" else KINDS[copy]) if every else KINDS[copy],
                [(getattr(step, letter), step.flops_per_second) for step in steps if step.copy == copy],
            )
            for copy in copies
        ]
        chip = specs.accelerator("H100 SXM")
        roofs = chip.peak_flops_dense("bf16"), chip.memory_bandwidth
        grid = [getattr(step, letter) for step in steps[:: max(1, len(steps) // 90)]]
        bound = [(x, model.product_step_bound(sweep, x, *roofs)) for x in (*grid, getattr(steps[-1], letter))]
        table = tuple(
            (x, step.flops_per_second / 1e12, step.copy, step.kernel)
            for x in sorted({*range(size - 2, size + 3), size - size % 8, size + (-size) % 8, size - 8, size + 8})
            if (step := at.get(x))
        )
        heads = (
            Column(letter, text="{:,}".format), Column("measured", "TFLOP/s", "{:,.0f}".format),
            Column("copies by"), Column("kernel", text=_breakable),
        )  # fmt: skip
        fixed = ", ".join(f"{name} = {getattr(chosen, name):,}" for name in "mnk" if name != letter)
        subject = f"bf16 product, {fixed}, cuBLAS 13 on an H100"
        title = f"{letter} = {size:,}: {rate:,.0f} TFLOP/s"
        say = self._say(letter, size, chosen, at)
        picture = draw.alignment(
            lines,
            size,
            bound,
            axis=SWEEPS[sweep],
            title=title,
            subtitle=subject,
            description=f"{title}. {subject}. {say}",
        )
        sizes = self._choices("size", values)
        handle = Handle("size", tuple((one, at[one].flops_per_second) for one in sizes))
        return Frame(picture, Table("", heads, table), say, handles=(handle,))

    def _say(self, letter, size, chosen, at):
        kernel = {
            "TMA": "a kernel for Hopper, which copies blocks by TMA",
            "cp.async": "a kernel written for Ampere, which copies two elements at a time",
            "element": "a kernel written for Turing, which copies one element at a time",
        }[chosen.copy]
        rate = chosen.flops_per_second
        above = next((x for x in range(size, size + 8) if x % 8 == 0), size)
        text = f"The library took {kernel}: {rate / 1e12:,.0f} TFLOP/s."
        if letter != "m" and size % 8 and above in at:
            text += f" {above:,}, the next multiple of 8, ran {at[above].flops_per_second / rate:.1f} times as fast."
        elif letter == "m" and size % 8:
            text += " No row of a matrix has m elements, so m needs no alignment."
        return text


def _breakable(kernel):
    """Return the name of a kernel that a narrow table may break behind an underscore."""
    return kernel.replace("_", "_\N{ZERO WIDTH SPACE}")
