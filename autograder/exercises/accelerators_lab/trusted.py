"""Which figures can be relied on."""

from chip2cluster import specs

from ... import verdict as v
from ..model import Exercise, Group, Mistake, Mutant


def trusted(names, field):
    """Names of the chips whose figure is published and not of low confidence, in the order given."""
    return [name for name in names if _confidence(name, field) not in (None, "low")]


def _confidence(name, field):
    chip = specs.accelerator(name)
    return None if getattr(chip, field) is None else chip.source(field).confidence


# The main cases ask for fields that all of these have.
CHIPS = (
    "A100 SXM 80GB", "H100 SXM", "H200 SXM", "B200", "B300", "L4", "MI250X", "MI300X", "MI300A", "MI355X", "TPU v3",
    "TPU v4", "Gaudi 2", "Gaudi 3", "Ascend 910", "Ascend 910B",
)  # fmt: skip


def _catalogues(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    cases = [{"names": ["H100 SXM", "Ascend 910B", "MI300X"], "field": "memory_bandwidth"}]
    for field in ("tdp_watts", "memory_bytes", "scale_up_bandwidth_one_way", "compute_units"):
        cases.append({"names": [str(name) for name in generator.permutation(CHIPS)], "field": field})
    return cases


def _gaps(generator):
    return [
        {"names": ["TPU v5p", "H100 SXM", "B300", "Trainium2"], "field": "tdp_watts"},
        {"names": ["Gaudi 3", "B300", "A100 SXM 80GB", "TPU7x"], "field": "boost_clock_hz"},
    ]


def _kept(keep):
    return lambda names, field: [name for name in names if keep(_confidence(name, field))]


TRUSTED = Exercise(
    id="lab.accelerators.trusted",
    title="Which figures would you sign for?",
    signature="trusted(names, field)",
    unit="",
    graded=True,
    points=4,
    reference=trusted,
    groups=(
        Group("fields", 0.75, _catalogues),
        Group(
            "edges",
            0.25,
            _gaps,
            advice="Some figures are not published: getattr(chip, field) is None there, and source(field) raises a ValueError.",
        ),
    ),
    hints=(
        "For each name: chip = specs.accelerator(name), then chip.source(field).confidence.",
        'Four words occur: "confirmed", "secondary", "memory" and "low". Leave out one of them.',
        'Keep the name if getattr(chip, field) is not None and chip.source(field).confidence != "low".',
    ),
    explanation=(
        "A table without sources treats a vendor's sheet and a rumour alike. Missing is not low: there is nothing to sign for."
    ),
    mistakes=(
        Mistake("everything", _kept(lambda word: True), "You kept figures whose confidence is low."),
        Mistake(
            "low alone",
            _kept(lambda word: word == "low"),
            "You returned those of low confidence. The others are wanted.",
        ),
        Mistake(
            "confirmed alone",
            _kept(lambda word: word == "confirmed"),
            'You kept "confirmed" alone. "secondary" and "memory" are weaker, but only "low" means that sources disagree.',
        ),
        Mistake(
            "confirmed and secondary",
            _kept(lambda word: word in ("confirmed", "secondary")),
            'You left out "memory": a figure known well but not read again. Only "low" is to go.',
        ),
        Mistake(
            "high",
            _kept(lambda word: word in ("high", "medium")),
            'You asked for a word that does not occur. There are "confirmed", "secondary", "memory" and "low".',
        ),
        Mistake(
            "sorted",
            lambda names, field: sorted(trusted(names, field)),
            "Right chips, but sorted. Keep the order of `names`.",
        ),
        Mistake(
            "one field for all",
            lambda names, field: trusted(names, "tdp_watts"),
            "You looked at tdp_watts whatever was asked. Use `field`: getattr(chip, field) and chip.source(field).",
        ),
    ),
    mutants=(
        Mutant(
            source="""
from chip2cluster import specs
def trusted(names, field):
    return [n for n in names if specs.accelerator(n).source(field).confidence != 'low']
""",
            verdict=v.EDGES,
            says="not published",
            share=0.75,
        ),
        Mutant(
            source="""
from chip2cluster import specs
def trusted(names, field):
    return {n for n in names if specs.accelerator(n).source(field).confidence != 'low'}
""",
            verdict=v.TYPE,
            says="set",
        ),
    ),
)
