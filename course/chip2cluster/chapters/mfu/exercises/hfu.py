"""Exercise on hardware FLOPs utilization (HFU) from MFU and recomputation."""

from chip2cluster import utilization
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

RERUN, PAPER = "selective", "selective (paper)"


def hfu(mfu, recompute, scores_share):
    """HFU of a run from its MFU and its recomputation, by one of two rules if that is selective."""
    extra = {"none": 0, RERUN: scores_share / 3, PAPER: scores_share, "full": 1 / 3}[recompute]
    return mfu * (1 + extra)


def _draw(generator, kinds):
    count = len(kinds)
    return [
        {"mfu": round(float(m), 3), "recompute": kind, "scores_share": round(float(s), 3)}
        for kind, m, s in zip(
            kinds, generator.uniform(0.25, 0.6, count), generator.uniform(0.03, 0.4, count), strict=True
        )
    ]


def _whole(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    easy = {"mfu": 0.3, "recompute": "full", "scores_share": 0.1}
    return [easy, *_draw(generator, ("none", "full", "none", "full"))]


def _rerun(generator):
    return _draw(generator, (RERUN, RERUN, RERUN))


def _paper(generator):
    return _draw(generator, (PAPER, PAPER, PAPER))


def _with(full=1 / 3, rerun=lambda s: s / 3, paper=lambda s: s):
    def wrong(mfu, recompute, scores_share):
        return mfu * (1 + {"none": 0, RERUN: rerun(scores_share), PAPER: paper(scores_share), "full": full}[recompute])

    return wrong


def _extra(recompute, scores_share):
    return hfu(1.0, recompute, scores_share) - 1


HFU = Exercise(
    id="mfu.hfu",
    title="What the hardware really did",
    signature="hfu(mfu, recompute, scores_share)",
    unit="",
    points=3,
    reference=hfu,
    shows=(hfu, utilization.hfu),
    groups=(
        Group("all or nothing", 0.6, _whole),
        Group(
            "what runs again",
            0.2,
            _rerun,
            verdict=v.FACTOR,
            advice='"selective": only the forward pass of the scores is done twice, so that is what is charged.',
        ),
        Group(
            "the paper's rule",
            0.2,
            _paper,
            verdict=v.VALUE,
            advice='"selective (paper)": the rule of the paper that introduced it charges all that the scores cost.',
        ),
    ),
    hints=(
        "The time and the peak are the same, but there is more arithmetic: by which factor did it grow?",
        "Forward is one part of three, so a second forward pass makes it four parts of three.",
        "mfu times 1, 1 + 1/3, 1 + scores_share / 3 (what runs again), or 1 + scores_share (the paper's rule).",
    ),
    solution="""
def hfu(mfu, recompute, scores_share):
    if recompute == "full":
        return mfu * 4 / 3
    if recompute == "selective":
        return mfu * (1 + scores_share / 3)
    if recompute == "selective (paper)":
        return mfu * (1 + scores_share)
    return mfu
""",
    explanation=(
        "A run without recomputation has one utilization, not two. With full recomputation the hardware does four thirds of "
        "what the model needs. Compare runs by MFU, because it counts only the work of the model. HFU shows how good the "
        "kernels are; ask by which rule it was counted, because two are in use for selective recomputation."
    ),
    meaning=lambda: (
        f"An MFU of 42 % is an HFU of {100 * hfu(0.42, 'full', 0.1):.0f} % when everything runs twice forward, and of "
        f"{100 * hfu(0.42, 'selective', 0.1):.1f} % when only the scores do, a tenth of the arithmetic. At the same MFU the model trains at the same speed: the difference is work done twice."
    ),
    mistakes=(
        # These first: they are right wherever everything or nothing is done twice.
        Mistake(
            "the other convention",
            _with(rerun=lambda s: s),
            'That is the other convention: for "selective" you charged the whole cost of the scores, like the paper that '
            'introduced it. It is in use and printed in that paper\'s table. Here "selective" counts only the work that runs again, the '
            'forward pass of the scores, a third of that; "selective (paper)" counts as you did.',
            share=0.8,
        ),
        Mistake(
            "the same rule for both",
            _with(paper=lambda s: s / 3),
            'You charged what runs again, a third of the scores, in both cases. For "selective (paper)" take the rule of the '
            "paper: all that the scores cost, forward and backward.",
            share=0.8,
        ),
        Mistake(
            "the paper's rule is nothing",
            _with(paper=lambda s: 0),
            'You charged nothing for "selective (paper)". It is charged with the whole cost of the scores: scores_share.',
            share=0.8,
        ),
        Mistake(
            "scores and their backward pass",
            _with(rerun=lambda s: 2 * s / 3),
            "You charged two thirds of the scores. Forward is one part of three.",
            share=0.8,
        ),
        Mistake(
            "selective is full",
            _with(rerun=lambda s: 1 / 3, paper=lambda s: 1 / 3),
            "You charged a whole forward pass. Selective recomputation reruns only the scores.",
            share=0.6,
        ),
        Mistake(
            "selective is nothing",
            _with(rerun=lambda s: 0, paper=lambda s: 0),
            "You charged nothing for selective recomputation. It is little: the forward pass of the scores.",
            share=0.6,
        ),
        Mistake(
            "a quarter",
            _with(full=1 / 4),
            "You added a quarter. The second forward pass is a quarter of the hardware's work, but a third of the "
            "model's.",
        ),
        Mistake(
            "a half",
            _with(full=1 / 2),
            "You added a half. Forward is one part and backward two: one of three, not of two.",
        ),
        Mistake(
            "two thirds",
            _with(full=2 / 3),
            "You added two thirds. That is the backward pass; recomputation repeats the forward pass.",
        ),
        Mistake(
            "twice", _with(full=1.0), "You doubled it. Only the forward pass is done twice, a third of the arithmetic."
        ),
        Mistake(
            "recomputation always",
            lambda mfu, recompute, scores_share: 4 / 3 * mfu,
            "You used full recomputation for every run. Use the value of recompute.",
        ),
        Mistake(
            "recomputation ignored",
            lambda mfu, recompute, scores_share: mfu,
            "You returned the MFU. The HFU also counts the work done twice.",
        ),
        Mistake(
            "a third of the peak",
            lambda mfu, recompute, scores_share: mfu + _extra(recompute, scores_share),
            "You added a third of the peak. It is a third of the model's arithmetic: multiply, don't add.",
        ),
        Mistake(
            "recomputation taken off",
            lambda mfu, recompute, scores_share: mfu / (1 + _extra(recompute, scores_share)),
            "That is inverted: HFU counts more arithmetic than MFU, so it is never below it.",
        ),
    ),
)
