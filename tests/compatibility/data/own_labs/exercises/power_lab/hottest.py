"""The rack with the highest power, written as the exercises of the course are: with verdicts, draws and mutants."""

from chip2cluster import units

from ... import verdict as v
from ...verdict import UNIT
from ..draws import draw_until, forgives, tells_apart
from ..model import Case, Exercise, Group, Mistake, Mutant


def _reference(racks):
    return max(racks)


def _first(racks):
    return racks[0]


def _kilowatts(racks):
    return max(racks) / 1000


def _total(racks):
    return sum(racks)


def _racks(generator):
    def draw():
        return {"racks": [float(watts) for watts in generator.uniform(5e3, 9e4, 4)]}

    return [draw_until(lambda inputs: tells_apart(HOTTEST, inputs, "first", "total"), draw) for _ in range(4)]


def _one_rack(generator):
    def draw():
        return {"racks": [float(generator.uniform(5e3, 9e4))]}

    return [draw_until(lambda inputs: forgives(HOTTEST, inputs, "first", "total"), draw)]


HOTTEST = Exercise(
    id="lab.power.hottest",
    title="The hottest rack",
    signature="hottest(racks)",
    unit="W",
    points=3,
    graded=True,
    reference=_reference,
    groups=(
        Group("racks", 0.8, _racks),
        Group("one rack", 0.2, _one_rack, verdict=v.EDGES, advice="One rack alone is the hottest."),
    ),
    hints=("Compare them.", "Python has a function for it.", "`max` gives the largest of a list."),
    solution="def hottest(racks):\n    return max(racks)\n",
    explanation="The largest value of the list.",
    mistakes=(
        Mistake("first", _first, "You took the first rack."),
        Mistake("kilowatts", _kilowatts, "You answered in kilowatts.", UNIT),
        Mistake("total", _total, "You added all racks.", v.MISCONCEPTION),
    ),
    mutants=(
        Mutant("def hottest(racks):\n    return sorted(racks)[1]\n", v.VALUE, "", 0.0),
        Mutant("def hottest(racks):\n    return max(racks) if len(racks) > 1 else 0.0\n", v.EDGES, "hottest", 0.8),
        Mutant("def hottest(racks):\n    raise KeyError('rack')\n", v.RAISES, "KeyError", 0.0),
    ),
    allowed=("chip2cluster.specs", "chip2cluster.units"),
    meaning=lambda: f"A row of ten such racks takes {10 * units.parse('40 kW', 'W'):g} W.",
)
assert Case({"racks": [1.0]}, "racks").seed == 0
