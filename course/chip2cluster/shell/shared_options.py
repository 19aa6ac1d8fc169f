"""Options that several commands share: chips, precisions, models, utilization and price."""

from __future__ import annotations

import re
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from .assumptions import Assumptions, cited, flag
from .option_types import MOST_CHIPS, number, precision, quantity, share, whole
from .synonyms import near, nearest

if TYPE_CHECKING:
    from ..specs import Accelerator
    from ..transformer import Config

_FORM_FACTORS = {"SXM", "OAM", "HGX"}  # of chips that have no other
_BLANK = re.compile(r"[,\s]+")


class UsageError(ValueError):
    """Invalid usage; the message names the option and the nearest valid value, if there is one."""


@contextmanager
def option_errors(option: str) -> Iterator[None]:
    """Convert errors of a model to UsageError with the name of the option."""
    try:
        yield
    except UsageError:
        raise
    except (ValueError, TypeError, LookupError, ArithmeticError) as problem:
        raise UsageError(f"argument {option}: {problem}") from None


# --- chips ---------------------------------------------------------------------------------


def add_chip(parser: ArgumentParser) -> None:
    """Add the options of a catalogue chip, or of a custom one."""
    parser.add_argument(
        "--chip",
        metavar="NAME",
        help='such as "H100 SXM"; or your own: a file my-card.toml with the arguments of specs.own, or the four options below',
    )
    own = parser.add_argument_group("custom chip")
    own.add_argument("--peak", type=quantity("FLOP/s"), metavar="RATE", help='dense, at the precision: "71 TFLOP/s"')
    own.add_argument("--memory", type=quantity("B"), metavar="SIZE", help='"24 GB"')
    own.add_argument("--memory-bandwidth", type=quantity("B/s"), metavar="RATE", help='"936 GB/s"')
    own.add_argument(
        "--link",
        type=quantity("B/s"),
        metavar="RATE",
        help='unidirectional, to its neighbors: "56 GB/s"; none by default',
    )


def chip_is_described(options: Namespace) -> bool:
    """Return whether a chip is named or described."""
    return any(getattr(options, name) is not None for name in ("chip", "peak", "memory", "memory_bandwidth", "link"))


def chip(options: Namespace, precision: str) -> Accelerator:
    """Return the named or described chip."""
    from .. import specs

    own = {name: getattr(options, name) for name in ("peak", "memory", "memory_bandwidth", "link")}
    if options.chip is not None:
        if given := [flag(name) for name, value in own.items() if value is not None]:
            raise UsageError(
                f"argument --chip: {options.chip!r} is in the catalogue; omit {', '.join(given)}, or --chip"
            )
        with option_errors("--chip"):
            return _chip_of_file(options.chip) if options.chip.endswith(".toml") else specs.accelerator(options.chip)
    if missing := [flag(name) for name in ("peak", "memory", "memory_bandwidth") if own[name] is None]:
        raise UsageError(
            f'--chip is missing: name one, such as --chip "H100 SXM", or describe yours with {", ".join(missing)}'
        )
    with option_errors("--peak, --memory, --memory-bandwidth, --link"):
        return specs.own(
            "Your chip",
            dense={precision: own["peak"]},
            memory=own["memory"],
            memory_bandwidth=own["memory_bandwidth"],
            scale_up_one_way=own["link"],
        )


def _chip_of_file(file: str) -> Accelerator:
    """Return the custom chip of a TOML file."""
    import inspect
    import tomllib
    from pathlib import Path

    from .. import specs

    try:
        given = tomllib.loads(Path(file).read_text(encoding="utf-8"))
    except OSError as problem:
        raise UsageError(f"argument --chip: {file}: {problem.strerror}") from None
    known = inspect.signature(specs.own).parameters
    for name in given:
        if name not in known:
            raise UsageError(
                f"argument --chip: {file}: no value is called {name!r}{near(name, known)}; there are {', '.join(known)}"
            )
    if missing := [name for name, one in known.items() if one.default is one.empty and name not in given]:
        raise UsageError(
            f"argument --chip: {file} has no {', '.join(missing)}; a chip is written as\n"
            'name = "My card"\nmemory = "24 GB"\nmemory_bandwidth = "936 GB/s"\ndense = {bf16 = "71 TFLOP/s"}'
        )
    return specs.own(**given)


def add_precision(parser: ArgumentParser) -> None:
    """Add the option of the precision of products and weights."""
    parser.add_argument(
        "--precision", type=precision, default="bf16", metavar="NAME", help="of weights and products (default: bf16)"
    )


def peak(device: Accelerator, precision: str, assumed: Assumptions) -> float:
    """Return the dense peak of a chip; record it."""
    with option_errors("--precision"):
        rate = device.peak_flops_dense(precision)
    assumed.sheet(device, "peak_flops_dense", f"peak, dense, {precision}", rate, "FLOP/s", precision)
    return rate


def memory(device: Accelerator, assumed: Assumptions) -> float:
    """Return the memory of a chip as its driver reports it, bytes; record it."""
    source = device.driver_memory_source
    kind = "given" if source.confidence == "given" else "sheet"
    assumed.note("memory_bytes", "memory of a chip", device.driver_memory_bytes, "B", kind, cited(source))
    return device.driver_memory_bytes


# --- models --------------------------------------------------------------------------------


def add_model(parser: ArgumentParser, *, parameters: bool) -> None:
    """Add the options of a published model, a custom shape, or a number of parameters."""
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--model", metavar="NAME", help='a published one, such as "Llama 3 70B"')
    which.add_argument(
        "--shape",
        metavar="FIELDS",
        help='your own: "layers=32 d_model=4096 heads=32 kv_heads=8 d_hidden=14336 vocab_size=128256 gated=1", with experts '
        '"experts=128 per_token=8 expert_d_hidden=768"; names of a config.json are understood too',
    )
    which.add_argument(
        "--config", metavar="FILE", help="a config.json of the Hugging Face hub, or the folder that holds it"
    )
    if parameters:
        which.add_argument("--parameters", type=number(least=1), metavar="N", help="of a dense model: 70e9, or 70B")


def config(options: Namespace) -> Config | None:
    """Return the shape of the model; None if only the number of parameters is given."""
    from .. import transformer

    if options.model is not None:
        with option_errors("--model"):
            return transformer.model(options.model).config
    if options.config is not None:
        with option_errors("--config"):
            return transformer.Config.from_hugging_face(options.config)
    if options.shape is None:
        return None
    from .model_shape import shape

    return shape(options.shape)


def left_out(options: Namespace) -> tuple[str, ...]:
    """Return a remark if the model of a config.json has parts that are not counted."""
    if getattr(options, "config", None) is None:
        return ()
    from ..transformer.hugging_face import towers_left_out

    towers = towers_left_out(options.config)
    return (f"Without the {' and '.join(towers)} tower{'s' * (len(towers) > 1)} of the model.",) if towers else ()


def fields_of(option: str, text: str, known: Mapping[str, Any]) -> dict[str, Any]:
    """Parse fields such as ``"tensor=8 data=4"``; the type of each is that in ``known``."""
    found: dict[str, Any] = {}
    for word in filter(None, _BLANK.split(text)):
        name, equals, value = word.partition("=")
        if name not in known:
            raise UsageError(
                f"argument {option}: no field is called {name!r}{nearest(name, known)}; there are {', '.join(known)}"
            )
        if isinstance(known[name], str) or known[name] is None:
            found[name] = value
        elif not equals or not value.isdecimal() or len(value) > 12:
            raise UsageError(f"argument {option}: {word!r} must be a field with a whole number, such as {name}=1")
        else:
            found[name] = bool(int(value)) if isinstance(known[name], bool) else int(value)
    return found


def called(options: Namespace) -> str:
    """Return the name of the model in the answer."""
    return options.model or (
        "the model" if options.shape or options.config else f"{options.parameters:,.0f} parameters"
    )


def add_chips(parser: ArgumentParser, *, required: bool, says: str = "number of chips") -> None:
    """Add the option of the number of chips."""
    parser.add_argument("--chips", type=whole(most=MOST_CHIPS), metavar="N", required=required, help=says)


def add_mfu(parser: ArgumentParser) -> None:
    """Add the option of the MFU."""
    parser.add_argument(
        "--mfu", type=share(), metavar="SHARE", help="0.4 or 40%% (default: the median of published runs)"
    )


def mfu(options: Namespace, assumed: Assumptions, device: Accelerator) -> tuple[float, float, float]:
    """Return low, median and high MFU of published runs, or the given value three times."""
    from .. import reality

    says = "fraction of peak (MFU)"
    if options.mfu is not None:
        return (assumed.given("mfu", says, "share"),) * 3
    shares = reality.training_shares(device.name, options.precision)
    assumed.value("mfu", says, shares.median, "share", "measured", shares.says)
    return shares.low, shares.median, shares.high


def price(options: Namespace, assumed: Assumptions, device: Accelerator) -> float | None:
    """Return the price of a rented chip-hour, dollars: the option, the median of published offers, or None without any."""
    from statistics import median

    from .. import economics

    says = "a rented chip-hour"
    if options.price is not None:
        return assumed.given("price", says, "dollars")
    mine = [one for one in economics.gpu_hour_prices() if _offers(one.device, device.name)]
    if not mine:
        return None
    prices = [one.dollars_per_device_hour for one in mine]
    years = sorted(one.date[:4] for one in mine)
    offered = f"{len(mine)} of {years[0]} to {years[-1]}, ${min(prices):g} to ${max(prices):g}; of low confidence"
    return assumed.value("price", says, median(prices), "dollars", "sheet", f"offers: {offered}")


def _offers(offered: str, name: str) -> bool:
    """Return whether an offer is for a chip: "A100 40GB" for "A100 SXM 40GB", and "B200 SXM" for "B200"."""
    words, wanted = set(offered.split()), set(name.split())
    return (words.issuperset(wanted) and words - wanted <= _FORM_FACTORS) or words.issubset(wanted)


def no_price(device: Accelerator, option: str = "--price 3") -> str:
    """Return the remark that explains why the rows in dollars are missing."""
    return f"Without the rows in dollars, because no price of {device.name} is known here; give one, such as {option}."


def chips_of_a_node(assumed: Assumptions) -> int:
    """Return the chips per node: the option, or eight."""
    return assumed.value("chips_per_node", "chips per node", 8, "chips", "illustrative", "usual")


def nic_of_a_chip(assumed: Assumptions) -> float:
    """Return the unidirectional NIC bandwidth per chip, B/s."""
    says = "NIC bandwidth per chip, unidirectional"
    return assumed.value("nic", says, 50e9, "B/s", "illustrative", "one 400 Gb/s NIC per chip")
