"""Second roof of the roofline explorers: another chip, the measured roof of the chip, or the roof of its cache."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from .. import draw, hierarchy, specs
from .. import roofline as model
from .._validate import known

NONE, MEASURED, CACHE = "none", "what was measured", "its L2 cache"


def devices(_: object) -> tuple[str, ...]:
    """Return the names of all accelerators; the values of other controls do not matter."""
    return tuple(device.name for device in specs.accelerators())


def rivals(values: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the options: the measured chip and its cache, if known, then every chip that has the precision."""
    return _rivals(values["device"], values["precision"])


@cache  # a filmstrip calls it thousands of times
def _rivals(device: str | specs.Accelerator, precision: str) -> tuple[str, ...]:
    measured = (MEASURED,) * (_measured(device, precision) is not None)
    inner = (CACHE,) * (name_of(device) in _caches())
    others = (other for other in specs.accelerators() if other.name != device)
    return NONE, *measured, *inner, *(other.name for other in others if precision in other.precisions_dense)


def missing(asked: object, values: Mapping[str, Any]) -> str:
    """Return why a chip has no measured roof or no roof of its cache, and which chips have one; else an empty text."""
    name, precision = name_of(values["device"]), values["precision"]
    if asked == MEASURED:
        known = [chip for chip in devices(values) if _measured(chip, precision)]
        return f"nothing was measured on {name} in {precision}; it was on {', '.join(known) or 'no chip'}"
    if asked == CACHE:
        return f"the bandwidth of an L2 cache of {name} is not known; it is for {', '.join(_caches())}"
    return ""


def rival(name: str | specs.Accelerator) -> str | specs.Accelerator:
    """Return a second roof for its option: a word of the control, or a device."""
    return name if name in (NONE, MEASURED, CACHE) else device_of(name)


def _measured(device: str | specs.Accelerator, precision: str) -> model.MeasuredRoofs | None:
    """Return the measured roofs of a chip, or None if its product or its triad was not measured."""
    try:
        return model.measured_roofs(device, precision)
    except LookupError:
        return None


@cache
def _caches() -> dict[str, hierarchy.Tier]:
    """Return the L2 cache by device, if it is one cache and its bandwidth is known."""
    known = {}
    for system in hierarchy.systems():
        for tier in system.tiers:
            if tier.name == "L2" and tier.scope == "chip" and tier.bandwidth_one_way:
                try:
                    known[specs.accelerator(system.accelerator).name] = tier
                except specs.UnknownAccelerator:  # a system's name for its chip may fit two of the catalogue
                    continue
    return known


def device_of(chosen: str | specs.Accelerator) -> str | specs.Accelerator:
    """Return a device as a control holds it: its name, or the chip itself if it is a custom one."""
    device = specs.accelerator(chosen)
    return device.name if device in specs.accelerators() else device


def name_of(device: str | specs.Accelerator) -> str:
    """Return the name of a device."""
    return specs.accelerator(device).name


def maker_of(device: str | specs.Accelerator) -> str:
    """Return the maker of a device as the heading of its group; an empty text for a word of the control or an own chip."""
    return _makers().get(device, "") if isinstance(device, str) else ""


@cache
def _makers() -> dict[str, str]:
    return {chip.name: chip.vendor for chip in specs.accelerators()}


def second_roof(
    asked: str | specs.Accelerator, device: specs.Accelerator, precision: str, first: draw.Roof
) -> list[draw.Roof]:
    """Return the requested roof as a list, empty for none."""
    if asked == NONE:
        return []
    if asked == MEASURED:
        roofs = known("measured roof", _measured(device, precision))
        return [draw.Roof("measured", roofs.peak_flops, roofs.memory_bandwidth)]
    if asked == CACHE:
        return [draw.Roof("L2 cache", first.peak_flops, _caches()[device.name].bandwidth_one_way, cache=True)]
    other = specs.accelerator(asked)
    return [draw.Roof(other.name, other.peak_flops_dense(precision), other.memory_bandwidth)]


def doubt_in_cache(device: specs.Accelerator) -> list[str]:
    """Return a sentence as a list if the bandwidth of a device's cache has low confidence, else an empty list."""
    low = _caches()[device.name].source("bandwidth_one_way").confidence == "low"
    return [f"Low confidence in the bandwidth of the {device.name}'s L2 cache."] if low else []
