"""Explorer of the roofline: what a batch does to the operations of a transformer."""

from dataclasses import replace
from typing import Any

import numpy as np

from chip2cluster import draw, specs
from chip2cluster import roofline as model
from chip2cluster.draw.format import tera
from chip2cluster.explore.base import Explorer
from chip2cluster.explore.compare_roof import (
    CACHE,
    MEASURED,
    NONE,
    device_of,
    devices,
    doubt_in_cache,
    maker_of,
    missing,
    name_of,
    rival,
    rivals,
    second_roof,
)
from chip2cluster.explore.controls import Choice, Slider
from chip2cluster.explore.frame import Column, Extent, Frame, Table
from chip2cluster.explore.handle import Handle
from chip2cluster.explore.static_states import ALL, Strip
from chip2cluster.units import significant

HEAD_WIDTH = 128  # elements; usual since 2020
# Four steps to a doubling: 1 2 3 4 5 6 7 8 10 12 14 16 ... 4096.
BATCHES = tuple(
    sorted({max(1, 2**n * quarter // 4) for n in range(12) for quarter in (4, 5, 6, 7)} | {3, 5, 6, 7, 4096})
)
WORDS = {"feed-forward layer": "feed-forward, decode", "Attention in decode": "attention, decode"}
FOLLOW = "as the precision"
ENDLESS = 10**9  # tokens of a prompt so long that its length no longer matters
# All devices would be too many frames for a book.
FILMED = ("A100 SXM 80GB", "H100 SXM", "B200", "MI300X", "MI355X", "TPU v5p")


def _precisions(values):
    return specs.accelerator(values["device"]).precisions_dense


def _tokens(count):
    return f"{count:,} token{'' if count == 1 else 's'}"


def _tera(rate_in_tera):
    return tera(1e12 * rate_in_tera)


class Roofline(Explorer):
    """Move operations of a transformer along the roof of a real accelerator.

    Feed-forward and attention layers, in decode and prefill, on one roof or two.

    Parameters
    ----------
    device : str or Accelerator
        Any unambiguous name of an accelerator in `chip2cluster.specs`, or one of your
        `specs.own`.
    **values
        Start values of the other controls: ``precision``, ``batch``, ``compare`` (another
        device, "what was measured" or "its L2 cache", where these are known), ``width``, ``context``, ``group``,
        ``element_bytes``, ``floor`` (shortest time of a kernel, seconds: 0, or `roofline.MEASURED_FLOOR`).

    Raises
    ------
    specs.UnknownAccelerator
        For a device that is not in the catalogue.
    ValueError
        For an unknown control, or a value that it does not offer.

    Examples
    --------
    >>> from chip2cluster import explore
    >>> view = explore.roofline("A100 SXM 80GB", batch=64)
    >>> view.table[0]["intensity (FLOP/byte)"].__round__(2)
    63.38
    """

    title = "Roofline explorer"
    extent = Extent(letters=420)
    controls: tuple[Choice, ...] = (
        Choice(
            name="device", label="Device", options=devices, default="A100 SXM 80GB", parse=device_of, text=name_of, group=maker_of,
        ),
        Choice(name="precision", label="Precision", options=_precisions, default="bf16", prefer=("fp16", "fp8")),
        Slider(
            name="batch", label="Batch in decode", default=1, options=BATCHES, text=_tokens
        ),
        Choice(
            name="compare", label="Compare with", options=rivals, default=NONE, more=True,
            parse=rival, text=lambda name: name if name in (NONE, MEASURED, CACHE) else name_of(name),
            why=missing, group=maker_of,
        ),
        Slider(
            name="width", label="Model width d", default=8192, options=tuple(2**n for n in range(10, 15)), more=True
        ),
        Slider(
            name="context", label="Prompt or context", default=4096, options=tuple(2**n for n in range(9, 18)),
            text=_tokens, more=True,
        ),
        Choice(name="group", label="Query heads per key/value head", default=8, options=(1, 4, 8), more=True),
        Choice(
            name="element_bytes", label="Bytes per element", default=FOLLOW, options=(FOLLOW, 4, 2, 1, 0.5), more=True
        ),
        Choice(
            name="floor", label="Shortest time of a kernel", default=0.0, options=(0.0, model.MEASURED_FLOOR), more=True,
            text=lambda seconds: f"{1e6 * seconds:g} µs, as measured on an H100" if seconds else "none",
        ),
    )  # fmt: skip
    strip = Strip("batch", {"device": FILMED, "precision": ("bf16", "fp8", "fp4", "int8"), "group": ALL})

    def __init__(self, *given, **values):
        values = self._named(given, values)
        own = tuple(chip for chip in map(values.get, ("device", "compare")) if isinstance(chip, specs.Accelerator))
        if own := tuple(chip for chip in own if chip not in specs.accelerators()):
            also = {
                "device": lambda shown: (*devices(shown), *own),
                "compare": lambda shown: (
                    *rivals(shown),
                    *(chip for chip in own if chip != shown["device"] and shown["precision"] in chip.precisions_dense),
                ),
            }
            self.controls = tuple(
                replace(control, options=also[control.name]) if control.name in also else control
                for control in self.controls
            )
        super().__init__(**values)

    def frame(self, values: dict[str, Any]) -> Frame:
        device, precision = specs.accelerator(values["device"]), values["precision"]
        unit = "OP" if specs.precision(precision).is_integer else "FLOP"
        roofs = [draw.Roof(device.name, device.peak_flops_dense(precision), device.memory_bandwidth)]
        roofs += second_roof(values["compare"], device, values["precision"], roofs[0])
        operations = self._operations(values)
        first = roofs[0].peak_flops, roofs[0].memory_bandwidth
        rows = []
        for operation in operations:
            bound, rate = (
                "compute" if model.is_compute_bound(operation.intensity, *first) else "memory",
                operation.rate(roofs[0]),
            )
            if rate < roofs[0].rate(operation.intensity):
                bound = "shortest time"
            row = [operation.name, operation.intensity, rate / 1e12, 100 * rate / roofs[0].peak_flops, bound]
            for roof in roofs[1:]:
                stands = operation.on(roof)
                if stands is None:
                    row += [None, None]
                else:
                    rate = operation.rate(roof)
                    row += [stands, rate / 1e12] if roof.cache else [rate / 1e12, 100 * rate / roof.peak_flops]
            rows.append(tuple(row))
        picture = draw.roofline(roofs, operations, unit=unit)
        return Frame(picture, Table(self._subject(values), self._columns(roofs, unit), tuple(rows), marked=0),
                     self._say(values, device, roofs, rows, unit), handles=(self._handle(values, roofs[0]),), words=WORDS)  # fmt: skip

    def _handle(self, values, roof):
        """The moved operation at every batch."""
        kernels = model.feed_forward(np.array(BATCHES), values["width"], bytes_per_element=_element_bytes(values))
        roofs = roof.peak_flops, roof.memory_bandwidth
        rates = model.attainable(kernels.intensity, *roofs, flops=kernels.flops, floor_seconds=values["floor"])
        return Handle(
            "batch", tuple(zip(np.asarray(kernels.intensity).tolist(), np.asarray(rates).tolist(), strict=True))
        )

    def _operations(self, values):
        width, context, size = values["width"], values["context"], _element_bytes(values)
        heads = width // HEAD_WIDTH
        shape = (context, heads, HEAD_WIDTH, heads // values["group"])
        moved = model.feed_forward(values["batch"], width, bytes_per_element=size)
        start = model.feed_forward(1, width, bytes_per_element=size).intensity
        kernels = {
            "feed-forward, decode": moved,
            "attention, decode": model.attention_decode(*shape, values["batch"], size),
            "attention, prefill": model.attention_prefill(*shape, 1, size),
            "feed-forward, prefill": model.feed_forward(context, width, bytes_per_element=size),
        }
        own = {
            "feed-forward, decode": {"moved": True, "start": start},
            "attention, prefill": {"cache_intensity": _per_cache(values, context).intensity},
        }
        return [
            draw.Operation(
                name, kernel.intensity, flops=kernel.flops, floor_seconds=values["floor"], **own.get(name, {})
            )
            for name, kernel in kernels.items()
        ]

    def _subject(self, values):
        return f"{name_of(values['device'])}, {values['precision']}, batch {values['batch']:,}, d = {values['width']:,}"

    def _columns(self, roofs, unit):
        columns = [
            Column("operation"),
            Column("intensity", f"{unit}/byte", lambda x: significant(x) if x < 1000 else f"{x:,.0f}"),
            Column("attainable", f"T{unit}/s", _tera),
            Column("of peak", "%", "{:.1f}".format),
            Column("bound by"),
        ]
        for roof in roofs[1:]:
            if roof.cache:
                columns += [Column("per L2", f"{unit}/byte", _or_blank(significant))]
                columns += [Column("L2 allows", f"T{unit}/s", _or_blank(_tera))]
            else:
                columns += [Column(_heading(roof), f"T{unit}/s", _tera), Column("of its peak", "%", "{:.1f}".format)]
        return tuple(columns)

    def _say(self, values, device, roofs, rows, unit):
        batch, precision = values["batch"], values["precision"]
        reaches = f"At batch {batch:,} the feed-forward layer reaches {rows[0][3]:.1f} % of {_the(device)}'s"
        parts = [f"{reaches} {self._peak(roofs[0], unit)} in {precision}:", *self._bound(values, roofs[0])]
        parts += self._doubts(device, precision)
        for roof in roofs[1:]:
            if roof.cache:
                parts.append(
                    f"Between its L2 cache and the multiprocessors attention in prefill does {significant(rows[2][5])} "
                    f"{unit}/byte, a block of 128 queries at a time: at most {_tera(rows[2][6])} T{unit}/s here. "
                    f"By this count no prompt, however long, gets past {tera(roof.rate(_per_cache(values, ENDLESS).intensity))} T{unit}/s."
                )
                parts += doubt_in_cache(device)
            elif roof.name == "measured":
                parts.append(
                    f"Measured on this chip: a product of {self._peak(roof, unit)}, {100 * roof.peak_flops / roofs[0].peak_flops:.0f} % "
                    f"of the sheet, and a triad at {100 * roof.memory_bandwidth / roofs[0].memory_bandwidth:.0f} % of its bandwidth."
                )
            else:
                parts += [
                    f"On {_the(specs.accelerator(values['compare']))} it reaches {rows[0][6]:.1f} % of {self._peak(roof, unit)}:"
                ]
                parts += self._bound(values, roof) + self._doubts(specs.accelerator(values["compare"]), precision)
        if small := [row[0] for row in rows if row[4] == "shortest time"]:
            parts.append(
                f"No kernel takes less than {1e6 * values['floor']:g} µs, which holds {'; '.join(small)} below the roof."
            )
        elif values["floor"]:
            parts.append(
                f"All of them take longer than {1e6 * values['floor']:g} µs, so the shortest time changes nothing."
            )
        parts.append(f"Attention in decode stays at {significant(rows[1][1], 2)} {unit}/byte whatever the batch.")
        return " ".join(parts)

    def _peak(self, roof, unit):
        return f"{tera(roof.peak_flops)} T{unit}/s"

    def _bound(self, values, roof):
        """Which roof holds the feed-forward layer, and since or from which batch."""
        threshold = model.batch_threshold(
            values["width"], 4 * values["width"], roof.peak_flops, roof.memory_bandwidth, _element_bytes(values)
        )
        if threshold == float("inf"):
            return ["memory-bound.", "No batch, however large, makes it compute-bound."]
        if values["batch"] >= threshold:
            return ["compute-bound.", f"It has been so since {_tokens(int(threshold))}."]
        return ["memory-bound.", f"It becomes compute-bound at {_tokens(int(threshold))}."]

    def _doubts(self, device, precision):
        fields = {"memory bandwidth": ("memory_bandwidth",), f"{precision} peak": ("peak_flops_dense", precision)}
        weak = [name for name, key in fields.items() if device.source(*key).confidence == "low"]
        return [f"Low confidence in the {device.name}'s {' and '.join(weak)}: sources disagree."] if weak else []


def _the(device):
    return f"the {device.name}" if device in specs.accelerators() else device.name


def _heading(roof):
    return "under the measured roof" if roof.name == "measured" else f"on {roof.name}"


def _or_blank(text):
    return lambda value: "" if value is None else text(value)


def _per_cache(values, context):
    """Attention in prefill, with the bytes that cross between the L2 cache and the multiprocessors."""
    heads = values["width"] // HEAD_WIDTH
    return model.attention_prefill_per_cache(context, heads, HEAD_WIDTH, bytes_per_element=_element_bytes(values))


def _element_bytes(values):
    chosen = values["element_bytes"]
    return specs.bytes_of(values["precision"]) if chosen == FOLLOW else chosen
