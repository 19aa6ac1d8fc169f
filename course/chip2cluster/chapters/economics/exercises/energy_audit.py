"""Exercise on an audit of a paper's energy figures: consistent, or the single slip that explains them."""

from typing import Any

from chip2cluster import economics
from chip2cluster.economics import Claim
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS
from .printed_reports import TRACES, paper, planted

WORDS = {
    "PUE": "pue",
    "thousand": "kilo",
    "hours of a day": "days",
    "devices of a node": "nodes",
}
MWH = 3.6e9


def audit(gpu_hours, watts, pue, mwh, grams_per_kwh, tonnes):
    """Name what to suspect, from what is printed; 0 where it is not."""
    printed = {
        "device_seconds": 3600 * gpu_hours,
        "mean_watts_per_device": watts,
        "pue": pue,
        "facility_joules": MWH * mwh,
        "grams_per_kwh": grams_per_kwh,
        "carbon_kg": 1e3 * tonnes,
    }
    found = economics.audit(Claim(**{name: value for name, value in printed.items() if value}))
    if found.verdict == "explained":
        return WORDS.get(found.factor or "", "unexplained")
    return {"reproduces": "nothing"}.get(found.verdict, found.verdict)


def _papers(generator):
    # GPT-3 as a later paper prints it. A student has it before their eyes.
    drawn = [dict(gpu_hours=0.0, watts=0.0, pue=1.1, mwh=1287.0, grams_per_kwh=429.0, tonnes=502.0)]
    more = [*(planted(kind, generator, **options) for kind, options in PLANTED), *_both(generator)]
    return [*drawn, *(more[place] for place in generator.permutation(len(more)))]


# What was done to a paper, and where: to its energy, or to its tonnes.
PLANTED: tuple[tuple[str, dict[str, Any]], ...] = (
    ("nothing", {}),
    ("nothing", {"energy": False}),
    ("nothing", {"hours": False}),
    ("pue", {"at": "energy", "up": False}),
    ("pue", {"at": "tonnes", "up": True}),
    ("pue", {"at": "tonnes", "named": False, "up": True}),
    ("pue", {"at": "energy", "named": False, "up": True}),
    ("kilo", {"at": "energy", "up": True}),
    ("kilo", {"at": "tonnes", "up": False, "energy": False}),
    ("days", {"at": "energy", "up": False}),
    ("days", {"at": "tonnes", "up": True, "energy": False}),
    ("nodes", {"at": "energy", "up": False}),
    ("nodes", {"at": "tonnes", "up": True, "hours": False}),
    ("unexplained", {"at": "tonnes"}),
    ("unexplained", {"at": "energy", "up": False, "named": False}),
    ("unexplained", {"at": "energy", "named": False, "odd": 2.6}),
    ("unexplained", {"at": "tonnes", "odd": 5.3, "energy": False}),
    ("not disclosed", {}),
    ("not disclosed", {"energy": False}),
)


def _both(generator):
    """Two slips in one paper, of which the energy's comes first, though the tonnes are off by less, or by more."""
    small = {**paper(generator, named=False), "mwh": 0.0}
    hours, watts, grams = small["gpu_hours"], small["watts"], small["grams_per_kwh"]
    energy = hours * watts / 1e6
    return [
        {**small, "mwh": energy / 1e3, "tonnes": 8 * energy / 1e3 * grams / 1e3},
        {**small, "mwh": energy / 8, "tonnes": 24 * energy / 8 * grams / 1e3},
    ]


def _twice(generator):
    """An energy a bit high, and tonnes a bit high beside it: each within rounding, both together not."""
    one = paper(generator)
    energy = one["gpu_hours"] * one["watts"] * one["pue"] / 1e6 * 1.008
    return {**one, "mwh": energy, "tonnes": energy * one["grams_per_kwh"] / 1e3 * 1.008}


def _close(generator):
    return [
        _twice(generator),
        # No PUE printed, 1.5 % too much: less than any building adds.
        paper(generator, named=False, hours=False, slip=1.015),
        paper(generator, slip=1.007),
        planted("pue", generator, at="energy", up=False, slip=1.004),
        paper(generator, slip=0.985),
        planted("unexplained", generator, at="energy", up=False, named=False),
        # On either side of what is a trace: 1.9 for a PUE that nobody named, 1 % for the others.
        paper(generator, at="energy", factor=1.95, named=False),
        planted("nodes", generator, at="energy", up=True, slip=1.015),
        planted("days", generator, at="energy", up=True, slip=1.008),
    ]


def _silent(ratio, pue):
    return not pue and 1.02 < ratio < 1.9


def _like(
    order=("energy", "tonnes"),
    again=False,
    traces=TRACES,
    tolerance=0.01,
    guess=_silent,
    rest="unexplained",
    inverse=True,
    pick=lambda off: off[0],
    from_printed=True,
    absent=1.0,
    counted=True,
    near=0.01,
):
    """The same with a slip: what is checked and in which order, whether a printed energy gets the PUE again, which traces are known."""

    def wrong(gpu_hours, watts, pue, mwh, grams_per_kwh, tonnes):
        energy = gpu_hours * watts * (pue or absent) / 1e6
        follows = energy if counted else gpu_hours * watts / 1e6
        base = (mwh * (pue or 1.0 if again else 1.0) if from_printed else 0.0) or follows or mwh
        checks = {"energy": (mwh, energy), "tonnes": (tonnes, base * grams_per_kwh / 1e3)}
        able = {name: (printed / found) for name, (printed, found) in checks.items() if printed and found}
        if not able:
            return "not disclosed"
        off = [able[name] for name in order if name in able and abs(able[name] - 1) > tolerance]
        return _named(pick(off), pue) if off else "nothing"

    def _named(ratio, pue):
        if guess(ratio, pue):
            return "pue"
        known = {"pue": pue, **traces}
        for word, factor in known.items():
            if factor and any(
                abs(ratio / side - 1) <= near for side in ((factor, 1 / factor) if inverse else (factor,))
            ):
                return word
        return rest

    return wrong


AUDIT = Exercise(
    id="economics.audit",
    title="The audit",
    signature="audit(gpu_hours, watts, pue, mwh, grams_per_kwh, tonnes)",
    unit="",
    points=5,
    reference=audit,
    shows=(audit, economics.audit),
    groups=(
        Group("papers", 0.8, _papers),
        Group(
            "close calls",
            0.2,
            _close,
            advice="Within 1 % is rounding; beyond it there is something to name, if only that nothing explains it.",
        ),
    ),
    hints=(
        "Which two numbers can be recomputed, and what do you need for each? A zero means: not published.",
        "Go through the energy, then the tonnes. For the first ratio that is off by more than 1 %, look for its trace, and for one "
        "over it: the printed PUE, 1000, 24, 8.",
        "energy = gpu_hours * watts * (pue or 1) / 1e6 in MWh; the tonnes follow from (mwh or energy) * grams_per_kwh / 1000. "
        "With no PUE published, a ratio between 1.02 and 1.9 is a PUE.",
    ),
    solution="""
def audit(gpu_hours, watts, pue, mwh, grams_per_kwh, tonnes):
    energy = gpu_hours * watts * (pue or 1) / 1e6  # MWh
    follows = (mwh or energy) * grams_per_kwh / 1000
    checks = [(mwh, energy), (tonnes, follows)]
    ratios = [printed / found for printed, found in checks if printed and found]
    if not ratios:
        return "not disclosed"
    off = [ratio for ratio in ratios if abs(ratio - 1) > 0.01]
    if not off:
        return "nothing"
    ratio = off[0]
    if not pue and 1.02 < ratio < 1.9:
        return "pue"
    for word, factor in {"pue": pue, "kilo": 1000, "days": 24, "nodes": 8}.items():
        if factor and any(abs(ratio / side - 1) <= 0.01 for side in (factor, 1 / factor)):
            return word
    return "unexplained"
""",
    explanation=(
        "Two products, two ratios, a short list of suspects. The order matters: if the energy is wrong and the tonnes follow from "
        "it, there is one mistake and not two. *Unexplained* is an answer, too: ask the authors."
    ),
    meaning=lambda: _meaning(),
    mistakes=(
        Mistake(
            "the PUE once more",
            _like(again=True),
            "You multiplied the published energy by the PUE. It includes the PUE already: that is how one row of the chapter went wrong.",
        ),
        Mistake("tonnes alone", _like(("tonnes",)), "You never checked the energy against hours, watts and PUE."),
        Mistake("energy alone", _like(("energy",)), "You never checked the tonnes."),
        Mistake(
            "tonnes first",
            _like(("tonnes", "energy")),
            "You looked at the tonnes before the energy. The first of the two that is off counts, and the energy comes first.",
        ),
        Mistake(
            "the worst that is off",
            _like(pick=lambda off: max(off, key=lambda ratio: max(ratio, 1 / ratio))),
            "You took the number that is off by more. The first counts, however small it is.",
        ),
        Mistake(
            "tonnes of the recomputed energy",
            _like(from_printed=False),
            "You took the tonnes from the energy that you worked out. Where an energy is published, use that one: otherwise one mistake counts twice.",
            "wrong at the edges",
            share=0.8,
        ),
        Mistake(
            "tonnes without the PUE",
            _like(counted=False),
            "Where no energy is printed you took hours times watts for the tonnes, without the PUE. The energy at the meter includes it.",
        ),
        Mistake(
            "a PUE of zero",
            _like(absent=0.0),
            "You multiplied by a PUE of 0. If none is printed, use 1.",
        ),
        Mistake(
            "words of one's own",
            lambda **printed: audit(**printed).upper(),
            "That word is not in the table: its words are in lower case.",
        ),
        Mistake(
            "one way alone",
            _like(inverse=False),
            "You looked only for numbers that are too large. A factor that was left out makes them too small: try one over it as well.",
        ),
        Mistake(
            "a PUE that nobody named",
            _like(guess=lambda ratio, pue: False),
            "Where no PUE is printed and the number is 1.02 to 1.9 times too large, one was counted silently: 'pue'.",
        ),
        Mistake(
            "a second PUE",
            _like(guess=lambda ratio, pue: 1.02 < ratio < 1.9),
            "You suspect an unnamed PUE where one is published. Then only that PUE, or one over it, is suspect.",
        ),
        Mistake(
            "a PUE below one",
            _like(guess=lambda ratio, pue: not pue and (_silent(ratio, pue) or _silent(1 / ratio, pue))),
            "You suspect an unnamed PUE where the number is too small. One that was counted silently makes it too large.",
        ),
        Mistake(
            "a PUE of two",
            _like(guess=lambda ratio, pue: not pue and 1.02 < ratio < 2.0),
            "You suspect an unnamed PUE beyond 1.9. The table ends there: that is 'unexplained'.",
            "wrong at the edges",
            share=0.8,
        ),
        Mistake(
            "a trace within 2 %",
            _like(near=0.02),
            "You let a ratio be 2 % off. The limit is 1 %; a ratio of 8.12 does not match 8.",
            "wrong at the edges",
            share=0.8,
        ),
        Mistake(
            "a trace within half a percent",
            _like(near=0.005),
            "You demand a closer match than 1 %. Within 1 % the ratio matches.",
            "wrong at the edges",
            share=0.8,
        ),
        Mistake(
            "kilo unseen",
            _like(traces={k: f for k, f in TRACES.items() if k != "kilo"}),
            "You missed the thousands: kW for W, g for kg.",
        ),
        Mistake(
            "days unseen",
            _like(traces={k: f for k, f in TRACES.items() if k != "days"}),
            "You missed the 24 hours of a day.",
        ),
        Mistake(
            "nodes unseen",
            _like(traces={k: f for k, f in TRACES.items() if k != "nodes"}),
            "You missed the eight devices of a node.",
        ),
        Mistake(
            "nothing explains nothing",
            _like(rest="nothing"),
            "A gap that matches no known ratio is still a gap: it is 'unexplained'.",
        ),
        Mistake(
            "to the digit",
            _like(tolerance=0.0005),
            "You allow no rounding. Within 1 % the number counts as reproduced.",
        ),
        Mistake(
            "five percent",
            _like(tolerance=0.05),
            "You allow too much. Beyond 1 % there is something to name.",
            "wrong at the edges",
            share=0.8,
        ),
    ),
    mutants=MUTANTS["economics.audit"],
)


def _meaning():
    runs = [run for run in economics.published_runs() if run.printed_dollars is None]  # carbon, not dollars
    many = sum(run.reproduces for run in runs)
    return (
        f"Of the {len(runs)} published figures of the chapter {many} follow from what is published beside them. Of those that don't, "
        "most publish too little to be checked. One with a clear mistake has been copied ever since; checking two products takes a minute."
    )
