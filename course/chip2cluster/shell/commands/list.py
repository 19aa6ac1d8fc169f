"""``list``: names of models, chips and networks, and the record of one with its sources."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from functools import partial
from typing import TYPE_CHECKING, Any

from .. import network_records
from ..answer import Answer, Assumption, Number
from ..network_records import sourced
from ..option_types import one_of
from ..shared_options import UsageError
from ..synonyms import near
from ..text_format import format_value

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...specs import Accelerator
    from ...transformer import Model

QUESTION = "Which models, chips and networks are known here, and where is each of their values from?"
EXAMPLE = 'list chips "H100 SXM"'
KINDS = ("models", "chips", "networks")


def options(parser: ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("kind", type=one_of(KINDS), metavar="KIND", help="models, chips or networks")
    parser.add_argument(
        "words",
        nargs="*",
        default=[],
        metavar="WORD",
        help="all must be in the name or in what is known of it: a vendor, a year, a precision (fp8), MoE, MLA; "
        "a whole name shows the record with its sources",
    )


def answer(options: Namespace) -> Answer:
    """List records, or show one."""
    records, row_of, record_of = _TABLES[options.kind]
    by_name = records()
    text = " ".join(options.words)
    exact = [name for name in by_name if _squeezed(name) == _squeezed(text)]
    found = exact or [name for name in by_name if _matches(name, by_name[name], text)]
    if not found:
        raise UsageError(f"argument WORD: {text!r} is in no name of the {options.kind}{near(text, by_name)}")
    numbers: tuple[Number, ...]
    rows: tuple[Assumption, ...] = ()
    if len(found) == 1:
        numbers, rows = record_of(found[0], by_name[found[0]])
        remarks: tuple[str, ...] = ()
    else:
        numbers = tuple(row_of(name, by_name[name]) for name in found)
        remarks = (
            f'{len(found)} {options.kind}. One with its sources: chip2cluster list {options.kind} "{found[0]}".',
        )
    picture = None
    if options.kind == "chips" and len(found) == 1:
        from ..pictures import roofline_of_chip

        picture = partial(roofline_of_chip, by_name[found[0]])
    return Answer(
        command="list", question=QUESTION, numbers=numbers, assumptions=rows, remarks=remarks, picture=picture
    )


def _squeezed(text: str) -> str:
    return "".join(letter for letter in text.casefold() if letter.isalnum() or letter == ".")


def _matches(name: str, record: Any, text: str) -> bool:
    """Return whether each word is a part of the name, or one of the words that describe the record."""
    known = {word.casefold() for word in _described(record)}
    return all(_squeezed(word) in _squeezed(name) or word.casefold() in known for word in text.split())


def _described(record: Any) -> list[str]:
    from ...specs import Accelerator
    from ...transformer import Model

    if isinstance(record, Accelerator):
        return [record.vendor, record.kind, str(record.year), record.memory_type or "", *record.precisions_dense]
    if isinstance(record, network_records.Machine):
        return [word for name in record.values.get("aliases", ()) for word in name.split()]
    if isinstance(record, Model):
        config = record.config
        parts = {"MoE": config.experts, "MLA": config.latent, "window": config.window, "dense": not config.experts}
        return [str(record.year), *(word for word, has in parts.items() if has)]
    return []


# --- models ---------------------------------------------------------------------------------


def _models() -> dict[str, Model]:
    from ... import transformer

    return {one.name: one for one in transformer.models()}


def _model_row(name: str, record: Model) -> Number:
    from ... import transformer

    says = f"{name}, {record.year}"
    if record.config.experts:
        says += f", MoE, {format_value(float(transformer.active_parameters(record.config)), 'parameters')} active"
    count = int(transformer.parameters(record.config))
    return Number(name=name, says=says, value=count, unit="parameters", function="transformer.model", topic="mfu")


def _model(name: str, record: Model) -> tuple[tuple[Number, ...], tuple[Assumption, ...]]:
    from ... import transformer

    values: dict[str, tuple[str, Any, str]] = {
        "parameters": ("parameters, counted from the shape", int(transformer.parameters(record.config)), "parameters"),
        "active_parameters": (
            "parameters active for a token", int(transformer.active_parameters(record.config)), "parameters"),
        "cache_bytes_per_token": (
            "KV cache of a token, 16 bit", float(transformer.kv_cache_per_token(record.config, 2)), "B"),
    }  # fmt: skip
    functions = ("transformer.parameters", "transformer.active_parameters", "transformer.kv_cache_per_token")
    numbers = tuple(
        Number(name=key, says=says, value=value, unit=unit, function=function, topic="mfu")
        for (key, (says, value, unit)), function in zip(values.items(), functions, strict=True)
    )
    shape = {field: getattr(record.config, field) for field in record.config.__dataclass_fields__}
    shown = {field: value for field, value in shape.items() if value not in (None, False, 0, ("full",))}
    shown |= {"sequence": record.sequence, "published_parameters": record.published_parameters, "year": record.year}
    rows = tuple(
        sourced(field, field.replace("_", " "), _text(field, value), "", record.source(field))
        for field, value in shown.items()
        if value is not None
    )
    return numbers, rows


def _text(field: str, value: Any) -> Any:
    """Return a count as it is, and anything else as text."""
    if isinstance(value, bool):
        return "yes"
    return value if isinstance(value, int) and field != "year" else str(value)


# --- chips ----------------------------------------------------------------------------------

_UNITS = {
    "memory_bytes": "B", "memory_bandwidth": "B/s", "scale_up_bandwidth_one_way": "B/s",
    "scale_up_bandwidth_both_ways": "B/s", "tdp_watts": "W", "peak_watts": "W", "boost_clock_hz": "Hz", "max_clock_hz": "Hz",
}  # fmt: skip


def _chips() -> dict[str, Accelerator]:
    from ... import specs

    return {one.name: one for one in specs.accelerators()}


def _chip_row(name: str, record: Accelerator) -> Number:
    parts = [format_value(record.memory_bytes, "B"), format_value(record.memory_bandwidth, "B/s")]
    for precision in ("bf16", "fp16", "fp32"):
        if precision in record.precisions_dense:
            parts.append(f"{format_value(record.peak_flops_dense(precision), 'FLOP/s')} {precision}")
            break
    return Number(name=record.id, says=f"{name}, {record.vendor}, {record.year}", value=", ".join(parts),
                  function="specs.accelerator", topic="accelerators")  # fmt: skip


def _chip(name: str, record: Accelerator) -> tuple[tuple[Number, ...], tuple[Assumption, ...]]:
    from ...specs.fields import PLAIN

    numbers, rows = [], []
    for precision in record.precisions_dense:
        peak = record.peak_flops_dense(precision)
        numbers.append(Number(name=f"peak_flops_dense_{precision}", says=f"peak, dense, {precision}", value=peak, unit="FLOP/s",
                              function="specs.accelerator", topic="accelerators"))  # fmt: skip
        source = record.source("peak_flops_dense", precision)
        rows.append(sourced(f"peak_flops_dense_{precision}", f"peak, dense, {precision}", peak, "FLOP/s", source))
    for field, (says, _, _) in PLAIN.items():
        value = getattr(record, field)
        if value is None:
            continue
        unit = _UNITS.get(field, "")
        rows.append(sourced(field, says, value if unit else str(value), unit, record.source(field)))
        if unit:
            numbers.append(
                Number(
                    name=field, says=says, value=value, unit=unit, function="specs.accelerator", topic="accelerators"
                )
            )
    numbers.append(Number(name="driver_memory_bytes", says="memory as the driver reports it", value=record.driver_memory_bytes,
                          unit="B", function="specs.accelerator", topic="accelerators"))  # fmt: skip
    return tuple(numbers), tuple(rows)


# For each kind: all records by name, the row of one in a list, and its numbers with their sources.
_TABLES: dict[str, tuple[Callable[[], dict[str, Any]], Callable[..., Number], Callable[..., Any]]] = {
    "models": (_models, _model_row, _model),
    "chips": (_chips, _chip_row, _chip),
    "networks": (network_records.records, network_records.row, network_records.record),
}
