"""Explorer of training memory: what fills each device of a pipeline, and whether there is room."""

from typing import Any

from chip2cluster import draw, parallelism, specs
from chip2cluster.draw.pictures.memory_bars import KINDS
from chip2cluster.explore.base import Explorer
from chip2cluster.explore.controls import Choice, Slider, Toggle, joined
from chip2cluster.explore.custom_model import named_config
from chip2cluster.explore.frame import Column, Extent, Frame, Table
from chip2cluster.explore.handle import Handle
from chip2cluster.explore.static_states import ALL, Strip

MODELS = ("Llama 3 8B", "Llama 3 70B", "Llama 3.1 405B", "GPT-3 175B", "Megatron 530B", "DeepSeek-V3")
DEGREES = (1, 2, 4, 8, 16)
NUMBERS = ("data", "sequence", "micro_batches", "micro_batch")  # any whole number of the reader's joins these
PARTS = {"weights": "weights", "gradients": "gradients", "optimizer": "optimizer states", "activations": "activations",
         "rerun": "a layer being recomputed", "gathered": "gathered by ZeRO-3", "logits": "logits"}  # fmt: skip
# What a reader can turn by one notch, and what it is then called.
NOTCHES = {
    "tensor": lambda t: (2 * t, f"t = {2 * t}"),
    "pipeline": lambda p: (2 * p, f"p = {2 * p}"),
    "zero_stage": lambda stage: (stage + 1, f"ZeRO {stage + 1}"),
    "expert": lambda e: (2 * e, f"e = {2 * e}"),
    "sequence_parallel": lambda on: (None if on else True, "sequence parallelism"),
    "recompute": lambda kind: {"none": ("selective",) * 2, "selective": ("full",) * 2}.get(kind, (None, "")),
}


class Memory(Explorer):
    """See what fills the memory of each device while a model is trained.

    Parameters
    ----------
    model : str or transformer.Config
        A published model by name, or a shape of your own.
    chip : str or specs.Accelerator
        Chip whose memory holds it: a name, or your own from `specs.own`.
    tensor, pipeline : int
        Devices that share each matrix, t, and stages of layers, p: 1, 2, 4, 8 or 16.
    zero_stage : {0, 1, 2, 3}
        ZeRO stage: what the replicas shard instead of all storing it.
    recompute : {"none", "selective", "full"}
        Activations that the backward pass computes again.
    **values
        Start values of the other controls: ``data`` (replicas, d), ``sequence`` (tokens, s),
        ``micro_batches`` (m), ``micro_batch`` (its sequences, b): your own whole number joins
        those of the slider; ``sequence_parallel``, ``expert``.

    Raises
    ------
    ValueError, TypeError
        For an unknown control or a value that it does not offer, and a model or chip that is not there.

    Examples
    --------
    >>> from chip2cluster import explore
    >>> view = explore.memory("Llama 3 70B", tensor=8, pipeline=4, zero_stage=1)
    >>> view.sentence.split(". ")[0]
    'Stage 0 holds the most and has room: 45 of 86 GB'
    """

    title = "What fills the memory"
    extent = Extent(letters=250, rows=7)
    positional = ("model",)
    strip = Strip(
        "pipeline",
        {"tensor": (1, 8), "zero_stage": ALL, "recompute": ALL, "sequence_parallel": ALL, "data": (2, 64)},
        steps=(1, 4, 8, 16),
    )
    chip = specs.accelerator("H100 SXM")

    def __init__(self, *given, chip=None, **values):
        values = self._named(given, values)
        self._configs = {}
        if chip is not None:
            self.chip = specs.accelerator(chip)
        if "model" in values:
            values["model"], config = named_config(values["model"])
            self._configs[values["model"]] = config
        self.controls = self._controls()
        for name in ("model", *NUMBERS):
            if name in values:
                self.controls = joined(self.controls, name, values[name])
        super().__init__(**values)

    def _controls(self):
        config = self._config
        return (
            Choice(name="model", label="Model", options=MODELS, default="Llama 3 70B"),
            Slider(
                name="tensor", label="Tensor, t", default=8, prefer=(4, 2, 1),
                options=lambda values: tuple(t for t in DEGREES if config(values).heads % t == 0),
                why=lambda t, values: f"{config(values).heads} heads cannot be divided evenly",
            ),
            Slider(
                name="pipeline", label="Pipeline, p", default=4, prefer=(4, 2, 1),
                options=lambda values: tuple(p for p in DEGREES if p <= config(values).layers),
                why=lambda p, values: f"there are {config(values).layers} layers",
            ),
            Choice(name="zero_stage", label="ZeRO stage", options=(0, 1, 2, 3), default=1, more=True),
            Choice(
                name="recompute", label="Recompute", options=("none", "selective", "full"), default="selective", more=True
            ),
            Slider(
                name="sequence", label="Tokens per sequence, s", default=8192, more=True,
                options=(2048, 4096, 8192, 16384, 32768, 65536, 131072),
            ),
            Slider(name="micro_batches", label="Micro-batches, m", default=16, more=True,
                   options=(1, 2, 4, 8, 16, 32, 64, 128)),
            Slider(name="micro_batch", label="Sequences per micro-batch, b", options=(1, 2, 4, 8), default=1, more=True),
            Slider(name="data", label="Replicas, d", options=(1, 2, 4, 8, 16, 32, 64, 128, 256, 512), default=2, more=True),
            Choice(name="expert", label="Expert, e", default=1, options=self._experts, more=True,
                   why=lambda e, values: "it must divide the replicas and the experts"),
            Toggle(name="sequence_parallel", label="Sequence parallelism", default=True, more=True),
        )  # fmt: skip

    def _config(self, values):
        name = values["model"]
        if name not in self._configs:
            self._configs[name] = named_config(name)[1]
        return self._configs[name]

    def _experts(self, values):
        experts = self._config(values).experts
        routed = experts.routed if experts else 1
        return tuple(e for e in (1, 2, 4, 8, 16, 32, 64, 128) if routed % e == 0 and values["data"] % e == 0)

    def _needs(self, values):
        names = ("tensor", "pipeline", "data", "expert", "zero_stage", "sequence_parallel", "recompute", "micro_batch")
        layout = parallelism.Layout(**{name: values[name] for name in names})
        return parallelism.memory_by_stage(
            self._config(values), layout, values["sequence"], values["micro_batches"], dropout=False
        )

    def frame(self, values: dict[str, Any]) -> Frame:
        stages, room = self._needs(values), self.chip.driver_memory_bytes
        t, p, d = (values[name] for name in ("tensor", "pipeline", "data"))
        subject = (
            f"{values['model']}, t {t}, p {p}, d {d}; ZeRO {values['zero_stage']}, recompute {values['recompute']}"
        )
        devices = f"t × p × d = {t} × {p} × {d} = {t * p * d:,} {self.chip.name}"
        picture = draw.memory_bars(stages, memory_bytes=room, subtitle=devices)
        handle = Handle("pipeline", tuple((stage, None) for stage in self._choices("pipeline", values)), along="y")
        return Frame(picture, self._table(stages, subject), self._say(stages, room, values), handles=(handle,))

    def _table(self, stages, subject):
        last = len(stages) - 1
        shown = range(last + 1) if last < 4 else sorted({0, 1, _fullest(stages), last})
        rows = [
            (words, *(getattr(stages[number], part) / 1e9 for number in shown))
            for part, words in PARTS.items()
            if any(getattr(stage, part) for stage in stages)
        ]
        rows.append(("together", *(stages[number].total / 1e9 for number in shown)))
        columns = Column("bytes of"), *(Column(f"stage {number}", "GB", "{:,.1f}".format) for number in shown)
        held = [KINDS[part][1] for part in PARTS if any(getattr(stage, part) for stage in stages)]
        return Table(subject, columns, tuple(rows), marked=len(rows) - 1, keys=(*held, "together"))

    def _say(self, stages, room, values):
        number = _fullest(stages)
        most = stages[number]
        parts = {"states": most.states, "activations": most.activations + most.rerun,
                 "gathered weights": most.gathered, "logits": most.logits}  # fmt: skip
        largest = max(parts, key=parts.__getitem__)
        share = f"{parts[largest] / most.total:.0%} of this is {largest}.".replace("%", " %")
        least = min(stage.total for stage in stages)
        even = f" The stage with the least holds {least / 1e9:,.0f} GB." if len(stages) > 1 else ""
        if values["micro_batches"] >= values["pipeline"]:
            even += f" More micro-batches hold no more: 1F1B keeps the activations of {values['pipeline']} at once."
        if not room:
            return f"Stage {number} holds the most: {most.total / 1e9:,.0f} GB. {share}{even}"
        if most.total <= room:
            return f"Stage {number} holds the most and has room: {most.total / 1e9:,.0f} of {room / 1e9:,.0f} GB. {share}{even}"
        return (
            f"Stage {number} does not fit: {most.total / 1e9:,.0f} of {room / 1e9:,.0f} GB. {share}{even} "
            f"{self._way_out(values, room)}"
        )

    def _way_out(self, values, room):
        """What one notch of one control would make of it, least memory first."""
        found = []
        for name, turn in NOTCHES.items():
            value, words = turn(values[name])
            control = self._by_name[name]
            if isinstance(control, Choice) and value in control.choices(values):
                most = max(stage.total for stage in self._needs({**values, name: value}))
                found.append((most, words))
        if not found:
            return "No control is left to change."
        most, words = min(found)
        verdict = "and fits" if most <= room else "and does not fit either"
        return f"Of all single changes, {words} helps most: {most / 1e9:,.0f} GB, {verdict}."


def _fullest(stages):
    totals = [stage.total for stage in stages]
    return totals.index(max(totals))
