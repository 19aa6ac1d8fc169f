"""Explorer of axes: the tier on which each axis of a layout falls, what of its messages is seen, what else would fit."""

from functools import lru_cache
from itertools import permutations
from typing import Any

from chip2cluster import draw, parallelism, specs
from chip2cluster._validate import known, whole
from chip2cluster.explore.base import Explorer
from chip2cluster.explore.controls import Choice, Nearest, Slider, Toggle, joined
from chip2cluster.explore.custom_model import named_config
from chip2cluster.explore.frame import Column, Extent, Frame, Table
from chip2cluster.explore.static_states import ALL, Strip
from chip2cluster.parallelism import Layout, Tier
from chip2cluster.units import significant
from chip2cluster.units_parse import parse

DEVICES = 1152  # a multiple of 8, 64, 72 and 144
DOMAINS = (4, 8, 64, 72, 144)  # 64: a rack of 72 whose operators keep 8 as spares
DEGREES = (1, 2, 4, 8, 16)
MOST_STAGES = 64
LISTED = 4  # layouts that fit, and as many that do not
LATENCY = 2e-6, 5e-6  # seconds of a message in the domain and beyond
ORDERS = tuple(map(", ".join, permutations(("tensor", "pipeline", "data"))))
ALL_ORDERS = tuple(map(", ".join, permutations(("tensor", "context", "pipeline", "data"))))


def _order(words):
    """The order of all four axes; where nobody shares sequences it does not matter where that axis stands."""
    axes = tuple(words.split(", "))
    return axes if "context" in axes else (*axes, "context")


class Axes(Explorer):
    """Lay the axes of a layout on a fast domain and a network, and see which messages a step waits for.

    Parameters
    ----------
    domain : int
        Devices that reach each other at the chip's own links: 4, 8, 64 (of a rack of 72), 72 or 144.
    tensor : int
        Devices that share each matrix, t; what the other degrees leave are copies, d.
    order : str
        The axes from the innermost out, such as ``"tensor, pipeline, data"``.
    model : str or transformer.Config
        A published model by name, or a shape of your own.
    chip : str or specs.Accelerator
        A chip by name, or your own from `specs.own`.
    devices : int
        All of them, N.
    network : str or float
        Bandwidth of each device beyond its domain, one way: "25 GB/s", or bytes/s.
    tiers : sequence of parallelism.Tier, optional
        A whole network of your own, instead of ``domain`` and ``network``.
    **values
        Start values of the other controls: ``pipeline`` (p), ``context`` (c), ``expert`` (e), ``zero_stage``,
        ``recompute``, ``sequence`` (tokens) and ``global_batch`` (sequences of a step), where your
        own whole number joins those of the slider, ``kernels`` (of peak, %), ``list_layouts``.

    Raises
    ------
    ValueError, TypeError
        For an unknown control or a value that it does not offer, and a model, chip, or network that cannot be.

    Examples
    --------
    >>> from chip2cluster import explore
    >>> view = explore.axes(domain=8, tensor=8)
    >>> [row["tier"] for row in view.table if row["axis"] == "tensor"]
    ['fast domain']
    """

    title = "Where the axes go"
    extent = Extent(letters=430)
    positional = ("domain", "tensor", "order")
    strip = Strip("tensor", {"domain": ALL, "order": ALL, "list_layouts": ALL}, steps=(1, 2, 4, 8, 16))
    model, config = named_config("Llama 3.1 405B")
    chip = specs.accelerator("GB200")
    devices, outside = DEVICES, 50e9
    tiers = None  # of the reader's network

    def __init__(self, *given, model=None, chip=None, devices=None, network=None, tiers=None, **values):
        values = self._named(given, values)
        if model is not None:
            self.model, self.config = named_config(model)
        if chip is not None:
            self.chip = specs.accelerator(chip)
        self.chip.peak_flops_dense("bf16")  # refuses a chip that has none
        if devices is not None:
            self.devices = whole("devices", devices, minimum=2)
        if tiers is not None:
            if network is not None or "domain" in values:
                raise ValueError("tiers describe a whole network; leave out domain and network")
            self.tiers = tuple(tiers)
            parallelism.place(Layout(data=self.devices), self.tiers)  # refuses what is none
        elif self.chip.scale_up_bandwidth_one_way is None:
            raise ValueError(f"{self.chip.name} has no link to other chips in the catalogue: give tiers")
        if network is not None:
            self.outside = parse(network, "B/s") if isinstance(network, str) else network
            Tier("network", 1, self.outside)  # refuses what is no rate
        self._legal = lru_cache(maxsize=64)(self._legal_degrees)
        self._layouts = lru_cache(maxsize=64)(self._all_layouts)
        self.controls = self._controls()
        for name in ("global_batch", "sequence"):
            if name in values:
                self.controls = joined(self.controls, name, values[name])
        batch = values.get("global_batch", self.devices)
        if not self._legal(batch, values.get("sequence", 8192), 1):
            raise ValueError(
                f"no layout of {self.devices} devices can divide global_batch {batch} evenly; use {self.devices}, for example"
            )
        super().__init__(**values)

    # -- controls -----------------------------------------------------------------------

    def _controls(self):
        domains = tuple(size for size in DOMAINS if size <= self.devices) or (self.devices,)
        domain = Choice(name="domain", label="Fast domain", unit="devices", options=domains,
                        default=72 if 72 in domains else domains[-1])  # fmt: skip
        return (
            *(() if self.tiers else (domain,)),
            Slider(name="global_batch", label="Sequences per step", more=True, default=self.devices,
                   options=tuple(self.devices * times for times in (1, 2, 4, 8))),
            Slider(name="sequence", label="Tokens per sequence", more=True, default=8192,
                   options=(2048, 4096, 8192, 16384, 32768, 65536, 131072)),
            Choice(name="zero_stage", label="ZeRO stage", options=(0, 1, 2, 3), default=1, more=True),
            Choice(name="recompute", label="Recompute", options=("none", "selective", "full"), default="selective",
                   more=True),
            Slider(name="kernels", label="Kernel efficiency, of peak", unit="%", options=(30, 40, 50, 60, 70, 80, 100),
                   default=60, more=True),
            Slider(name="context", label="Context, c", default=1, more=True, options=self._contexts),
            Nearest(name="tensor", label="Tensor, t", default=8, options=lambda values: tuple(self._pairs(values)),
                    why=lambda t, values: self._why(Layout(tensor=t, context=values["context"]), values)),
            Nearest(name="pipeline", label="Pipeline, p", default=8, more=True,
                    options=lambda values: self._pairs(values)[values["tensor"]],
                    why=lambda p, values: self._why(Layout(values["tensor"], p, context=values["context"]), values)),
            Choice(name="expert", label="Expert, e", default=1, options=self._experts, more=True,
                   why=lambda e, values: "it must divide the replicas and the experts"),
            Choice(name="order", label="Innermost first", default=ORDERS[0], prefer=(ALL_ORDERS[0],),
                   options=lambda values: ORDERS if values["context"] == 1 else ALL_ORDERS),
            Toggle(name="list_layouts", label="List all layouts", more=True),
        )  # fmt: skip

    def _legal_degrees(self, batch, sequence, context):
        """For every tensor degree that has any, the pipeline degrees that make a legal layout with it."""
        rest, found = self.devices // context, {}
        for t in (t for t in range(1, rest + 1) if self.devices % (t * context) == 0):
            stages = tuple(
                p for p in range(1, min(MOST_STAGES, rest // t) + 1)
                if self.devices % (t * p * context) == 0
                and not Layout(t, p, rest // t // p, context).problems(self.config, batch, sequence=sequence)
            )  # fmt: skip
            if stages:
                found[t] = stages
        return found

    def _pairs(self, values):
        return self._legal(values["global_batch"], values["sequence"], values["context"])

    def _contexts(self, values):
        return tuple(c for c in DEGREES if self.devices % c == 0 and self._pairs({**values, "context": c})) or (1,)

    def _experts(self, values):
        experts = self.config.experts
        routed = experts.routed if experts else 1
        copies = self.devices // (values["tensor"] * values["pipeline"] * values["context"])
        return tuple(e for e in (1, 2, 4, 8, 16, 32, 64, 128) if routed % e == 0 and copies % e == 0)

    def _why(self, layout, values):
        """Why these degrees are not offered, in a clause."""
        taken = layout.tensor * layout.pipeline * layout.context
        if self.devices % taken:
            return f"{taken} does not divide {self.devices} devices"
        whole_one = Layout(layout.tensor, layout.pipeline, self.devices // taken, layout.context)
        problems = whole_one.problems(self.config, values["global_batch"], sequence=values["sequence"])
        return problems[0] if problems else f"there are more than {MOST_STAGES} stages"

    # -- what is shown ------------------------------------------------------------------

    def _network(self, values):
        if self.tiers:
            return self.tiers
        size = values["domain"]
        inside = known("scale_up_bandwidth_one_way", self.chip.scale_up_bandwidth_one_way)
        domains = -(-self.devices // size)
        fast = Tier("fast domain", size, inside, LATENCY[0])
        return (fast, Tier("network", size * domains, self.outside, LATENCY[1])) if domains > 1 else (fast,)

    def _layout(self, values):
        t, p, c = (values[name] for name in ("tensor", "pipeline", "context"))
        kept = {name: values[name] for name in ("expert", "zero_stage", "recompute")}
        return Layout(t, p, self.devices // (t * p * c), c, **kept)

    def _options(self, values):
        return {"sequence": values["sequence"], "global_batch": values["global_batch"],
                "kernel_efficiency": values["kernels"] / 100}  # fmt: skip

    def frame(self, values: dict[str, Any]) -> Frame:
        layout, tiers, options = self._layout(values), self._network(values), self._options(values)
        order = _order(values["order"])
        times = parallelism.axis_times(self.config, layout, self.chip, tiers, order=order, **options)
        step = parallelism.step_time(self.config, layout, self.chip, tiers, order=order, **options)
        most = max(
            stage.total for stage in parallelism.memory_by_stage(
                self.config, layout, values["sequence"], layout.micro_batches(values["global_batch"]), dropout=False)
        )  # fmt: skip
        inside = "" if self.tiers else f"domains of {values['domain']}: "
        subject, subtitle = f"{inside}{_degrees(layout)}", f"{self.model} on {self.devices:,} {self.chip.name}"
        picture = draw.communication_by_axis(times, tiers, arithmetic_seconds=_kernels(step), subtitle=subtitle)
        if not values["list_layouts"]:
            return Frame(picture, _axis_table(times, layout, subject), self._say(times, step, most))
        kept = layout.context, layout.expert, layout.zero_stage, layout.recompute
        found = self._layouts(kept, tiers, order, tuple(options.items()))
        return Frame(picture, _layout_table(found, layout, subject),
                     self._compare(found, layout, step, most))  # fmt: skip

    def _all_layouts(self, kept, tiers, order, options):
        """Every layout of the devices that keeps these degrees and choices."""
        names = ("contexts", "experts", "zero_stages", "recomputes")
        degrees: dict[str, Any] = {name: (one,) for name, one in zip(names, kept, strict=True)}
        return parallelism.layouts(
            self.config, self.devices, device=self.chip, tiers=tiers, order=order,
            **degrees, **dict(options),
        )  # fmt: skip

    def _say(self, times, step, most):
        room = self.chip.driver_memory_bytes
        worst = max(times.values(), key=lambda one: one.exposed_seconds)
        waits = (
            f"{worst.axis.capitalize()} parallelism runs on the {worst.tier} and costs the most: the step waits {_seconds(worst.exposed_seconds)} for it"
            if worst.exposed_seconds
            else "The step waits for no messages"
        )
        parts = step.parts
        verdict = (
            ""
            if not room
            else f" The fullest device needs {most / 1e9:,.0f} of {room / 1e9:,.0f} GB{', which does not fit' if most > room else ''}."
        )
        return (
            f"{waits}. The step takes at least {_seconds(step.seconds)}: kernels {_seconds(_kernels(step))}, bubble "
            f"{_seconds(parts['pipeline_bubble'])}, exposed communication {_seconds(parts['exposed_communication'])}. MFU is "
            f"at most {100 * step.mfu:.0f} %.{verdict}"
        )

    def _compare(self, found, layout, step, most):
        fitting = [one for one in found if one.fits]
        if not fitting:
            least = min((one for one in found if one.memory_bytes), key=lambda one: one.memory_bytes, default=None)
            near = f" The closest is {_degrees(least.layout)} with {least.memory_bytes / 1e9:,.0f} GB." if least else ""
            return f"None of {len(found)} layouts fits.{near}"
        best = fitting[0]
        place = next((place for place, one in enumerate(fitting, 1) if one.layout == layout), None)
        where = f"it ranks {place} among those that fit" if place else "it does not fit"
        return (
            f"Of {len(found)} layouts {len(fitting)} fit, and the fastest is {_degrees(best.layout)} with "
            f"{_seconds(best.step_seconds)}. This one, {_degrees(layout)}, takes {_seconds(step.seconds)}; {where}."
        )


def _degrees(layout):
    shared = f", c {layout.context}" if layout.context > 1 else ""
    experts = f", e {layout.expert}" if layout.expert > 1 else ""
    return f"t {layout.tensor}, p {layout.pipeline}{shared}, d {layout.data}{experts}"


def _kernels(step):
    """Seconds in which kernels run: all but the waiting."""
    return step.model_arithmetic + step.recomputation + step.slow_kernels


def _three(value):
    return significant(value, 3) if value < 999.5 else f"{value:,.0f}"


def _seconds(time):
    return f"{_three(time)} s"


def _axis_table(times, layout, subject):
    degrees = {"tensor": layout.tensor, "context": layout.context, "pipeline": layout.pipeline, "data": layout.replicas,
               "expert": layout.expert}  # fmt: skip
    rows = [
        (
            axis,
            degrees[axis],
            one.tier if one.seconds else "–",
            one.bytes_sent_one_way_per_step / 1e9,
            one.seconds,
            one.exposed_seconds,
        )
        for axis, one in times.items()
        if axis != "expert" or layout.expert > 1
    ]
    columns = (
        Column("axis"), Column("devices"), Column("tier"), Column("sent", "GB", _three),
        Column("takes", "s", _three), Column("exposed", "s", _three),
    )  # fmt: skip
    worst = max(range(len(rows)), key=lambda number: rows[number][-1])
    return Table(subject, columns, tuple(rows), marked=worst if rows[worst][-1] else None)


def _layout_table(found, layout, subject):
    """The fastest that fit, the layout shown, and those that come nearest to fitting."""
    fitting, rejected = [one for one in found if one.fits], [one for one in found if not one.fits]
    shown = [*fitting[:LISTED], *(one for one in found if one.layout == layout), *_reasons(rejected)]
    shown = sorted(dict.fromkeys(shown), key=found.index)
    rows = tuple(
        (
            _degrees(one.layout), one.memory_bytes and one.memory_bytes / 1e9, one.step_seconds, one.why_not.split(";")[0] or "fits",
        )
        for one in shown
    )  # fmt: skip
    columns = (
        Column("layout"), Column("fullest device", "GB", lambda size: f"{size:,.0f}" if size else "–"),
        Column("step", "s", lambda time: f"{time:,.3g}" if time else "–"), Column("verdict"),
    )  # fmt: skip
    marked = next((row for row, one in enumerate(shown) if one.layout == layout), None)
    return Table(subject, columns, rows, marked)


def _reasons(rejected):
    """One layout for each kind of reason: two that are too full, and illegal ones that differ in why."""
    full = [one for one in rejected if one.memory_bytes]
    kinds: dict[Any, Any] = {}
    for one in rejected:
        if not one.memory_bytes:
            kinds.setdefault(one.why_not.split("=")[0].split(" ")[0], one)
    return [*full[:1], *full[-1:], *kinds.values()][:LISTED]
