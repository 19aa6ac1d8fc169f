"""Exercise on a diagnosis of a long step, from the profile of its ranks."""

import numpy as np

from chip2cluster import parallelism
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS
from .step_profile import CAUSES, NODE, columns, step

ORDER = ("placement", "hot expert", "uneven stages", "few micro-batches")


def diagnose(table):
    """Name what makes a step long, from what each rank did in it."""
    return _name(table)


def _name(table, *, order=ORDER, hot=1.25, slow=1.1, wait=0.2, by=np.mean, busiest=np.max, **signs):
    ranks = columns(table)
    held = {
        group: {ranks["node"][ranks["group"] == group][place] for place in range(4)} for group in set(ranks["group"])
    }
    stages = np.array([ranks["compute"][ranks["stage"] == stage].mean() for stage in sorted(set(ranks["stage"]))])
    total = ranks["compute"] + ranks["tensor"] + ranks["experts"] + ranks["waiting"]
    holds = {
        "placement": any(len(nodes) > 1 for nodes in held.values()),
        "hot expert": busiest(ranks["visits"]) > hot * ranks["visits"].mean(),
        "uneven stages": stages.max() > slow * stages.mean(),
        "few micro-batches": by(ranks["waiting"] / total) > wait,
    }
    holds |= {cause.replace("_", " "): sign(ranks, stages) for cause, sign in signs.items()}
    return next((cause for cause in order if holds[cause]), "nothing")


def _like(**changed):
    return lambda table: _name(table, **changed)


def _without(cause):
    return _like(order=tuple(one for one in ORDER if one != cause))


def _blame(cause, holds):
    """Blames one cause by a sign of its own, and is right otherwise."""
    return lambda table: cause if holds(columns(table)) else _name(table)


def _long_tensor(ranks):
    return ranks["tensor"].mean() > 0.25 * ranks["compute"].mean()


def _long_experts(ranks):
    return ranks["experts"].max() > 1.25 * ranks["experts"].mean()


def _hot_in_its_stage(ranks, stages):
    visits = ranks["visits"].reshape(len(stages), -1)
    return (visits.max(axis=1) > 1.25 * visits.mean(axis=1)).any()


def _long_experts_for_visits(ranks, stages):
    return ranks["experts"].max() > 1.25 * ranks["experts"].mean()


def _hot_by_the_median(ranks, stages):
    return ranks["visits"].max() > 1.25 * np.median(ranks["visits"])


def _not_in_order(ranks, stages):
    return (ranks["node"] != ranks["rank"] // NODE).any()


def _one_slow_rank(ranks, stages):
    return ranks["compute"].max() > 1.1 * ranks["compute"].mean()


def _slower_than_the_others(ranks, stages):
    return any(stage > 1.1 * (stages.sum() - stage) / (len(stages) - 1) for stage in stages)


def _steps(generator):
    # One that needs a single look comes first: it is the one that a student sees.
    drawn = [step("placement", generator)]
    drawn += [step(str(cause), generator) for cause in generator.permutation(CAUSES)]
    drawn += [step(str(cause), generator) for cause in generator.permutation(CAUSES)]
    # A model that sends much, well placed.
    drawn += [step("nothing", generator, share=0.15), step("few micro-batches", generator, share=0.15)]
    # Two faults at once: the first row of the table is the answer.
    pairs = ("placement", "hot expert"), ("placement", "uneven stages"), ("hot expert", "uneven stages")
    return [*drawn, *(step(one, generator, also=(other,)) for one, other in pairs)]


def _near(generator):
    # The head makes the last stage a little longer, and that is all; one expert a little busier; waiting on either side of its line.
    return [
        step("nothing", generator, last=1.06),
        step("uneven stages", generator, longer=1.2),
        step("hot expert", generator, hot=1.4),
        step("nothing", generator, m=16),
        step("few micro-batches", generator, m=9),
        # One stage with less to do waits longest; a stage and a rank a little slower; fewer layers with experts on a stage.
        step("nothing", generator, m=30, slow_stage=0.82),
        step("nothing", generator, m=48, slow_stage=1.12),
        step("nothing", generator, m=48, slow_rank=1.14),
        step("nothing", generator, m=40, fewer=0.8, hot=1.45),
        # Two busy experts in two stages.
        step("hot expert", generator, hot=1.5, also=("hot expert",)),
        # Close to two lines, on both sides.
        step("nothing", generator, m=13, noise=0.1),
        step("few micro-batches", generator, m=11, noise=0.1),
        step("nothing", generator, m=48, peak=1.23),
        step("hot expert", generator, m=48, peak=1.27),
        # Whole groups on nodes in another order; and one rank late in the table astray, which another one has to make room for.
        step("nothing", generator, nodes=(0,) * 4 + (1,) * 4 + (0,) * 4 + (1,) * 4),
        step("placement", generator, nodes=(0,) * 7 + (1,) * 8 + (0,)),
    ]


DIAGNOSE = Exercise(
    id="parallelism.diagnose",
    title="What makes this step long?",
    signature="diagnose(table)",
    unit="",
    points=5,
    reference=diagnose,
    shows=(columns, diagnose),
    groups=(
        Group("steps", 0.8, _steps),
        Group(
            "near the thresholds",
            0.2,
            _near,
            v.VALUE,
            advice="The thresholds are 1.25 times the mean of the visits, 1.1 times the mean compute of the stages, "
                   "and 20 % of the step. A last stage that computes a little longer, because of the output layer, is "
                   "not a fault. A tensor group may be on any node, as long as all of it is on the same one.",
        ),
    ),
    hints=(
        "A rank that waits is not the cause. Which columns show a rank's own work, and which show only the effect of other ranks?",
        "Go down the table of the task. Check node and group for the placement, visits for a hot expert, and compute for uneven stages. Only then check waiting.",
        "To get the words of a line: line.replace('|', ' ').split(). You need the mean of compute for each stage; and "
        "waiting / (compute + tensor + experts + waiting) for each rank, averaged over the ranks.",
    ),
    solution="""
def diagnose(table):
    ranks = []
    for line in table.splitlines():
        words = line.replace("|", " ").split()
        names = ("node", "group", "stage", "compute", "tensor", "experts", "waiting", "visits")
        ranks.append({name: float(words[words.index(name) + 1]) for name in names})

    nodes = {}
    for rank in ranks:
        nodes.setdefault(rank["group"], set()).add(rank["node"])
    if any(len(held) > 1 for held in nodes.values()):
        return "placement"

    visits = [rank["visits"] for rank in ranks]
    if max(visits) > 1.25 * sum(visits) / len(visits):
        return "hot expert"

    stages = {}
    for rank in ranks:
        stages.setdefault(rank["stage"], []).append(rank["compute"])
    means = [sum(times) / len(times) for times in stages.values()]
    if max(means) > 1.1 * sum(means) / len(means):
        return "uneven stages"

    shares = [
        rank["waiting"] / (rank["compute"] + rank["tensor"] + rank["experts"] + rank["waiting"]) for rank in ranks
    ]
    return "few micro-batches" if sum(shares) / len(shares) > 0.2 else "nothing"
""",
    explanation=(
        "Delays spread through a pipeline: one slow stage makes all others wait, and one busy expert makes its whole "
        "stage show the same long time. So the longest wait does not point to the cause. Look for differences in the "
        "work (visits, compute, nodes), and blame the bubble only if there are none."
    ),
    meaning=lambda: (
        f"With four stages and 5 micro-batches, waiting is {_bubble(5):.0f} % of the step; with 40 it is "
        f"{_bubble(40):.0f} %, so a setting fixes that. The scheduler fixes a group on two nodes, the router's load "
        "balancing fixes a hot expert, and moving a layer fixes an uneven stage. The same symptom has four different "
        "fixes."
    ),
    mistakes=(
        Mistake(
            "waiting checked first",
            _like(order=("few micro-batches", "placement", "hot expert", "uneven stages")),
            "You blamed the bubble for a slow stage: when one stage computes too long, all others wait. Compare the mean of compute between stages before you look at waiting.",
        ),
        Mistake(
            "long messages taken for bad placement",
            _blame("placement", _long_tensor),
            "You blamed the placement because messages take long. Some models simply send a lot. Use node and group to see whether a tensor group is split between nodes.",
        ),
        Mistake(
            "placement never found",
            _like(order=ORDER[1:]),
            "You never found a bad placement. Check which nodes the ranks of each tensor group are on.",
        ),
        Mistake(
            "hot experts by their time",
            lambda table: (
                found if (found := _without("hot expert")(table)) not in ("nothing", "few micro-batches")
                else "uneven stages" if _long_experts(columns(table)) else found
            ),
            "You called a stage uneven because its experts take long. Its compute is as long as that of the others: one of its experts gets too many visits.",
        ),
        Mistake(
            "hot expert missed",
            _without("hot expert"),
            "You missed a hot expert. All ranks of its stage wait for it in experts, and only visits shows which rank it is on.",
        ),
        Mistake(
            "few micro-batches missed",
            _without("few micro-batches"),
            "You missed a step with too few micro-batches. All ranks do the same work, and on average they wait for more than 20 % of the step.",
        ),
        Mistake(
            "always a fault",
            lambda table: "few micro-batches" if (found := _name(table)) == "nothing" else found,
            "You found a fault in a healthy step. Every pipeline waits a little.",
        ),
        Mistake(
            "waiting over compute",
            lambda table: (
                "few micro-batches"
                if (found := _name(table)) == "nothing" and (ranks := columns(table)) and np.mean(ranks["waiting"] / ranks["compute"]) > 0.2
                else found
            ),
            "You divided waiting by compute. Divide it by the whole step: compute, tensor, experts and waiting together.",
            share=0.8,
        ),
        Mistake(
            "hot expert before placement",
            _like(order=("hot expert", "placement", "uneven stages", "few micro-batches")),
            "Two rows hold, and you returned the hot expert although a tensor group is split as well. The first row that holds is the answer: placement.",
        ),
        Mistake(
            "uneven stages first",
            _like(order=("uneven stages", "placement", "hot expert", "few micro-batches")),
            "Two rows hold, and you returned the uneven stage. The first row that holds is the answer: check placement and hot experts before.",
        ),
        Mistake(
            "uneven stages before hot expert",
            _like(order=("placement", "uneven stages", "hot expert", "few micro-batches")),
            "Two rows hold, and you returned the uneven stage although an expert is hot as well. The first row that holds is the answer.",
        ),
        Mistake(
            "any rank waits",
            _like(by=np.max),
            "You checked whether any rank waits for more than 20 %. Use the mean over the ranks: one stage with less work may wait while no other does.",
            share=0.8,
        ),
        Mistake(
            "one slow rank",
            _like(uneven_stages=_one_slow_rank),
            "You compared single ranks. A stage is uneven if the mean compute of its ranks is too high.",
            share=0.8,
        ),
        Mistake(
            "the mean of the others",
            _like(uneven_stages=_slower_than_the_others),
            "You compared a stage with the mean of the other stages. The threshold is 1.1 times the mean of all stages.",
            share=0.8,
        ),
        Mistake(
            "hot in its stage",
            _like(hot_expert=_hot_in_its_stage),
            "You compared visits with the mean of the rank's stage. The threshold is 1.25 times the mean of all visits.",
            share=0.8,
        ),
        Mistake(
            "the median of the visits",
            _like(hot_expert=_hot_by_the_median),
            "You compared visits with their median. The threshold is 1.25 times the mean of all visits.",
            share=0.8,
        ),
        Mistake(
            "visits threshold too low",
            _like(hot=1.2),
            "You report a hot expert although the busiest rank is below 1.25 times the mean of all visits.",
            share=0.8,
        ),
        Mistake(
            "visits threshold too high",
            _like(hot=1.3),
            "You miss a hot expert whose visits are just above the threshold of 1.25 times the mean of all visits.",
            share=0.8,
        ),
        Mistake(
            "waiting threshold too low",
            _like(wait=0.18),
            "You blame the bubble although ranks wait for slightly less than 20 % of the step.",
            share=0.8,
        ),
        Mistake(
            "waiting threshold too high",
            _like(wait=0.25),
            "You call a step healthy although ranks wait for more than 20 % of it, on average.",
            share=0.8,
        ),
        Mistake(
            "nodes by rank number",
            _like(placement=_not_in_order),
            "You checked whether ranks 0 to 7 are on node 0 and the rest on node 1. A whole group may be on either node: check for each group whether all its ranks are on one node.",
            share=0.8,
        ),
        Mistake(
            "hot expert from the time of experts",
            _like(hot_expert=_long_experts_for_visits),
            "You used the time of the experts. All ranks of a stage show the same time, that of the busiest rank, so only visits shows how hot one expert is.",
            share=0.8,
        ),
        Mistake(
            "the last stage blamed",
            _like(slow=1.03),
            "You call the last stage uneven because it computes a little longer, for the output layer. The threshold is 1.1 times the mean.",
            share=0.8,
        ),
    ),
    mutants=MUTANTS["parallelism.diagnose"],
)  # fmt: skip


def _bubble(m):
    return 100 * parallelism.bubble_over_makespan("1f1b", 4, m)
