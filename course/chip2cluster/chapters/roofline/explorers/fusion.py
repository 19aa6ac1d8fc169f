"""Explorer of fusion: operations that hand on their results merge into one mark, further right."""

from dataclasses import replace
from typing import Any

from chip2cluster import draw, specs
from chip2cluster import roofline as model
from chip2cluster.explore.base import Explorer
from chip2cluster.explore.compare_roof import device_of, maker_of, name_of
from chip2cluster.explore.controls import Choice, Slider
from chip2cluster.explore.frame import Column, Extent, Frame, Table
from chip2cluster.explore.handle import Handle
from chip2cluster.explore.static_states import Strip
from chip2cluster.units import show, significant

HEAD_WIDTH, PRECISION = 128, "bf16"
GAIN = 1.005  # times as fast; below, it would read 1.00
CHAINS = {
    "bias, activation": model.bias_chain,
    "product, activation": model.activation_chain,
    "two products": model.feed_forward_chain,
    "attention": lambda tokens, width: model.attention_chain(tokens, width // HEAD_WIDTH, HEAD_WIDTH),
}
FILMED = ("A100 SXM 80GB", "H100 SXM", "B200", "MI300X", "TPU v5p")


def _devices(_):
    return tuple(device.name for device in specs.accelerators() if PRECISION in device.precisions_dense)


class Fusion(Explorer):
    """Merge operations that follow each other, and watch the mark move right.

    Two or three operations of a transformer in bf16, one after the other or in one kernel.

    Parameters
    ----------
    chain : {"bias, activation", "product, activation", "two products", "attention"}
        Operations that follow each other.
    **values
        Start values of the other controls: ``tokens``, ``device`` (a name, or one of your
        `specs.own`), ``width``.

    Raises
    ------
    specs.UnknownAccelerator
        For a device that is not in the catalogue.
    ValueError
        For an unknown control, or a value that it does not offer.

    Examples
    --------
    >>> from chip2cluster import explore
    >>> view = explore.fusion("attention", tokens=4096)
    >>> round(view.table[-1]["intensity (FLOP/byte)"])
    2068
    """

    title = "Fusion explorer"
    extent = Extent(letters=200, rows=5)
    controls: tuple[Choice, ...] = (
        Choice(name="chain", label="Operations", options=tuple(CHAINS), default="attention"),
        Slider(name="tokens", label="Tokens", default=1024, options=tuple(2**n for n in range(3, 17))),
        Choice(
            name="device", label="Device", options=_devices, default="A100 SXM 80GB", group=maker_of,
            parse=device_of, text=name_of,
        ),
        Slider(name="width", label="Model width d", default=8192, options=tuple(2**n for n in range(10, 15)), more=True),
    )  # fmt: skip
    strip = Strip("tokens", {"chain": tuple(CHAINS), "device": FILMED})

    def __init__(self, *given, **values):
        values = self._named(given, values)
        own = values.get("device")
        if isinstance(own, specs.Accelerator) and own not in specs.accelerators():
            self.controls = tuple(
                replace(control, options=lambda shown: (*_devices(shown), own)) if control.name == "device" else control
                for control in self.controls
            )
        super().__init__(**values)

    def frame(self, values: dict[str, Any]) -> Frame:
        device = specs.accelerator(values["device"])
        roof = draw.Roof(device.name, device.peak_flops_dense(PRECISION), device.memory_bandwidth)
        chip = roof.peak_flops, roof.memory_bandwidth
        chain = CHAINS[values["chain"]](values["tokens"], values["width"])
        seconds = sum(part.time(*chip) for part in chain.parts.values())
        rows = [self._row(name, part, part.time(*chip), chip) for name, part in chain.parts.items()]
        rows.append((*self._row("one after the other", chain.apart, seconds, chip)[:-1], ""))
        rows.append(self._row("fused", chain.fused, chain.fused.time(*chip), chip))
        marks = [draw.Operation(name, part.intensity) for name, part in chain.parts.items()]
        marks.append(draw.Operation("fused", chain.fused.intensity, moved=True, start=chain.apart.intensity))
        subject = f"{values['chain']}: {values['tokens']:,} tokens, d = {values['width']:,}, {device.name}"
        columns = (
            Column("operation"), Column("work", "GFLOP", lambda x: f"{x:,.3g}" if x < 1000 else f"{x:,.0f}"),
            Column("moved", "MB", lambda x: significant(x) if x < 1000 else f"{x:,.0f}"),
            Column("intensity", "FLOP/byte", lambda x: significant(x) if x < 1000 else f"{x:,.0f}"),
            Column("at least", "µs", lambda x: significant(x) if x < 1000 else f"{x:,.0f}"), Column("bound by"),
        )  # fmt: skip
        gain = seconds / chain.fused.time(*chip)
        title = f"Fused: {gain:.2f} times as fast" if gain >= GAIN else "Fused: next to nothing is gained"
        picture = draw.roofline([roof], marks, title=title, subtitle=PRECISION)
        counts = self._choices("tokens", values)
        each = [CHAINS[values["chain"]](count, values["width"]).fused.intensity for count in counts]
        handle = Handle("tokens", tuple((intensity, roof.rate(intensity)) for intensity in each))
        table, say = Table(subject, columns, tuple(rows), marked=len(rows) - 1), self._say(chain, chip, seconds, gain)
        return Frame(picture, table, say, handles=(handle,))

    def _row(self, name, kernel, seconds, chip):
        bound = "compute" if model.is_compute_bound(kernel.intensity, *chip) else "memory"
        return name, kernel.flops / 1e9, kernel.bytes_moved / 1e6, kernel.intensity, 1e6 * seconds, bound

    def _say(self, chain, chip, seconds, gain):
        saved = chain.apart.bytes_moved - chain.fused.bytes_moved
        first = (
            f"Fused, {show(saved, 'B', 3)} of {show(chain.apart.bytes_moved, 'B', 3)} no longer go through memory: the mark "
            f"moves along the faint track from {significant(chain.apart.intensity)} to {significant(chain.fused.intensity)} FLOP/byte, and "
        )
        if gain < GAIN:
            full = all(model.is_compute_bound(part.intensity, *chip) for part in chain.parts.values())
            why = (
                "each operation was held by its arithmetic already"
                if full
                else "the bytes they exchange are few compared with the weights that each reads"
            )
            return f"{first}next to nothing is gained: {why}."
        return first + (
            f"the least time falls from {show(seconds, 's', 3)} to {show(chain.fused.time(*chip), 's', 3)}: "
            f"{gain:.2f} times as fast."
        )
