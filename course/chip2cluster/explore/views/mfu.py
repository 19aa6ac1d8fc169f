"""Explorer of utilization: where the time of one published training step goes."""

from ... import draw, specs, transformer, utilization
from ...draw.pictures.waterfall import NAMES, largest_loss, seconds
from ..base import Explorer
from ..controls import Choice, Slider
from ..frame import Column, Frame, Table
from ..strip import ALL, Strip

# Korthikanti et al. 2022, section 6.3: 2,240 A100 in eight replicas of 280, each 35 stages of
# eight devices; 280 micro-batches of one sequence; 37.83 s a step, with the gradients 39.15 s.
MODEL, CHIP = "Megatron 530B", "A100 SXM 80GB"
REPLICAS, TENSOR_PARALLEL, SEQUENCE, LAYERS = 8, 8, 2048, 105
GRADIENTS = 1.32
KERNELS = 58.63  # percent of the peak; follows from 37.83 s
TOKENS = 300e9  # of the training whose days are told


def _chunks(values):
    """As many chunks a device as divide its layers."""
    layers = LAYERS // values["stages"]
    return tuple(count for count in range(1, layers + 1) if layers % count == 0)


class Utilization(Explorer):
    """Split the step of a published training into arithmetic and reasons to wait.

    One step of a 530-billion-parameter model, split into arithmetic and reasons to wait.

    Parameters
    ----------
    recompute : {"none", "selective", "full"}
        What the backward pass computes again to save memory.
    **values
        Start values of the other controls: ``micro_batches``, ``communication``,
        ``hidden``, ``kernels``, ``stages``, ``chunks``, ``loader``.

    Raises
    ------
    ValueError
        For an unknown control, or a value that it does not offer.

    Examples
    --------
    >>> from chip2cluster import explore
    >>> view = explore.mfu(micro_batches=280)
    >>> view.table[0]["share (%)"].__round__(1)
    54.2
    """

    title = "Utilization explorer"
    controls = (
        Choice(name="recompute", label="Recomputation", options=("none", "selective", "full"), default="selective"),
        Slider(
            name="micro_batches", label="Micro-batches a step", default=280,
            options=(35, 40, 50, 60, 70, 105, 140, 200, 280, 400, 560, 840, 1120),
        ),
        Slider(
            name="communication", label="Messages between replicas", unit="s", default=GRADIENTS, text=str,
            options=(0.0, 0.5, 1.0, GRADIENTS, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 20.0),
        ),
        Slider(
            name="hidden", label="Hidden behind arithmetic", unit="%", default=0, options=tuple(range(0, 101, 10)), more=True
        ),
        Slider(
            name="kernels", label="Kernels reach, of peak", unit="%", default=KERNELS, text=str, more=True,
            options=(30, 35, 40, 45, 50, 55, KERNELS, 65, 70, 75, 80, 85, 90, 95, 100),
        ),
        Choice(name="stages", label="Pipeline stages", options=(5, 7, 15, 21, 35, 105), default=35, more=True),
        Choice(name="chunks", label="Chunks a device", options=_chunks, default=3, more=True),
        Slider(
            name="loader", label="Loader delivers", unit="thousand tokens/s", default=500, more=True,
            options=(20, 40, 60, 80, 100, 120, 140, 160, 200, 300, 500),
        ),
    )  # fmt: skip
    strip = Strip(
        "micro_batches", {"recompute": ALL, "communication": (0.0, 1.32, 4.0, 12.0), "loader": (60, 100, 120, 200, 500)}
    )

    def frame(self, values):
        tokens = REPLICAS * values["micro_batches"] * SEQUENCE
        devices = REPLICAS * TENSOR_PARALLEL * values["stages"]
        config = transformer.model(MODEL).config
        again = transformer.recomputed_flops_per_token(config, SEQUENCE, values["recompute"])
        step = utilization.step_breakdown(
            tokens * transformer.training_flops_per_token(config, SEQUENCE, "megatron"),
            devices,
            specs.accelerator(CHIP).peak_flops_dense("bf16"),
            values["kernels"] / 100,
            recomputed_flops=tokens * again,
            stages=values["stages"],
            micro_batches=values["micro_batches"],
            chunks=values["chunks"],
            communication_seconds=values["communication"],
            hidden_fraction=values["hidden"] / 100,
            input_seconds=tokens / (1e3 * values["loader"]),
        )
        subject = f"{MODEL} on {devices:,} A100, {tokens / 1e6:.1f} million tokens a step"
        return Frame(
            draw.waterfall(step, subtitle=subject), self._table(step, subject), self._say(step, tokens, devices)
        )

    def _table(self, step, subject):
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
        return Table(subject, columns, tuple(rows), marked=list(step.parts).index(largest_loss(step)))

    def _say(self, step, tokens, devices):
        worst = largest_loss(step)
        speed = utilization.tokens_per_second(tokens, step.seconds)
        days = utilization.training_time(TOKENS, speed) / utilization.DAY
        lost = 100 * step.parts[worst] / step.seconds
        most = f"The largest loss is {NAMES[worst]}: {lost:.1f} %." if lost else "Nothing is lost."
        return (
            f"The model's arithmetic would take {seconds(step.model_arithmetic)} at the peak; the step takes "
            f"{seconds(step.seconds)}: MFU {100 * step.mfu:.1f} %. With what is done twice the hardware reaches HFU "
            f"{100 * step.hfu:.1f} %. {most} At {speed:,.0f} tokens/s, {TOKENS / 1e9:.0f} billion tokens take "
            f"{days:.1f} days on {devices:,} devices."
        )
