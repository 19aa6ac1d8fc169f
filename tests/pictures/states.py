"""The states in which a picture is laid out: every option of every control, and a sample of what lies between.

A state is in the sample by its own name alone, so a new chip or a new option adds states and moves none. `make test` lays
out some of these states, and others the next day.
"""

from itertools import combinations
from zlib import crc32

from chip2cluster import explore
from chip2cluster.explore.controls import Slider
from course.publish.filmstrips.film import film
from tests.sampling import sampled as of_today

CORNERS, PAIRS, FRAMES = 4, 60, 60  # one in so many is laid out
TWICE = 6  # and of these, where another system is to show the same
NARROW = 10  # and where a phone is
DAILY = 8  # states of each explorer a day, or more, and the first
FILMED = 4  # explorers of which the frames are gone through that day, or more: of some there are thousands


def explorers():
    """Every explorer of the package, by name."""
    return {kind.__name__: kind for kind in explore.explorers().values()}


def states(explorer):
    """The values of each state, by name; the explorer itself says which go together."""
    named = {}
    for wanted in (*_options(explorer), *_corners(explorer), *_pairs(explorer), *_frames(explorer)):
        try:
            values = explorer.reset().set(**wanted).values
        except ValueError:  # these do not go together
            continue
        named.setdefault(_name(explorer, values), values)
    first, *others = named
    return {name: named[name] for name in (first, *of_today(others, DAILY))}


def sampled(named):
    """The first of these states, and a sample of the others."""
    return {name: values for place, (name, values) in enumerate(named.items()) if not place or _is_drawn(name, TWICE)}


def narrowed(named):
    """The first of these states, and a sample of the others, to be looked at on a phone."""
    return [name for place, name in enumerate(named) if not place or _is_drawn(f"{name} narrow", NARROW)]


def _options(explorer):
    """Every option of every control, the others as at the start."""
    start = explorer.reset().values
    for control in explorer.controls:
        yield from ({control.name: choice} for choice in control.choices(start))


def _corners(explorer):
    """The same with all sliders at one end."""
    start = explorer.reset().values
    sliders = {control.name: control.choices(start) for control in explorer.controls if isinstance(control, Slider)}
    for end in (0, -1):
        base = {name: choices[end] for name, choices in sliders.items()}
        yield base
        for wanted in _options(explorer):
            if _is_drawn(f"{end} {_name(explorer, wanted)}", CORNERS):
                yield {**base, **wanted}


def _pairs(explorer):
    start = explorer.reset().values
    for first, second in combinations(explorer.controls, 2):
        for choice in first.choices(start):
            for other in second.choices({**start, first.name: choice}):
                wanted = {first.name: choice, second.name: other}
                if _is_drawn(_name(explorer, wanted), PAIRS):
                    yield wanted


def _frames(explorer):
    """Of the frames of the explorer's filmstrip."""
    if type(explorer).__name__ not in of_today(explorers(), FILMED):
        return
    strip = film(explorer.reset())
    for key in strip.menus:
        if _is_drawn(_name(explorer, values := strip.values(key)), FRAMES):
            yield values


def _name(explorer, values):
    controls = [control for control in explorer.controls if control.name in values]
    return ", ".join(f"{control.name} {control.written(values[control.name])}" for control in controls)


def _is_drawn(name, one_in):
    return crc32(name.encode()) % one_in == 0
