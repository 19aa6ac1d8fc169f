"""Task on which printed figures of a chip are reliable."""

from functools import cache

from chip2cluster import specs
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS


def trusted(printed, field):
    """Names of the chips whose printed figure agrees with one on record that is not of low confidence."""
    return _kept(lambda confidence: confidence != "low")(printed, field)


def _agrees(printed, figure):
    return abs(printed - figure) <= 0.01 * figure


def _kept(trust, agrees=_agrees, source=None):
    def kept(printed, field):
        names = []
        for name, value in printed.items():
            chip = specs.accelerator(name)
            if getattr(chip, field) is None or getattr(chip, source or field) is None:
                continue
            if trust(chip.source(source or field).confidence) and agrees(value, getattr(chip, field)):
                names.append(name)
        return names

    return kept


FIELDS = ("tdp_watts", "memory_bytes", "memory_bandwidth", "scale_up_bandwidth_one_way")
# Half and double are one way and both ways, or dense and sparse; the others are last year's part.
SLIPS = (0.5, 2.0, 0.8, 0.9, 0.95, 1.05, 1.1, 1.25)


def _slides(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    easy = {"H100 SXM": 3.35e12, "Ascend 910B": 1.6e12, "MI300X": 8e12}
    fields = generator.permutation(FIELDS * 2)
    return [{"printed": easy, "field": "memory_bandwidth"}, *(_slide(generator, str(field)) for field in fields)]


def _slide(generator, field):
    """Figures of chips of every confidence, right to a few parts in a thousand or wrong by a good deal."""
    names = []
    for confidence, number in (("confirmed", 4), ("secondary", 2), ("memory", 2), ("low", 2)):
        known = _known(field, confidence)
        # The first of each kind is printed right, so that leaving the kind out shows.
        drawn = generator.choice(known, min(number, len(known)), replace=False)
        names += [(str(name), place == 0 or generator.random() < 0.5) for place, name in enumerate(drawn)]
    printed = {}
    for name, right in (names[place] for place in generator.permutation(len(names))):
        factor = generator.uniform(0.995, 1.005) if right else generator.choice(SLIPS)
        printed[name] = float(f"{getattr(specs.accelerator(name), field) * factor:.4g}")
    return {"printed": printed, "field": field}


@cache
def _known(field, confidence):
    published = [chip for chip in specs.accelerators() if getattr(chip, field) is not None]
    return [chip.name for chip in published if chip.source(field).confidence == confidence]


def _gaps(generator):
    return [
        {
            "printed": {"TPU v5p": 540.0, "H100 SXM": 700.0, "B300": 1400.0, "Trainium2": 500.0},
            "field": "tdp_watts",
        },
        {"printed": {"B300": 1.92e9, "A100 SXM 80GB": 1.41e9, "TPU7x": 2.1e9}, "field": "boost_clock_hz"},
    ]


TRUSTED = Exercise(
    id="lab.accelerators.trusted",
    title="Which figures can you trust?",
    signature="trusted(printed, field)",
    unit="",
    graded=True,
    points=4,
    reference=trusted,
    groups=(
        Group("fields", 0.75, _slides),
        Group(
            "edges",
            0.25,
            _gaps,
            advice="Some figures are not published: getattr(chip, field) is None there, and source(field) raises a ValueError.",
        ),
    ),
    hints=(
        "For each name: chip = specs.accelerator(name), then getattr(chip, field) and chip.source(field).confidence.",
        'The confidence is "confirmed", "secondary", "memory" or "low". Exclude one of these words.',
        'Keep a name if there is a figure at all, if its confidence is not "low", and if the printed figure is within one percent of it. The printed figure may be too small as well as too large.',
    ),
    explanation=(
        "A table without sources treats a vendor's datasheet and a rumor alike. A missing figure is not the same as low "
        "confidence: without a figure there is nothing to check. A slide that agrees with a rumor is not a second source."
    ),
    mistakes=(
        Mistake("everything", _kept(lambda word: True), "You kept figures whose confidence is low."),
        Mistake(
            "low alone",
            _kept(lambda word: word == "low"),
            "You returned the figures of low confidence. Return the others.",
        ),
        Mistake(
            "confirmed alone",
            _kept(lambda word: word == "confirmed"),
            'You kept only "confirmed". "secondary" and "memory" are weaker, but only "low" means that sources disagree.',
        ),
        Mistake(
            "confirmed and secondary",
            _kept(lambda word: word in ("confirmed", "secondary")),
            'You left out "memory", a well-known figure that was not looked up again. Exclude only "low".',
        ),
        Mistake(
            "high",
            _kept(lambda word: word in ("high", "medium")),
            'You checked for a word that does not occur. The words are "confirmed", "secondary", "memory" and "low".',
        ),
        Mistake(
            "sorted",
            lambda printed, field: sorted(trusted(printed, field)),
            "Right chips, but sorted. Keep the order of `printed`.",
        ),
        Mistake(
            "one field for all",
            _kept(lambda word: word != "low", source="tdp_watts"),
            "You always checked the confidence of tdp_watts. Use chip.source(field).",
        ),
        Mistake(
            "never compared",
            _kept(lambda word: word != "low", agrees=lambda value, figure: True),
            "You never compared the printed figure with the one on record.",
        ),
        Mistake(
            "equal",
            _kept(lambda word: word != "low", agrees=lambda value, figure: value == figure),
            "You kept only figures that are equal to the ones on record. Slides are rounded, so allow 1 %.",
        ),
        Mistake(
            "no lower limit",
            _kept(lambda word: word != "low", agrees=lambda value, figure: value <= 1.01 * figure),
            "You accepted printed figures that are too low. Within 1 % means above or below: use abs().",
        ),
        Mistake(
            "disagreeing",
            _kept(lambda word: word != "low", agrees=lambda value, figure: not _agrees(value, figure)),
            "You returned the figures that disagree with the ones on record. Return those that agree.",
        ),
    ),
    mutants=MUTANTS["lab.accelerators.trusted"],
)
