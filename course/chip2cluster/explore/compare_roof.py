"""What the roofline explorer can draw beside a chip: another one, what was measured, the roof of its cache."""

from functools import cache

from .. import draw, hierarchy, specs
from .. import roofline as model

NONE, MEASURED, CACHE = "none", "what was measured", "its L2 cache"


def devices(_):
    """Return the names of all accelerators; the values of other controls do not matter."""
    return tuple(device.name for device in specs.accelerators())


def rivals(values):
    """The chip as it was measured and its cache, where these are known; then each device that has the precision."""
    return _rivals(values["device"], values["precision"])


@cache  # a filmstrip asks thousands of times
def _rivals(device, precision):
    measured = (MEASURED,) * (_measured(device, precision) is not None)
    inner = (CACHE,) * (name_of(device) in _caches())
    others = (other for other in specs.accelerators() if other.name != device)
    return NONE, *measured, *inner, *(other.name for other in others if precision in other.precisions_dense)


def missing(asked, values):
    """Why a chip cannot be compared with its measured roofs or its cache, and which can; empty for anything else."""
    name, precision = name_of(values["device"]), values["precision"]
    if asked == MEASURED:
        known = [chip for chip in devices(values) if _measured(chip, precision)]
        return f"nothing was measured on {name} in {precision}; it was on {', '.join(known) or 'no chip'}"
    if asked == CACHE:
        return f"the bandwidth of an L2 cache of {name} is not known; it is for {', '.join(_caches())}"
    return ""


def rival(name):
    """Return a second roof for its option: a word of the control, or a device."""
    return name if name in (NONE, MEASURED, CACHE) else device_of(name)


def _measured(device, precision):
    """The measured roofs of a chip of the catalogue, None where a product or a triad is missing."""
    try:
        return model.measured_roofs(device, precision)
    except LookupError:
        return None


@cache
def _caches():
    """The L2 cache by device, where it is one cache and its bandwidth is known."""
    known = {}
    for system in hierarchy.systems():
        for tier in system.tiers:
            if tier.name == "L2" and tier.scope == "chip" and tier.bandwidth_one_way:
                try:
                    known[specs.accelerator(system.accelerator).name] = tier
                except specs.UnknownAccelerator:  # a system's words for its chip may fit two of the catalogue
                    continue
    return known


def device_of(chosen):
    """A device as a control holds it: its name, or the chip itself where it is the reader's own."""
    device = specs.accelerator(chosen)
    return device.name if device in specs.accelerators() else device


def name_of(device):
    """Return the name of a device."""
    return specs.accelerator(device).name


def second_roof(asked, device, precision, first):
    """A list of the roof that is asked for, empty for none."""
    if asked == NONE:
        return []
    if asked == MEASURED:
        roofs = _measured(device, precision)
        return [draw.Roof("measured", roofs.peak_flops, roofs.memory_bandwidth)]
    if asked == CACHE:
        return [draw.Roof("L2 cache", first.peak_flops, _caches()[device.name].bandwidth_one_way, cache=True)]
    other = specs.accelerator(asked)
    return [draw.Roof(other.name, other.peak_flops_dense(precision), other.memory_bandwidth)]


def doubt_in_cache(device):
    """A sentence where the bandwidth of a device's cache is hardly known, as a list."""
    low = _caches()[device.name].source("bandwidth_one_way").confidence == "low"
    return [f"Low confidence in the bandwidth of the {device.name}'s L2 cache."] if low else []
