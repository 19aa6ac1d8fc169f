"""Explorer of pipelines: who computes which micro-batch, who waits, and what everybody holds meanwhile."""

from bisect import bisect_right
from functools import lru_cache
from math import ceil
from typing import Any

from chip2cluster import draw, parallelism, specs
from chip2cluster._validate import whole
from chip2cluster.explore.base import Explorer
from chip2cluster.explore.controls import Choice, Nearest, Slider
from chip2cluster.explore.custom_model import named_config
from chip2cluster.explore.frame import Column, Extent, Frame, Table
from chip2cluster.explore.handle import Handle
from chip2cluster.explore.static_states import ALL, Strip
from chip2cluster.parallelism.pipeline_schedules import find_schedule, schedule_problem

NAMES = {"gpipe": "GPipe", "1f1b": "1F1B", "interleaved_1f1b": "Interleaved 1F1B", "zb_h1": "Zero bubble, H1",
         "zb_h2": "Zero bubble, H2", "dualpipe": "DualPipe"}  # fmt: skip
FORWARD, BACKWARD = 0.01, 0.02  # seconds of a micro-batch on one device, where all are equal
END = 10**9  # the last moment: the whole step
STAGES = (2, 4, 8, 16)
BATCHES = (1, 2, 4, 6, 8, 12, 16, 24, 32)
INTERLEAVED = "interleaved_1f1b"
SPLIT = {"zb_h1", "zb_h2", "dualpipe"}  # they compute the gradients of the weights apart


def _whole_backward(values):
    """Why the share of these gradients changes nothing."""
    return (
        ""
        if values["schedule"] in SPLIT
        else "This schedule keeps the backward pass whole: choose Zero bubble or DualPipe."
    )


class Moment(Slider):
    """Forward passes since the step began; a moment after the end is the end."""

    def settle(self, value, values):
        return value if value in self.choices(values) else END


@lru_cache(maxsize=512)
def _equal(name, stages, micro_batches, chunks, weight_share, handover):
    """A schedule on equal stages, times in percent of a backward and of a forward pass."""
    weights = BACKWARD * weight_share / 100
    return parallelism.schedule(
        name, stages, micro_batches, chunks if name == INTERLEAVED else None, forward_seconds=FORWARD,
        backward_seconds=BACKWARD - weights, weight_seconds=weights, p2p_seconds=FORWARD * handover / 100,
    )  # fmt: skip


class Pipeline(Explorer):
    """Step through a training step on a pipeline, by six schedules.

    Left alone, equal stages: a forward pass of a micro-batch takes 10 ms on each device and
    a backward pass 20 ms. With a model the stages are its own, and differ.

    Parameters
    ----------
    schedule : str
        One of `parallelism.schedules`.
    micro_batches : int
        Micro-batches of a step, m.
    time : int
        Forward passes since the step began; the whole step when left out.
    model : str or transformer.Config, optional
        A published model by name, or a shape of your own, on ``chip``, of which each stage has
        ``tensor`` devices; ``sequence`` tokens.
    **values
        Start values of the other controls: ``stages`` (p), ``chunks`` (v, interleaved alone),
        ``handover`` (of a forward pass, %) and, without a model, ``weight_share`` (of a backward pass, %).

    Raises
    ------
    ValueError, TypeError
        For an unknown control or a value that it does not offer, and a model or chip that is not there.

    Examples
    --------
    >>> from chip2cluster import explore
    >>> view = explore.pipeline("1f1b", stages=4, micro_batches=8)
    >>> [row["waiting (%)"].__round__() for row in view.table]
    [27, 27, 16, 11, 0, 8]
    """

    title = "A pipeline, pass by pass"
    extent = Extent(letters=160)
    positional = ("schedule", "micro_batches")
    strip = Strip(
        "time", {"schedule": ALL, "micro_batches": (8, 16, 32), "handover": (0, 50)},
        steps=(*range(0, 15), 16, 18, 20, 22, END),
    )  # fmt: skip
    name = None  # of the reader's model

    def __init__(self, *given, model=None, chip=None, tensor=None, sequence=None, precision="bf16", **values):
        values = self._named(given, values)
        if model is not None:
            self.name, config = named_config(model)
            device = specs.accelerator("H100 SXM" if chip is None else chip)
            options = {"sequence": 8192 if sequence is None else sequence, "precision": precision}
            parallelism.pass_seconds(config, parallelism.Layout(tensor=tensor or 1), device, **options)  # refuses early
            self._own = config, device, tensor or 1, options
            self._runs = lru_cache(maxsize=512)(self._uneven)
        elif extra := [name for name, value in (("chip", chip), ("tensor", tensor), ("sequence", sequence)) if value is not None]:  # fmt: skip
            raise ValueError(f"{extra[0]} has no meaning without a model; give model, too")
        if "micro_batches" in values:
            self._batches = tuple(sorted({*BATCHES, whole("micro_batches", values["micro_batches"])}))
        self.controls = self._controls()
        super().__init__(**values)

    _batches: tuple[int, ...] = BATCHES

    def _controls(self):
        """Those of equal stages, or of the reader's model."""
        share = Slider(
            name="weight_share", label="Weight gradients, of the backward pass (zero bubble, DualPipe)", unit="%", options=(30, 40, 50, 60, 70), default=50,
            more=True, idle=_whole_backward,
        )  # fmt: skip
        return (
            Choice(name="schedule", label="Schedule", options=tuple(NAMES), default="1f1b", text=NAMES.__getitem__),
            Slider(name="stages", label="Devices, p", options=self._stages(), default=4, prefer=(2, 1), more=True),
            Choice(name="chunks", label="Chunks, v (interleaved only)", options=(2, 3, 4), default=2, more=True,
                   idle=lambda values: "" if values["schedule"] == INTERLEAVED else "Only Interleaved 1F1B has chunks: choose it to change them."),
            *(() if self.name else (share,)),
            Slider(
                name="handover", label="P2P send, of a forward pass", unit="%", options=(0, 5, 10, 20, 50, 100), default=0,
                more=True,
            ),
            Nearest(
                name="micro_batches", label="Micro-batches, m", options=self._allowed, default=8,
                why=lambda m, values: schedule_problem(find_schedule(values["schedule"]), values["stages"], m),
            ),
            Moment(
                name="time", label="Time, in forward passes", options=self._moments, default=END, plays=0.5,
                text=lambda passes: "the whole step" if passes == END else f"{passes:,}",
            ),
        )  # fmt: skip

    def _stages(self):
        most = self._own[0].layers if self.name else STAGES[-1]
        return tuple(p for p in STAGES if p <= most) or (1,)

    def _allowed(self, values):
        kind, stages = find_schedule(values["schedule"]), values["stages"]
        return tuple(m for m in self._batches if not schedule_problem(kind, stages, m))

    def _moments(self, values):
        run = self._run(values["schedule"], values)
        return (*range(ceil(run.makespan_seconds / self._forward(values) - 1e-9)), END)

    def _forward(self, values):
        """Seconds of a forward pass of one micro-batch on one device: of the mean one, where they differ."""
        if not self.name:
            return FORWARD
        return sum(self._seconds(values["stages"], 1)["forward_seconds"]) / values["stages"]

    def _run(self, name, values):
        counts = name, values["stages"], values["micro_batches"], values["chunks"]
        if self.name:
            return self._runs(*counts, values["handover"])
        return _equal(*counts, values["weight_share"], values["handover"])

    def _seconds(self, stages, chunks):
        config, device, tensor, options = self._own
        layout = parallelism.Layout(tensor=tensor, pipeline=stages, chunks=chunks)
        return parallelism.pass_seconds(config, layout, device, **options)

    def _uneven(self, name, stages, micro_batches, chunks, handover):
        """A schedule on the stages of the reader's model."""
        chunks = chunks if name == INTERLEAVED else 1
        seconds = self._seconds(stages, chunks)
        forward = sum(seconds["forward_seconds"]) / stages
        return parallelism.schedule(
            name, stages, micro_batches, chunks if name == INTERLEAVED else None, p2p_seconds=forward * handover / 100, **seconds
        )  # fmt: skip

    def frame(self, values: dict[str, Any]) -> Frame:
        run = self._run(values["schedule"], values)
        until = None if values["time"] == END else values["time"] * self._forward(values)
        parts = f", v {values['chunks']}" if values["schedule"] == INTERLEAVED else ""
        subject = f"{NAMES[values['schedule']]}: p {run.stages}, m {run.micro_batches}{parts}"
        # What the hungriest holds, so that all have one axis: GPipe every micro-batch, H2 twice the stages but one.
        most = max(4.0, 2.0 * run.stages - 1, run.micro_batches)
        picture = draw.pipeline(run, until=until, most_held=most, subtitle=self.name)
        moments = self._moments(values)
        seconds = (run.makespan_seconds if one == END else one * self._forward(values) for one in moments)
        handle = Handle("time", tuple((moment, None) for moment in seconds))
        return Frame(picture, self._table(values, subject), self._say(run, until, values), handles=(handle,))

    def _table(self, values, subject):
        rows: list[tuple[Any, ...]] = []
        for name, words in NAMES.items():
            if self._impossible(name, values):
                rows.append((words, None, None, None, None))
            else:
                run = self._run(name, values)
                copies = 2 if name == "dualpipe" else 1
                rows.append(
                    (
                        words,
                        1e3 * max(run.span_seconds),
                        abs(100 * run.bubble_over_makespan),
                        max(run.in_flight),
                        copies,
                    )
                )
        columns = (
            Column("schedule"),
            Column("step of a device", "ms", _or_dash("{:,.0f}")),
            Column("waiting", "%", _or_dash("{:.1f}")),
            Column("peak in flight", "", _or_dash("{:.3g}")),
            Column("copies of the weights", "", _or_dash("{}")),
        )
        return Table(subject, columns, tuple(rows), note="All six schedules",
                     marked=list(NAMES).index(values["schedule"]))  # fmt: skip

    def _impossible(self, name, values):
        """Why a schedule cannot run with these counts; nothing if it can."""
        if name == INTERLEAVED and values["stages"] == 1:
            return "it needs a pipeline"
        if name == INTERLEAVED and self.name and values["stages"] * values["chunks"] > self._own[0].layers:
            return "there are fewer layers"
        return schedule_problem(find_schedule(name), values["stages"], values["micro_batches"])

    def _say(self, run, until, values):
        if until is not None:
            return self._moment(run, until)
        word = NAMES[run.name]
        step, wait = 1e3 * max(run.span_seconds), 100 * run.bubble_over_makespan
        held = max(run.in_flight)
        said = f"{word}: a device’s step takes {step:,.0f} ms, {abs(wait):.1f} % of it waiting, and the fullest device holds {held:.3g} micro-batches at once"
        if run.name == "1f1b":
            other = self._run("gpipe", values)
            return f"{said}. GPipe takes {1e3 * max(other.span_seconds):,.0f} ms and holds {max(other.in_flight):g}."
        other = self._run("1f1b", values)
        return f"{said}. 1F1B takes {1e3 * max(other.span_seconds):,.0f} ms and holds {max(other.in_flight):g}."

    def _moment(self, run, until):
        """What goes on at a moment."""
        busy = {slot.device for slot in run.slots if slot.start <= until < slot.end}
        held = [counts[bisect_right(counts, (until, float("inf"))) - 1][1] for counts in run.micro_batches_held]
        return f"After {1e3 * until:,.0f} ms, {len(busy)} of {run.stages} devices compute. The first device holds {held[0]:.3g} micro-batches, the last {held[-1]:.3g}."


def _or_dash(text):
    return lambda value: "–" if value is None else text.format(value)
