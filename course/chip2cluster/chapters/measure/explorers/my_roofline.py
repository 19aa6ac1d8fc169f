"""Explorer of a processor's own roofline: its caches as steps, and the roof that each of them makes."""

from dataclasses import replace
from typing import Any

import numpy as np

from chip2cluster import draw, measure, roofline
from chip2cluster.draw.format import binary
from chip2cluster.explore.base import Explorer
from chip2cluster.explore.controls import Choice, Nearest, Slider, in_bytes
from chip2cluster.explore.frame import Column, Frame, Table
from chip2cluster.explore.handle import Handle
from chip2cluster.explore.static_states import Strip
from chip2cluster.units import show, significant

YOURS = "your machine"
RECORDED = {
    "quiet": "cpu roofline, quiet",
    "loaded": "cpu roofline, loaded",
    "loaded again": "cpu roofline, loaded again",
}
INTENSITIES = (0.02, 0.04, 0.08, 0.15, 0.3, 0.6, 1.0, 2.0, 4.0, 8.0, 16.0, 64.0, 256.0)
DTYPES = ("float64", "float32")


class MyRoofline(Explorer):
    """Let the working set grow through the caches, and watch the roof over a kernel come down.

    Nothing is measured while you look: the points are those of one run.

    Parameters
    ----------
    run : measure.CpuRoofline
        Your own machine, as `measure.cpu_roofline` gives it; left out, a recorded one.
    machine : str
        ``"quiet"``, ``"loaded"`` or ``"loaded again"``: the same recorded machine at three times; or ``"your machine"``.
    working_set : int or str
        Bytes that the kernel touches again and again, or a text such as ``"6 MiB"``: one of those measured.
    intensity : float
        FLOP of your kernel for each byte that it moves.
    dtype : str
        ``"float64"`` or ``"float32"``: of the recorded matrix products, which make the roof.

    Raises
    ------
    ValueError, TypeError
        For an unknown control, a value that it does not offer, and a run that is none.

    Examples
    --------
    >>> from chip2cluster import explore
    >>> [round(row["adds (GB/s)"]) for row in explore.my_roofline().table]
    [34, 74, 73, 72, 29, 23, 24]
    """

    title = "Your roofline"
    positional = ("machine",)
    strip = Strip("working_set", {"machine": tuple(RECORDED), "intensity": (0.04, 0.3, 1.0, 4.0)})

    def __init__(self, run=None, **values):
        self._own = {}
        if isinstance(run, str):  # the name of a recorded one comes first as well
            run, values = None, {"machine": run, **values}
        if run is not None:
            if not isinstance(run, measure.CpuRoofline):
                raise TypeError(f"run must be a measure.CpuRoofline, as measure.cpu_roofline() gives it, got {run!r}")
            self._own[YOURS] = _rising(run)
            values.setdefault("machine", YOURS)
        machines = (*self._own, *RECORDED)
        intensities = INTENSITIES
        if "intensity" in values:
            intensities = tuple(sorted({*INTENSITIES, _intensity(values["intensity"])}))
        self.controls = (
            Nearest(
                name="working_set", label="Working set", default=6291456, text=binary, parse=in_bytes,
                options=lambda values: self._sets(values),
            ),
            Slider(
                name="intensity", label="Your kernel", options=intensities, default=1.0, unit="FLOP/byte", text="{:g}".format
            ),
            Choice(name="machine", label="Measured on", options=machines, default=machines[0]),
            Choice(
                name="dtype", label="Products of", default=DTYPES[0], more=True,
                options=lambda values: (self._own[YOURS].dtype,) if values["machine"] == YOURS else DTYPES,
            ),
        )  # fmt: skip
        # What is offered depends on the machine: it is settled first.
        self.controls = (self.controls[2], *self.controls[:2], self.controls[3])
        super().__init__(**values)

    def _sets(self, values):
        return tuple(sorted({int(size) for size in self._run(values["machine"], DTYPES[0]).working_set_bytes}))

    def _run(self, machine, dtype):
        return self._own[machine] if machine in self._own else measure.recorded_roofline(RECORDED[machine], dtype=dtype)

    def frame(self, values: dict[str, Any]) -> Frame:
        run = self._run(values["machine"], values["dtype"])
        sets = run.working_set_bytes.tolist()
        chosen, intensity = sets.index(values["working_set"]), values["intensity"]
        reached = [float(roofline.attainable(intensity, run.peak_flops, rate)) for rate in run.bandwidth.tolist()]
        rows = tuple(
            (binary(size), rate / 1e9, best / 1e9, 100 * noise, float(roofline.ridge_point(run.peak_flops, rate)), flops / 1e9)
            for size, rate, best, noise, flops in zip(
                sets, run.bandwidth.tolist(), run.best_bandwidth.tolist(), run.noise.tolist(), reached, strict=False
            )
        )  # fmt: skip
        whose = "Your machine" if values["machine"] == YOURS else f"A virtual machine of two cores, {values['machine']}"
        subtitle = f"{run.threads} thread{'s' * (run.threads > 1)}: at most {show(run.peak_flops, 'FLOP/s', 2)}"
        title = f"{binary(sets[chosen])}: {show(float(run.bandwidth[chosen]), 'B/s', 2)}, peak from {rows[chosen][4]:.2g} FLOP/byte on"
        picture = draw.working_sets(run, chosen, intensity, reached[chosen], title=title, subtitle=subtitle)
        offered = self._choices("working_set", values)
        handle = Handle("working_set", tuple((sets.index(one), None) for one in offered))
        table, say = (
            Table(f"{whose}; products of {run.dtype}", COLUMNS, rows, marked=chosen),
            _say(run, chosen, intensity, reached),
        )
        return Frame(picture, table, say, handles=(handle,))


def _rising(run):
    """The same run with every working set once, the smallest first."""
    sets, order = np.unique(run.working_set_bytes, return_index=True)
    spread = np.concatenate([run.noise[order], run.noise[len(run.working_set_bytes) :]])
    bandwidth, best = run.bandwidth[order], run.best_bandwidth[order]
    return replace(run, working_set_bytes=sets, bandwidth=bandwidth, best_bandwidth=best, noise=spread)


def _intensity(value):
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0.01 <= value <= 1000:
        raise ValueError(f"intensity must be a number of FLOP/byte, 0.01 to 1000; got {value!r}")
    return value


def _say(run, chosen, intensity, reached):
    rate, largest = float(run.bandwidth[chosen]), float(run.bandwidth[-1])
    sets = run.working_set_bytes
    bound = "compute-bound" if reached[chosen] >= run.peak_flops else "memory-bound"
    out = ""
    if chosen < len(sets) - 1:
        slower = f"the adds are {significant(rate / largest, 2)} times slower and " if rate > largest else ""
        out = f" In {binary(float(sets[-1]))} {slower}your kernel gets {show(reached[-1], 'FLOP/s', 2)}."
    noise = 100 * float(run.noise[chosen])
    return (
        f"A working set of {binary(float(sets[chosen]))} moves at {show(rate, 'B/s', 2)}: a kernel of {intensity:g} "
        f"FLOP/byte gets at most {show(reached[chosen], 'FLOP/s', 2)}, {bound}.{out} The middle half of these times "
        f"spread over {noise:.0f} %."
    )


_rate = "{:.3g}".format
COLUMNS = (
    Column("working set"),
    Column("adds", "GB/s", _rate),
    Column("best", "GB/s", _rate),
    Column("spread", "%", "{:.0f}".format),
    Column("peak reached from", "FLOP/byte", _rate),
    Column("your kernel", "GFLOP/s", _rate),
)
