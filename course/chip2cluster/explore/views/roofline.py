"""Explorer of the roofline: what a batch does to the operations of a transformer."""

from ... import draw, specs
from ... import roofline as model
from ...draw.pictures.roofline import tera
from ...units import significant
from ..base import Explorer
from ..controls import Choice, Slider
from ..frame import Column, Frame, Table
from ..strip import ALL, Strip

HEAD_WIDTH = 128  # elements; usual since 2020
# Four steps to a doubling: 1 2 3 4 5 6 7 8 10 12 14 16 ... 4096.
BATCHES = tuple(
    sorted({max(1, 2**n * quarter // 4) for n in range(12) for quarter in (4, 5, 6, 7)} | {3, 5, 6, 7, 4096})
)
NONE, FOLLOW = "none", "as the precision"
# All devices would be too many frames for a book.
FILMED = ("A100 SXM 80GB", "H100 SXM", "B200", "MI300X", "MI355X", "TPU v5p")


def _devices(_):
    return tuple(device.name for device in specs.accelerators())


def _precisions(values):
    return specs.accelerator(values["device"]).precisions_dense


def _rivals(values):
    """Only a device that has the precision can be compared in it."""
    others = (device for device in specs.accelerators() if device.name != values["device"])
    return (NONE, *(device.name for device in others if values["precision"] in device.precisions_dense))


def _device_name(name):
    return specs.accelerator(name).name


def _tokens(count):
    return f"{count:,} token{'' if count == 1 else 's'}"


def _tera(rate_in_tera):
    return tera(1e12 * rate_in_tera)


class Roofline(Explorer):
    """Move operations of a transformer along the roof of a real accelerator.

    Feed-forward and attention layers, in decode and prefill, on one roof or two.

    Parameters
    ----------
    device : str
        Any unambiguous name of an accelerator in `chip2cluster.specs`.
    **values
        Start values of the other controls: ``precision``, ``batch``, ``compare``,
        ``width``, ``context``, ``group``, ``element_bytes``.

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
    controls = (
        Choice(name="device", label="Device", options=_devices, default="A100 SXM 80GB", parse=_device_name),
        Choice(name="precision", label="Precision", options=_precisions, default="bf16", prefer=("fp16", "fp8")),
        Slider(
            name="batch", label="Batch in decode", default=1, options=BATCHES, text=_tokens
        ),
        Choice(
            name="compare", label="Compare with", options=_rivals, default=NONE, more=True,
            parse=lambda name: name if name == NONE else _device_name(name),
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
    )  # fmt: skip
    strip = Strip("batch", {"device": FILMED, "precision": ("bf16", "fp8", "fp4", "int8"), "group": ALL})

    def frame(self, values):
        names = [values["device"]] + [values["compare"]] * (values["compare"] != NONE)
        devices, precision = [specs.accelerator(name) for name in names], values["precision"]
        unit = "OP" if precision.startswith("int") else "FLOP"
        roofs = [draw.Roof(d.name, d.peak_flops_dense(precision), d.memory_bandwidth) for d in devices]
        operations = self._operations(values)
        chips = [(roof.peak_flops, roof.memory_bandwidth) for roof in roofs]
        bound = lambda intensity: "compute" if model.is_compute_bound(intensity, *chips[0]) else "memory"
        rows = []
        for operation in operations:
            row = [operation.name, operation.intensity]
            for number, chip in enumerate(chips):
                rate = model.attainable(operation.intensity, *chip)
                row += [rate / 1e12, 100 * model.fraction_of_peak(operation.intensity, *chip)]
                row += [bound(operation.intensity)] * (number == 0)
            rows.append(tuple(row))
        picture = draw.roofline(roofs, operations, subtitle=self._subject(values), unit=unit)
        return Frame(picture, Table(self._subject(values), self._columns(roofs, unit), tuple(rows), marked=0),
                     self._say(values, devices, roofs, rows, unit))  # fmt: skip

    def _operations(self, values):
        width, context, size = values["width"], values["context"], _element_bytes(values)
        heads = width // HEAD_WIDTH
        shape = (context, heads, HEAD_WIDTH, heads // values["group"])
        moved = model.feed_forward(values["batch"], width, bytes_per_element=size)
        return [
            draw.Operation(
                "feed-forward, decode", moved.intensity, moved=True,
                start=model.feed_forward(1, width, bytes_per_element=size).intensity,
            ),
            draw.Operation("attention, decode", model.attention_decode(*shape, values["batch"], size).intensity),
            draw.Operation("attention, prefill", model.attention_prefill(*shape, 1, size).intensity),
            draw.Operation("feed-forward, prefill", model.feed_forward(context, width, bytes_per_element=size).intensity),
        ]  # fmt: skip

    def _subject(self, values):
        return f"{values['device']}, {values['precision']}, batch {values['batch']:,}, d = {values['width']:,}"

    def _columns(self, roofs, unit):
        columns = [
            Column("operation"),
            Column("intensity", f"{unit}/byte", lambda x: significant(x) if x < 1000 else f"{x:,.0f}"),
            Column("attainable", f"T{unit}/s", _tera),
            Column("of peak", "%", "{:.1f}".format),
            Column("bound by"),
        ]
        for roof in roofs[1:]:
            columns += [Column(f"on {roof.name}", f"T{unit}/s", _tera), Column("of its peak", "%", "{:.1f}".format)]
        return tuple(columns)

    def _say(self, values, devices, roofs, rows, unit):
        parts = []
        for number, (device, roof) in enumerate(zip(devices, roofs, strict=True)):
            percent = rows[0][3] if number == 0 else rows[0][6]
            peak = f"{tera(roof.peak_flops)} T{unit}/s"
            threshold = model.batch_threshold(
                values["width"], 4 * values["width"], roof.peak_flops, roof.memory_bandwidth, _element_bytes(values)
            )
            reached = values["batch"] >= threshold
            bound = "compute-bound" if reached else "memory-bound"
            if number == 0:
                parts.append(
                    f"At batch {values['batch']:,} the feed-forward layer reaches {percent:.1f} % of the "
                    f"{device.name}'s {peak} in {values['precision']}: {bound}."
                )
            else:
                parts.append(f"On the {device.name} it reaches {percent:.1f} % of {peak}: {bound}.")
            if threshold == float("inf"):
                parts.append("No batch, however large, makes it compute-bound.")
            else:
                since = "It has been so since" if reached else "It becomes compute-bound at"
                parts.append(f"{since} {_tokens(int(threshold))}.")
            parts += self._doubts(device, values["precision"])
        parts.append(f"Attention in decode stays at {significant(rows[1][1], 2)} {unit}/byte whatever the batch.")
        return " ".join(parts)

    def _doubts(self, device, precision):
        fields = {"memory bandwidth": ("memory_bandwidth",), f"{precision} peak": ("peak_flops_dense", precision)}
        weak = [name for name, key in fields.items() if device.source(*key).confidence == "low"]
        return [f"Low confidence in the {device.name}'s {' and '.join(weak)}: sources disagree."] if weak else []


def _element_bytes(values):
    chosen = values["element_bytes"]
    return specs.bytes_of(values["precision"]) if chosen == FOLLOW else chosen
