"""Explorer of utilization: where the time of a training step goes, a published one or the reader's."""

from dataclasses import dataclass
from typing import Any

from chip2cluster import draw, specs, transformer, utilization
from chip2cluster._validate import whole
from chip2cluster.draw.pictures.waterfall import NAMES, largest_loss, seconds
from chip2cluster.explore.base import Explorer
from chip2cluster.explore.controls import Choice, Slider
from chip2cluster.explore.custom_model import named_config
from chip2cluster.explore.frame import Column, Extent, Frame, Table
from chip2cluster.explore.static_states import ALL, Strip


@dataclass(frozen=True)
class Run:
    """What of a training the controls don't move."""

    name: str
    config: transformer.Config
    chip: specs.Accelerator
    precision: str
    replicas: int
    tensor_parallel: int
    sequence: int
    tokens: float | None  # of the whole training, where somebody said how many

    @property
    def peak(self):
        return self.chip.peak_flops_dense(self.precision)

    @property
    def stages(self):
        """All counts that divide the layers."""
        layers = self.config.layers
        return tuple(count for count in range(1, layers + 1) if layers % count == 0)

    def chunks(self, stages):
        """As many chunks a device as divide its layers."""
        layers = self.config.layers // stages
        return tuple(count for count in range(1, layers + 1) if layers % count == 0)

    def devices(self, stages):
        return self.replicas * self.tensor_parallel * stages

    def step(self, values):
        """Arguments of the models for the step that the controls describe, without its efficiency and messages."""
        tokens = self.replicas * values["micro_batches"] * self.sequence
        again = transformer.recomputed_flops_per_token(
            self.config, self.sequence, values["recompute"], "megatron", selective_rule="rerun"
        )
        return tokens, {
            "model_flops": tokens * transformer.training_flops_per_token(self.config, self.sequence, "megatron"),
            "devices": self.devices(values["stages"]),
            "peak_flops_dense": self.peak,
            "recomputed_flops": tokens * again,
            "stages": values["stages"],
            "micro_batches": values["micro_batches"],
            "chunks": values["chunks"],
        }


# Korthikanti et al. 2022, section 6.3: 2,240 A100 in eight replicas of 280, each 35 stages of
# eight devices; 280 micro-batches of one sequence; 37.83 s a step, with the gradients 39.15 s.
PUBLISHED = Run(
    *named_config("Megatron 530B"), specs.accelerator("A100 SXM 80GB"), "bf16", replicas=8, tensor_parallel=8, sequence=2048, tokens=300e9
)  # fmt: skip
GRADIENTS = 1.32
KERNELS = 58.63  # percent of the peak; follows from 37.83 s
OWN_KERNELS = 50  # percent, until the reader says more
EFFICIENCIES = (30, 35, 40, 45, 50, 55, 65, 70, 75, 80, 85, 90, 95, 100)
BATCHES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)


def _controls(run, start):
    """The controls of a run; ``start`` has their first values."""
    batches = (35, 40, 50, 60, 70, 105, 140, 200, 280, 400, 560, 840, 1120) if run is PUBLISHED else BATCHES
    messages: tuple[float, ...] = (0.0, 0.5, 1.0, GRADIENTS, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 20.0)
    stages = (5, 7, 15, 21, 35, 105) if run is PUBLISHED else run.stages
    if run is not PUBLISHED:
        messages = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, *(time for time in messages[2:] if time != GRADIENTS))
    return (
        Choice(
            name="recompute", label="Recomputation", options=("none", "selective", "full"), default=start["recompute"]
        ),
        Slider(
            name="micro_batches", label="Micro-batches a step", default=start["micro_batches"],
            options=_with(batches, start["micro_batches"]),
        ),
        Slider(
            name="communication", label="Messages between replicas", unit="s", default=start["communication"], text=str,
            options=_with(messages, start["communication"]),
        ),
        Slider(
            name="hidden", label="Hidden behind arithmetic", unit="%", default=0, options=tuple(range(0, 101, 10)), more=True
        ),
        Slider(
            name="kernels", label="Kernel efficiency, of peak", unit="%", default=start["kernels"], text=str, more=True,
            options=_with(EFFICIENCIES, start["kernels"]),
        ),
        Choice(name="stages", label="Pipeline stages", options=stages, default=start["stages"], more=True),
        Choice(
            name="chunks", label="Chunks a device", options=lambda values: run.chunks(values["stages"]),
            default=start["chunks"], more=True,
        ),
        Slider(
            name="loader", label="Loader delivers", unit="thousand tokens/s", default=start["loader"], more=True,
            options=_with((20, 40, 60, 80, 100, 120, 140, 160, 200, 300, 500), start["loader"]),
        ),
    )  # fmt: skip


def _with(options, value):
    return tuple(sorted({*options, value}))


PUBLISHED_START = {
    "recompute": "selective", "micro_batches": 280, "communication": GRADIENTS, "kernels": KERNELS, "stages": 35,
    "chunks": 3, "loader": 500,
}  # fmt: skip
OWN_START = {
    "recompute": "none", "micro_batches": 8, "communication": 0.0, "kernels": OWN_KERNELS, "stages": 1, "chunks": 1,
    "loader": 1_000_000,
}  # fmt: skip


class Utilization(Explorer):
    """Split the step of a training into arithmetic and reasons to wait.

    Left alone, one step of a published model of 530 billion parameters. With a model or a
    chip it is yours: ``explore.mfu(model="Llama 3 8B", chip="H100 SXM", replicas=8)``.

    Parameters
    ----------
    recompute : {"none", "selective", "full"}
        Activations that the backward pass computes again to save memory.
    model : str or transformer.Config, optional
        A published model by name, or a shape of your own.
    chip : str or specs.Accelerator, optional
        A chip by name, or your own from `specs.own`.
    precision : str
        Precision of the peak.
    replicas, tensor_parallel : int
        Copies of the model that work on different data, and devices that share each layer.
        Devices: their product times the pipeline stages.
    sequence : int
        Tokens of a sequence; a micro-batch has one.
    tokens : float, optional
        Tokens of the training, whose days are then told.
    tokens_per_second : float, optional
        Speed of all devices that you measured. The kernels are then set to what they must
        reach for it, if everything else is as the controls say.
    **values
        Start values of the other controls: ``micro_batches``, ``communication``,
        ``hidden``, ``kernels``, ``stages``, ``chunks``, ``loader``.

    Raises
    ------
    ValueError, TypeError
        For an unknown control or a value that it does not offer, a model or chip that is not
        there, counts that are not whole, and a speed that the peak does not allow.

    Examples
    --------
    >>> from chip2cluster import explore
    >>> view = explore.mfu(micro_batches=280)
    >>> view.table[0]["share (%)"].__round__(1)
    54.2
    >>> mine = explore.mfu(model="Llama 3 8B", chip="H100 SXM", sequence=8192, replicas=128, micro_batches=2,
    ...                    tokens_per_second=128 * 6514)
    >>> mine.table[0]["share (%)"].__round__(1)
    38.1
    """

    title = "Utilization explorer"
    extent = Extent(letters=410)
    controls = _controls(PUBLISHED, PUBLISHED_START)
    strip = Strip(
        "micro_batches", {"recompute": ALL, "communication": (0.0, 1.32, 4.0, 12.0), "loader": (60, 100, 120, 200, 500)}
    )
    run = PUBLISHED

    def __init__(
        self, *given, model=None, chip=None, precision="bf16", replicas=None, tensor_parallel=None, sequence=None,
        tokens=None, tokens_per_second=None, **values,
    ):  # fmt: skip
        shape = {"replicas": replicas, "tensor_parallel": tensor_parallel, "sequence": sequence}
        own = {name: value for name, value in shape.items() if value is not None}
        if model is not None or chip is not None or own or tokens is not None or tokens_per_second is not None:
            values = self._make_own(model, chip, precision, own, tokens, tokens_per_second, self._named(given, values))
            given = ()
        elif precision != PUBLISHED.precision:
            raise ValueError(
                f"precision of the published step is {PUBLISHED.precision!r}, got {precision!r}: name a chip"
            )
        super().__init__(*given, **values)

    def _make_own(self, model, chip, precision, own, tokens, speed, values):
        """Set the run and the controls to the reader's; return the start values."""
        name, config = named_config(model) if model is not None else (PUBLISHED.name, PUBLISHED.config)
        chip = specs.accelerator(chip) if chip is not None else PUBLISHED.chip
        chip.peak_flops_dense(precision)  # refuses what it does not have
        counts = {"replicas": 1, "tensor_parallel": 1, "sequence": PUBLISHED.sequence} | own
        counts = {key: whole(key, value) for key, value in counts.items()}
        self.run = Run(name, config, chip, precision, **counts, tokens=tokens)
        start = OWN_START | {key: value for key, value in values.items() if key in OWN_START}
        if speed is not None:
            if "kernels" in values:
                raise ValueError("kernels follow from tokens_per_second; give one of the two")
            start["kernels"] = values["kernels"] = self._kernels(start, values.get("hidden", 0), speed)
        self.controls = _controls(self.run, start)
        return values

    def _kernels(self, start, hidden, speed):
        """What the kernels must reach, in percent, for a measured speed."""
        processed, step = self.run.step(start)
        exposed = start["communication"] * (1 - hidden / 100)
        time = utilization.step_time(processed, speed)
        try:
            return round(100 * utilization.kernel_efficiency(time, **step, exposed_seconds=exposed), 4)
        except ValueError as error:
            raise ValueError(f"tokens_per_second {speed:,.0f} is more than the peak allows: {error}") from None

    def frame(self, values: dict[str, Any]) -> Frame:
        tokens, arguments = self.run.step(values)
        step = utilization.step_breakdown(
            **arguments,
            kernel_efficiency=values["kernels"] / 100,
            communication_seconds=values["communication"],
            hidden_fraction=values["hidden"] / 100,
            input_seconds=tokens / (1e3 * values["loader"]),
        )
        devices = arguments["devices"]
        chip = "A100" if self.run is PUBLISHED else self.run.chip.name
        subject = f"{self.run.name} on {devices:,} {chip}, {_count(tokens)} tokens a step"
        picture = draw.waterfall(step, subtitle=subject)
        return Frame(picture, self._table(step), self._say(step, tokens, devices, values))

    def _table(self, step):
        rows, taken = [], 0.0
        for name, time in step.parts.items():
            taken += time
            rows.append((NAMES[name], time, 100 * time / step.seconds, 100 * taken / step.seconds))
        columns = (
            Column("part"),
            Column("time", "s", "{:.2f}".format),
            Column("share", "%", "{:.1f}".format),
            Column("up to here", "%", "{:.1f}".format),
        )
        return Table("", columns, tuple(rows), marked=list(step.parts).index(largest_loss(step)))

    def _say(self, step, tokens, devices, values):
        worst = largest_loss(step)
        speed = utilization.tokens_per_second(tokens, step.seconds)
        lost = 100 * step.parts[worst] / step.seconds
        most = f"The largest loss is {NAMES[worst]}: {lost:.1f} %." if lost else "Nothing is lost."
        return (
            f"The model's arithmetic would take {seconds(step.model_arithmetic)} at the peak; the step takes "
            f"{seconds(step.seconds)}: MFU {100 * step.mfu:.1f} %. With what is done twice the hardware reaches HFU "
            f"{100 * step.hfu:.1f} %{self._other_rule(speed, devices, values)}. {most} {self._pace(speed, devices)}"
        )

    def _pace(self, speed, devices):
        """The speed, and the days of the training where its tokens are known."""
        if self.run.tokens is None:
            return f"That is {speed:,.0f} tokens/s on {devices:,} devices."
        days = utilization.training_time(self.run.tokens, speed) / utilization.DAY
        return (
            f"At {speed:,.0f} tokens/s, {self.run.tokens / 1e9:,.0f} billion tokens take {days:.1f} days on "
            f"{devices:,} devices."
        )

    def _other_rule(self, speed, devices, values):
        """The HFU by the rule of Korthikanti et al. 2022, where there are two rules."""
        if values["recompute"] != "selective":
            return ""
        config, sequence = self.run.config, self.run.sequence
        again = transformer.recomputed_flops_per_token(
            config, sequence, "selective", "megatron", selective_rule="paper"
        )
        work = transformer.training_flops_per_token(config, sequence, "megatron")
        run = speed, work, devices, self.run.peak
        used = utilization.hfu(*run, recompute="selective", recomputed_flops_per_token=again)
        return (
            f" ({100 * used:.1f} % by a second rule in use, which charges three times as much for what is done twice)"
        )


def _count(tokens):
    return f"{tokens / 1e6:.1f} million" if tokens >= 1e6 else f"{tokens:,}"
