"""Explorer of compute against communication: when the exchange of a step outlasts its arithmetic."""

from dataclasses import replace
from functools import partial
from typing import Any

from chip2cluster import draw, specs, transformer, utilization
from chip2cluster._validate import known, whole
from chip2cluster.explore.base import Explorer
from chip2cluster.explore.controls import Choice, Slider
from chip2cluster.explore.custom_model import named_config
from chip2cluster.explore.frame import Column, Extent, Frame, Table
from chip2cluster.explore.handle import Handle
from chip2cluster.explore.static_states import ALL, Strip
from chip2cluster.units import show, significant
from chip2cluster.units_parse import parse

STAGES = {0: "replicated", 1: "optimizer (ZeRO-1, -2)", 3: "fully sharded (FSDP)"}
CHIPS = ("A100 SXM 80GB", "H100 SXM", "H200", "B200", "MI300X", "TPU v5p")
# What a chip sends in the exchange, by the sheets: inside a node, or as one of the node's over all adapters.
NETWORKS = {
    "NVLink 5, one rack": 900e9,
    "NVLink 4, one node": 450e9,
    "nodes of 8, with 8 × 400 Gb/s": utilization.ring_bandwidth(8, 450e9, 50e9),
    "nodes of 8, with 8 × 200 Gb/s": utilization.ring_bandwidth(8, 300e9, 25e9),
    "400 Gb/s for each chip alone": 50e9,
    "nodes of 8, with 1 × 100 Gb/s": utilization.ring_bandwidth(8, 300e9, 12.5e9 / 8),
}
YOURS = "yours"
# Controls that take any whole number of the reader's, and from where to where.
OWN = {"tokens": (64, 262_144), "chips": (2, 1_000_000), "kernels": (1, 100), "wire": (1, 100)}
TOKENS = tuple(2**power for power in range(7, 18))


class Exchange(Explorer):
    """See from how many tokens on the arithmetic of a step hides its exchange.

    Replicas of a model that share gradients, or weights too, on a network of your choice.

    Parameters
    ----------
    tokens : int
        Tokens of a replica between two exchanges. Here, and for ``chips``, ``kernels`` and
        ``wire``, your own whole number joins those of the slider.
    chip : str or specs.Accelerator
        A chip by name, or your own from `specs.own`.
    model : str or transformer.Config
        A published model by name, or a shape of your own. Its size changes seconds and
        bytes, and not the threshold; experts do.
    bandwidth : str or float, optional
        Bandwidth of each chip in the exchange, one way: "25 GB/s", or bytes/s. It makes a
        network of its own, `yours`. It counts as the sheet's rate; of a measured one the wire
        reaches all: ``wire=100``.
    **values
        Start values of the other controls: ``stage`` (0, 1, 3), ``network``, ``chips``,
        ``kernels`` (%), ``wire`` (%), ``gradient`` (bytes).

    Raises
    ------
    ValueError, TypeError
        For an unknown control or a value that it does not offer, and a model, a chip or a
        bandwidth that cannot be.

    Examples
    --------
    >>> from chip2cluster import explore
    >>> view = explore.exchange(16384, chip="H100 SXM")
    >>> view.table[0]["busy (%)"]
    100.0
    >>> explore.exchange(bandwidth="25 GB/s").values["network"]
    'yours'
    """

    title = "Compute against communication"
    extent = Extent(letters=270)
    controls: tuple[Choice, ...] = (
        Slider(name="tokens", label="Tokens of a replica in one pass", options=TOKENS, default=1024),
        Choice(name="stage", label="Sharding", options=tuple(STAGES), default=0, text=STAGES.__getitem__),
        Choice(
            name="network", label="Network", options=tuple(NETWORKS), default="nodes of 8, with 8 × 400 Gb/s",
            text=lambda name: f"{name}: {NETWORKS[name] / 1e9:g} GB/s" if name in NETWORKS else name,
        ),
        Slider(name="chips", label="Chips, each a replica", options=(2, 4, 8, 16, 64, 256, 1024, 4096, 16_384), default=64,
               more=True),
        Choice(name="chip", label="Chip", options=CHIPS, default="H100 SXM", more=True),
        Slider(
            name="kernels", label="Kernel efficiency, of peak", unit="%", options=tuple(range(20, 101, 5)), default=50, more=True
        ),
        Slider(
            name="wire", label="Link reaches, of its datasheet rate", unit="%", options=tuple(range(20, 101, 5)), default=80, more=True
        ),
        Choice(name="gradient", label="A gradient travels as", unit="bytes", options=(1, 2, 4), default=2, more=True),
    )  # fmt: skip
    strip = Strip("tokens", {"stage": ALL, "network": ALL, "kernels": (50, 100)})
    owned = None  # the reader's chip
    rate: float | None = None  # of the reader's network, bytes/s
    name, config = named_config("Llama 3 8B")

    def __init__(self, *given, chip=None, model=None, bandwidth=None, **values):
        if model is not None:
            self.name, self.config = named_config(model)
        values = self._named(given, values)
        for name, (least, most) in OWN.items():
            if name in values:
                values[name] = self._own(name, values[name], least, most)
        if chip is not None:
            found = specs.accelerator(chip)
            found.peak_flops_dense("bf16")  # refuses a chip that has none
            self.owned = found
            self._offer("chip", found.name)
            values["chip"] = found.name
        if bandwidth is not None:
            self.rate = _rate(bandwidth)
            self._offer("network", YOURS)
            values.setdefault("network", YOURS)
        super().__init__(**values)

    def _own(self, name, value, least, most):
        """A count of the reader's: it joins those of the slider."""
        number = whole(name, value, minimum=least)
        if number > most:
            raise ValueError(f"{name} must be from {least} to {most:,}, got {value!r}")
        self._offer(name, number)
        return number

    def _offer(self, name, option):
        """Put something of the reader's among the options of a control."""
        text: dict[str, Any] = {"text": self._network} if name == "network" else {}
        self.controls = tuple(
            replace(control, options=_joined(control.options, option), **text) if control.name == name else control
            for control in self.controls
        )

    def _network(self, name):
        return f"{name}: {self._sheet(name) / 1e9:g} GB/s"

    def _sheet(self, network):
        return self.rate if network == YOURS else NETWORKS[network]

    def _chip(self, name):
        return self.owned if self.owned and self.owned.name == name else specs.accelerator(name)

    def frame(self, values: dict[str, Any]) -> Frame:
        total, active = transformer.parameters(self.config), transformer.active_parameters(self.config)
        sheet = self._sheet(values["network"])
        rate = sheet * values["wire"] / 100
        how = {
            "kernel_efficiency": values["kernels"] / 100, "gradient_bytes": values["gradient"],
            "active_share": active / total,
        }  # fmt: skip
        peak = self._chip(values["chip"]).peak_flops_dense("bf16")
        step = partial(_step, total, values["chips"], peak, how)
        rows = []
        for stage in STAGES:
            now = step(rate, stage, values["tokens"])
            least = [
                utilization.critical_tokens(values["chips"], peak, wire, zero_stage=stage, **how)
                for wire in (rate, sheet)
            ]
            rows.append((STAGES[stage], 100 * now.busy_share, *least, now.arithmetic, now.exchange, now.exposed))
        marked = list(STAGES).index(values["stage"])
        now = rows[marked]
        _, busy, least, least_at_sheet, *_, exposed = now
        title = f"Arithmetic runs {busy:.0f} % of the step: " + (
            "the network sets the pace" if exposed else "the exchange is hidden"
        )
        subject = f"{values['chips']:,} {values['chip']}, {values['wire']} % of {show(sheet, 'B/s')}, kernels at {values['kernels']} %"
        curves = [
            draw.Share(
                "at the link's datasheet rate",
                lambda tokens: step(sheet, values["stage"], tokens).busy_share,
                least_at_sheet,
            ),
            draw.Share(
                f"at {values['wire']} % of it", lambda tokens: step(rate, values["stage"], tokens).busy_share, least
            ),
            draw.Share("the same, without overlap", lambda tokens: _in_turn(step(rate, values["stage"], tokens))),
        ]
        sentence = self._say(values, now)
        picture = draw.busy_fraction(
            curves,
            values["tokens"],
            title=title,
            subtitle=f"{self.name}; {show(rate, 'B/s')} each way",
            description=f"{title}. {self.name}. {sentence}",
        )
        handle = Handle("tokens", tuple((count, None) for count in self._choices("tokens", values)))
        table = Table(subject, COLUMNS, tuple(rows), marked=marked)
        return Frame(picture, table, sentence, handles=(handle,))

    def _say(self, values, row):
        _, busy, least, sheet, arithmetic, exchange, exposed = row
        left = f"{show(exposed, 's')} of it stand out" if exposed else "all of it beside the arithmetic"
        return (
            f"With {values['tokens']:,} tokens a chip computes for {show(arithmetic, 's')} and exchanges for "
            f"{show(exchange, 's')}, {left}: arithmetic runs {busy:.1f} % of the step. The exchange hides from "
            f"{least:,.0f} tokens on, at the link's datasheet rate from {sheet:,.0f}; for {values['chips']:,} chips that is a "
            f"batch of {_count(least * values['chips'])} tokens.{self._of_the_sheet(values)}"
        )

    def _of_the_sheet(self, values):
        """What is done to the reader's bandwidth, where something is."""
        if values["network"] != YOURS or values["wire"] == 100:
            return ""
        rate = known("bandwidth", self.rate)
        return f" Your {show(rate, 'B/s')} counts as a sheet's rate; if you measured it, set the wire to 100 %."


def _joined(options, option):
    """Numbers in order; names as they came."""
    joined = dict.fromkeys((*options, option))
    return tuple(sorted(joined)) if isinstance(option, int) else tuple(joined)


def _step(parameters, chips, peak, how, rate, stage, tokens):
    return utilization.exchange_step(parameters, tokens, chips, peak, rate, zero_stage=stage, **how)


def _count(tokens):
    return f"{tokens / 1e6:,.1f} million" if tokens >= 1e6 else f"{tokens:,.0f}"


def _in_turn(step):
    return step.arithmetic / step.seconds_in_turn


def _rate(bandwidth):
    """Bytes/s from a number or a text with its unit."""
    if isinstance(bandwidth, str):
        try:
            bandwidth = parse(bandwidth, "B/s")
        except ValueError as error:
            raise ValueError(f"bandwidth: {error}") from None
    utilization.critical_tokens(2, 1.0, bandwidth)  # refuses what is no rate
    if bandwidth < 1e6:
        raise ValueError(f"bandwidth must be in bytes/s, and {bandwidth!r} is too little: write a text with its unit")
    return float(bandwidth)


COLUMNS = (
    Column("sharding"),
    Column("busy", "%", "{:.1f}".format),
    Column("hidden from", "tokens", "{:,.0f}".format),
    Column("at datasheet rate", "tokens", "{:,.0f}".format),
    Column("arithmetic", "s", lambda time: significant(time)),
    Column("exchange", "s", lambda time: significant(time)),
    Column("stands out", "s", lambda time: significant(time) if time else "0"),
)
