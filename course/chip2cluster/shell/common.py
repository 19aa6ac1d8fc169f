"""Options that several commands share, and the list of what a command took for granted."""

from __future__ import annotations

import re
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from .answer import Assumption
from .reading import MOST_CHIPS, near, number, quantity, share, whole

if TYPE_CHECKING:
    from ..provenance import Source
    from ..specs import Accelerator
    from ..transformer import Config

# How far to trust a source that is not confirmed, in words.
_SURE = {"secondary": "read in one table", "memory": "as remembered", "low": "uncertain"}
_BLANK = re.compile(r"[,\s]+")
_PARTS = ("latent", "experts")  # no numbers


class Unusable(ValueError):
    """What was asked for cannot be used as it is; the message names the option and, where there is one, the nearest."""


@contextmanager
def named(option: str) -> Iterator[None]:
    """What a model refuses is said with the name of the option that brought it."""
    try:
        yield
    except Unusable:
        raise
    except (ValueError, TypeError, LookupError, ArithmeticError) as problem:
        raise Unusable(f"argument {option}: {problem}") from None


class Taken:
    """What is taken for an answer: what the options say, else what is usual, each with where that comes from."""

    def __init__(self, options: Namespace) -> None:
        self._options = options
        self._rows: dict[str, Assumption] = {}

    def value(self, name: str, says: str, default: Any, unit: str, kind: str, source: str) -> Any:
        """The value of an option, or its default; noted either way."""
        if getattr(self._options, name) is not None:
            return self.given(name, says, unit)
        self.note(name, says, default, unit, kind, source, _flag(name))
        return default

    def given(self, name: str, says: str, unit: str) -> Any:
        """The value of an option that is there, noted."""
        value = getattr(self._options, name)
        self.note(name, says, value, unit, "given", "", _flag(name))
        return value

    def note(self, name: str, says: str, value: Any, unit: str, kind: str, source: str, option: str = "") -> None:
        """Note one number that no option changes, or that was found elsewhere."""
        self._rows[name] = Assumption(
            name=name, says=says, value=value, unit=unit, kind=kind, source=source, option=option
        )

    def sheet(self, chip: Accelerator, field: str, says: str, value: float, unit: str, precision: str = "") -> None:
        """Note a value of a chip's sheet, with how far to trust it."""
        source = chip.source(field, precision) if precision else chip.source(field)
        kind = "given" if source.confidence == "given" else "sheet"
        self.note(field, says, value, unit, kind, cited(source))

    @property
    def rows(self) -> tuple[Assumption, ...]:
        """All that was noted, in order."""
        return tuple(self._rows.values())


def _flag(name: str) -> str:
    """The option of a name."""
    return f"--{name.replace('_', '-')}"


def cited(source: Source) -> str:
    """A source in a few words: who, and when."""
    when = f", {source.as_of}" if source.as_of and source.as_of not in source.citation else ""
    sure = f" ({_SURE[source.confidence]})" if source.confidence in _SURE else ""
    return f"{source.citation}{when}{sure}"


# --- chips ---------------------------------------------------------------------------------


def add_chip(parser: ArgumentParser) -> None:
    """A chip of the catalogue, or one's own by its figures."""
    parser.add_argument("--chip", metavar="NAME", help='such as "H100 SXM"; or your own, by the four options below')
    own = parser.add_argument_group("a chip of your own")
    own.add_argument("--peak", type=quantity("FLOP/s"), metavar="RATE", help='dense, at the precision: "71 TFLOP/s"')
    own.add_argument("--memory", type=quantity("B"), metavar="SIZE", help='"24 GB"')
    own.add_argument("--memory-bandwidth", type=quantity("B/s"), metavar="RATE", help='"936 GB/s"')
    own.add_argument(
        "--link", type=quantity("B/s"), metavar="RATE", help='to its neighbours, one way: "56 GB/s"; left out, none'
    )


def chip(options: Namespace, precision: str) -> Accelerator:
    """The chip that was named or described."""
    from .. import specs

    own = {name: getattr(options, name) for name in ("peak", "memory", "memory_bandwidth", "link")}
    if options.chip is not None:
        if given := [_flag(name) for name, value in own.items() if value is not None]:
            raise Unusable(
                f"argument --chip: {options.chip!r} has figures of its own; leave out {', '.join(given)}, or --chip"
            )
        with named("--chip"):
            return specs.accelerator(options.chip)
    if missing := [_flag(name) for name in ("peak", "memory", "memory_bandwidth") if own[name] is None]:
        raise Unusable(
            f'--chip is missing: name one, such as --chip "H100 SXM", or describe yours with {", ".join(missing)}'
        )
    with named("--peak, --memory, --memory-bandwidth, --link"):
        return specs.own(
            "Your chip",
            dense={precision: own["peak"]},
            memory=own["memory"],
            memory_bandwidth=own["memory_bandwidth"],
            scale_up_one_way=own["link"],
        )


def add_precision(parser: ArgumentParser) -> None:
    """The precision of products and weights."""
    parser.add_argument("--precision", default="bf16", metavar="NAME", help="of weights and products (default: bf16)")


def peak(device: Accelerator, precision: str, taken: Taken) -> float:
    """The dense peak of a chip, noted."""
    with named("--precision"):
        rate = device.peak_flops_dense(precision)
    taken.sheet(device, "peak_flops_dense", f"peak, dense, {precision}", rate, "FLOP/s", precision)
    return rate


# --- models --------------------------------------------------------------------------------


def add_model(parser: ArgumentParser, *, parameters: bool) -> None:
    """A published model, the shape of one's own or, where that is enough, a number of parameters."""
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--model", metavar="NAME", help='a published one, such as "Llama 3 70B"')
    which.add_argument(
        "--shape",
        metavar="FIELDS",
        help='your own: "layers=32 d_model=4096 heads=32 kv_heads=8 d_hidden=14336 vocab_size=128256 gated=1"',
    )
    if parameters:
        which.add_argument("--parameters", type=number(least=1), metavar="N", help="of a dense model: 70e9, or 70B")


def config(options: Namespace) -> Config | None:
    """The shape of the model; None where its parameters alone are given."""
    from .. import transformer

    if options.model is not None:
        with named("--model"):
            return transformer.model(options.model).config
    if options.shape is None:
        return None
    known = transformer.Config.__dataclass_fields__
    kinds = {name: False if "bool" in str(field.type) else 1 for name, field in known.items()}
    fields = fields_of("--shape", options.shape, {name: kind for name, kind in kinds.items() if name not in _PARTS})
    with named("--shape"):
        return transformer.Config(**fields)


def fields_of(option: str, text: str, known: Mapping[str, Any]) -> dict[str, Any]:
    """Fields such as ``"tensor=8 data=4"``: a whole number each, or yes and no or a word where ``known`` has such a one."""
    found: dict[str, Any] = {}
    for word in filter(None, _BLANK.split(text)):
        name, equals, value = word.partition("=")
        if name not in known:
            raise Unusable(
                f"argument {option}: no field is called {name!r}{near(name, known)}; there are {', '.join(known)}"
            )
        if isinstance(known[name], str) or known[name] is None:
            found[name] = value
        elif not equals or not value.isdecimal() or len(value) > 12:
            raise Unusable(f"argument {option}: {word!r} must be a field with a whole number, such as {name}=1")
        else:
            found[name] = bool(int(value)) if isinstance(known[name], bool) else int(value)
    return found


def called(options: Namespace) -> str:
    """The model as the answer calls it."""
    return options.model or ("the model" if options.shape else f"{options.parameters:,.0f} parameters")


def add_chips(parser: ArgumentParser, *, required: bool, says: str = "how many chips") -> None:
    """A number of chips."""
    parser.add_argument("--chips", type=whole(most=MOST_CHIPS), metavar="N", required=required, help=says)


def add_mfu(parser: ArgumentParser) -> None:
    """The share of the peak that reaches the model."""
    parser.add_argument(
        "--mfu", type=share(), metavar="SHARE", help="0.4 or 40%%; the median of published runs when left out"
    )


def mfu(options: Namespace, taken: Taken, device: Accelerator) -> tuple[float, float, float]:
    """The share of the peak that reaches the model: the least, the usual and the most; one number where it is given."""
    from .. import reality

    says = "share of the peak (MFU)"
    if options.mfu is not None:
        return (taken.given("mfu", says, "share"),) * 3
    shares = reality.training_shares(device.name, options.precision)
    taken.value("mfu", says, shares.median, "share", "measured", shares.says)
    return shares.low, shares.median, shares.high


def price(options: Namespace, taken: Taken, device: Accelerator) -> float:
    """Dollars of a rented chip-hour: what the option says, or the middle of what was offered for this chip."""
    from statistics import median

    from .. import economics

    says = "a rented chip-hour"
    if options.price is not None:
        return taken.given("price", says, "dollars")
    offers = economics.gpu_hour_prices()
    # "H100" in an offer stands for its usual form.
    mine = [one for one in offers if device.name == one.device or device.name.startswith(f"{one.device} ")]
    if not mine:
        known = ", ".join(sorted({one.device for one in offers}))
        raise Unusable(
            f"argument --price: no offer of {device.name} is known here; give one, such as --price 3. Known are {known}"
        )
    prices = [one.dollars_per_device_hour for one in mine]
    years = sorted(one.date[:4] for one in mine)
    offered = f"{len(mine)} of {years[0]} to {years[-1]}, ${min(prices):g} to ${max(prices):g}; of low confidence"
    return taken.value("price", says, median(prices), "dollars", "sheet", f"offers: {offered}")


def chips_of_a_node(taken: Taken) -> int:
    """As many as are given, or eight."""
    return taken.value("chips_per_node", "chips of a node", 8, "chips", "illustrative", "usual")


def nic_of_a_chip(taken: Taken) -> float:
    """What leaves the node for each chip, one way, B/s."""
    says = "a chip's rate out of its node, one way"
    return taken.value("nic", says, 50e9, "B/s", "illustrative", "an adapter of 400 Gb/s for each chip")
