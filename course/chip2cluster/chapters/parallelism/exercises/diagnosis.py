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
            "near the lines",
            0.2,
            _near,
            v.VALUE,
            advice="The lines are 1.25 times the mean of the visits, 1.1 times the mean of the stages' arithmetic and 20 % of the step. A last stage that "
            "computes a little longer, for the head, is no fault; and a group may be on any node, if all of it is on the same one.",
        ),
    ),
    hints=(
        "Who waits is innocent. Which columns say what a rank did, and which what was done to it?",
        "Go down the list of the page. Placement stands in node and group, a hot expert in visits, uneven stages in compute; only then does waiting count.",
        "Words of a line: line.replace('|', ' ').split(). Mean of compute for each stage; waiting / (compute + tensor + experts + waiting) for "
        "each rank, and the mean of that.",
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
        "A pipeline passes its troubles on: one slow stage makes all others wait, and one busy expert makes its whole stage slow in the same column. "
        "So the longest wait names no culprit. Look for what differs in the work (visits, compute, nodes), and call it the bubble only if nothing does."
    ),
    meaning=lambda: (
        f"With four stages and 5 micro-batches waiting is {_bubble(5):.0f} % of the step, with 40 it is {_bubble(40):.0f} %: that cure is a setting. "
        "A group on two nodes is cured by the scheduler, a hot expert by the router's balance, an uneven stage by moving a layer. Same symptom, four departments."
    ),
    mistakes=(
        Mistake(
            "waiting first",
            _like(order=("few micro-batches", "placement", "hot expert", "uneven stages")),
            "You blamed the bubble for a slow stage: while one stage computes too long all others wait. Compare the mean of compute, stage by stage, before you ask who waits.",
        ),
        Mistake(
            "long messages are a bad placement",
            _blame("placement", _long_tensor),
            "You blamed the placement by the time of the messages. Some models send much. Whether a group is cut stands in node and group.",
        ),
        Mistake(
            "long messages alone",
            _like(order=ORDER[1:]),
            "You never found a bad placement. Look at which nodes the ranks of one tensor group are on.",
        ),
        Mistake(
            "hot experts by their time alone",
            lambda table: (
                found if (found := _without("hot expert")(table)) not in ("nothing", "few micro-batches")
                else "uneven stages" if _long_experts(columns(table)) else found
            ),
            "You called a stage uneven whose experts take long. Its arithmetic is as long as that of the others: one of its experts gets too many visits.",
        ),
        Mistake(
            "hot expert unseen",
            _without("hot expert"),
            "You missed a hot expert. All ranks of its stage wait for it in experts; only visits tell which one it is.",
        ),
        Mistake(
            "few micro-batches unseen",
            _without("few micro-batches"),
            "You missed a step with too few micro-batches. All ranks do the same work, and all of them wait for a fifth of the step or more.",
        ),
        Mistake(
            "somebody must be slow",
            lambda table: "few micro-batches" if (found := _name(table)) == "nothing" else found,
            "You found a fault in a step that is well. Every pipeline waits a little.",
        ),
        Mistake(
            "over the arithmetic",
            lambda table: (
                "few micro-batches"
                if (found := _name(table)) == "nothing" and (ranks := columns(table)) and np.mean(ranks["waiting"] / ranks["compute"]) > 0.2
                else found
            ),
            "You divided waiting by compute. Its share of the whole step is asked for: compute, tensor, experts and waiting together.",
            share=0.8,
        ),
        Mistake(
            "hot expert before placement",
            _like(order=("hot expert", "placement", "uneven stages", "few micro-batches")),
            "Two rows hold, and you named the hot expert where a group is cut as well. The first row that holds is the answer: placement.",
        ),
        Mistake(
            "uneven stages first",
            _like(order=("uneven stages", "placement", "hot expert", "few micro-batches")),
            "Two rows hold, and you named the uneven stage. The first row that holds is the answer: ask for placement and hot experts before.",
        ),
        Mistake(
            "uneven stages before hot expert",
            _like(order=("placement", "uneven stages", "hot expert", "few micro-batches")),
            "Two rows hold, and you named the uneven stage where an expert is hot as well. The first row that holds is the answer.",
        ),
        Mistake(
            "anybody waits",
            _like(by=np.max),
            "You asked whether any rank waits for more than 20 %. It is the mean over the ranks: a stage with less to do may wait, and nobody else.",
            share=0.8,
        ),
        Mistake(
            "one slow rank",
            _like(uneven_stages=_one_slow_rank),
            "You compared single ranks. A stage is uneven by the mean of its ranks' compute.",
            share=0.8,
        ),
        Mistake(
            "the mean of the others",
            _like(uneven_stages=_slower_than_the_others),
            "You compared a stage with the mean of the other stages. The line is 1.1 times the mean of all of them.",
            share=0.8,
        ),
        Mistake(
            "hot in its stage",
            _like(hot_expert=_hot_in_its_stage),
            "You compared visits with the mean of the rank's own stage. The line is 1.25 times the mean of all visits.",
            share=0.8,
        ),
        Mistake(
            "the median of the visits",
            _like(hot_expert=_hot_by_the_median),
            "You compared visits with their median. The line is 1.25 times the mean of all visits.",
            share=0.8,
        ),
        Mistake(
            "a lower line for visits",
            _like(hot=1.2),
            "You find a hot expert where the busiest rank is below 1.25 times the mean of all visits.",
            share=0.8,
        ),
        Mistake(
            "a higher line for visits",
            _like(hot=1.3),
            "You miss a hot expert whose visits are a little above the line of 1.25 times the mean of all visits.",
            share=0.8,
        ),
        Mistake(
            "a lower line for waiting",
            _like(wait=0.18),
            "You blame the bubble for a step in which ranks wait for a little less than 20 % of it.",
            share=0.8,
        ),
        Mistake(
            "a higher line for waiting",
            _like(wait=0.25),
            "You call a step well in which ranks wait for more than 20 % of it, on average.",
            share=0.8,
        ),
        Mistake(
            "nodes by rank",
            _like(placement=_not_in_order),
            "You ask whether ranks 0 to 7 are on node 0 and the rest on node 1. Whole groups may be on either node: ask for each group whether all of it is on one.",
            share=0.8,
        ),
        Mistake(
            "the experts' time for their visits",
            _like(hot_expert=_long_experts_for_visits),
            "You looked at the time of the experts. All ranks of a stage show the same, that of the busiest: only visits tell how hot one is.",
            share=0.8,
        ),
        Mistake(
            "the last stage",
            _like(slow=1.03),
            "You call a last stage uneven that computes a little longer, for the head. The line is 1.1 times the mean.",
            share=0.8,
        ),
    ),
    mutants=MUTANTS["parallelism.diagnose"],
)  # fmt: skip


def _bubble(m):
    return 100 * parallelism.bubble_over_makespan("1f1b", 4, m)
