"""The states in which a picture is laid out: every option of every control, corners, and a sample of what lies between.

A state is in the sample by its own name alone, so a new chip or a new option adds states and moves none.
"""

import pkgutil
from importlib import import_module
from itertools import combinations
from zlib import crc32

from chip2cluster import explore
from chip2cluster.explore.base import Explorer
from chip2cluster.explore.controls import Slider
from course.publish.filmstrips.film import film

ONE_IN = 40  # of the pairs of options, and of the frames of a strip


def explorers():
    """Every explorer of the package, by name."""
    modules = [import_module(f"{explore.__name__}.{module.name}") for module in pkgutil.iter_modules(explore.__path__)]
    kinds = {kind for module in modules for kind in vars(module).values() if isinstance(kind, type)}
    return {
        kind.__name__: kind
        for kind in sorted(kinds - {Explorer}, key=lambda kind: kind.__name__)
        if issubclass(kind, Explorer)
    }


def states(explorer):
    """Yield the name and the values of each state; an explorer says itself which values go together."""
    seen = {}
    for wanted in (*_chosen(explorer), *_frames(explorer)):
        try:
            values = explorer.reset().set(**wanted).values
        except ValueError:  # these two do not go together
            continue
        seen.setdefault(_name(explorer, values), values)
    return seen


def _chosen(explorer):
    start, controls = explorer.reset().values, explorer.controls
    options = {control.name: control.choices(start) for control in controls}
    sliders = [control.name for control in controls if isinstance(control, Slider)]
    bases = [{}, {name: options[name][0] for name in sliders}, {name: options[name][-1] for name in sliders}]
    for control in controls:
        for choice in options[control.name]:
            yield from ({**base, control.name: choice} for base in bases)
    for first, second in combinations(controls, 2):
        for one in options[first.name]:
            for other in second.choices({**start, first.name: one}):
                name = f"{first.name} {first.written(one)}, {second.name} {second.written(other)}"
                if not crc32(name.encode()) % ONE_IN:
                    yield {first.name: one, second.name: other}


def _frames(explorer):
    strip = film(explorer.reset())
    for key in strip.menus:
        values = strip.values(key)
        name = ", ".join(f"{control.name} {control.written(values[control.name])}" for control in strip.controls)
        if not crc32(name.encode()) % ONE_IN:
            yield values


def _name(explorer, values):
    return ", ".join(f"{control.name} {control.written(values[control.name])}" for control in explorer.controls)
