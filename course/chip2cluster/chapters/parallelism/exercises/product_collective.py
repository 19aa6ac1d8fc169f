"""Exercise on the collective that a product of sharded matrices needs."""

from chip2cluster import parallelism
from chip2cluster.exercise.model import Exercise, Group, Mistake
from chip2cluster.parallelism import device_mesh

from ..mutants import MUTANTS

FREE = (("j", "", ""), ("", "j", ""), ("", "", "i"), ("", "", "k"))  # where a whole matrix is cut on the spot


def name_collective(left, right, result):
    """The collective, and the matrix that it moves."""
    return parallelism.product_collective(left, right, result)


def _case(cuts):
    return dict(zip(("left", "right", "result"), cuts, strict=True))


def _products(generator):
    # The second matrix of a feed-forward block comes first: it is the one that a student sees.
    others = [cuts for cuts in parallelism.single_collectives() if cuts not in FREE and cuts != ("j", "j", "")]
    return [_case(("j", "j", "")), *(_case(others[place]) for place in generator.permutation(len(others)))]


def _free(generator):
    return [_case(FREE[place]) for place in generator.permutation(len(FREE))]


def _but(*rules):
    """The right name with some answers exchanged: each rule asks about the cuts and the right name."""

    def wrong(left, right, result):
        found = name_collective(left, right, result)
        return next((other for holds, other in rules if holds(left, right, result, found)), found)

    return wrong


def _summed(left, right, result, found):
    return "j" in (left, right) and not found.startswith("all_gather")


def _mixed(left, right, result, found):
    """One matrix is cut over j and the other over a letter of the result."""
    return "j" in (left, right) and found.startswith("all_gather")


NAME = Exercise(
    id="parallelism.name_collective",
    title="Name the collective",
    signature="name_collective(left, right, result)",
    unit="",
    points=4,
    reference=name_collective,
    shows=(parallelism.product_collective, device_mesh._plan),
    groups=(
        Group("products", 0.8, _products),
        Group(
            "whole matrices",
            0.2,
            _free,
            advice="What every device has whole it cuts for itself, without a message. So one matrix cut over j is as good as two.",
        ),
    ),
    hints=(
        "Over which letter do the devices share the work? Mostly it is the letter of the result; if the inputs are cut over j, it is j.",
        "Work over j leaves each device with a sum of its own. These must be added: is the result wanted whole, or cut?",
        "Both over j, or one over j and the other whole: all_reduce result, or reduce_scatter result where it is to be cut. Otherwise look "
        "for the one matrix that is cut where it is needed whole: all_gather it. If there is none: none.",
    ),
    solution="""
def name_collective(left, right, result):
    if {left, right} in ({"j"}, {"j", ""}):      # each device has a sum of its own
        return "reduce_scatter result" if result else "all_reduce result"
    if result == "i" and right:                  # rows of the result: all of the right matrix
        return "all_gather right"
    if result == "k" and left:                   # columns of the result: all of the left one
        return "all_gather left"
    if result == "" and (left or right):
        return "all_gather result"
    return "none"
""",
    explanation=(
        "A cut over an index that stays (i or k) costs nothing as long as the result may stay cut there. A cut over the index that "
        "is summed makes every device's result incomplete. And two cuts that do not fit each other cost a gather of one of them."
    ),
    meaning=lambda: (
        "Compilers that shard (GSPMD, XLA's, behind JAX) do just this for every operation of a program: you say how the arrays lie, they "
        f"insert the collectives. Of the {3**3} ways to cut two matrices and their product {len(parallelism.single_collectives())} get by with one collective or none."
    ),
    mistakes=(
        Mistake(
            "always an all-reduce",
            _but((lambda left, right, result, found: found.startswith("reduce_scatter"), "all_reduce result")),
            "You all-reduce a result that may stay cut. Half of that is enough: a reduce-scatter adds and leaves each device its part.",
        ),
        Mistake(
            "sums not added",
            _but((_summed, "none")),
            "You found that nothing is to be sent where the work is shared over j. Each device then has a sum over its own j: they must be added.",
        ),
        Mistake(
            "sums gathered",
            _but((_summed, "all_gather result")),
            "You gather results that are incomplete. A gather puts parts side by side; sums over j must be added: all_reduce or reduce_scatter.",
        ),
        Mistake(
            "the other matrix",
            _but(
                (lambda left, right, result, found: found == "all_gather left", "all_gather right"),
                (lambda left, right, result, found: found == "all_gather right", "all_gather left"),
            ),
            "You gather the other matrix. To make rows i of the result a device needs rows i of the left and *all* of the right one; for "
            "columns k it is the other way round.",
        ),
        Mistake(
            "columns alone",
            _but((lambda left, right, result, found: (left, right, result) == ("i", "k", "k"), "all_gather right")),
            "Left is cut over i and right over k, and the result is to lie over k: its letter says who works. Who makes columns k has "
            "its part of right already, and needs all rows of left.",
        ),
        Mistake(
            "rows alone",
            _but((lambda left, right, result, found: (left, right, result) == ("i", "k", "i"), "all_gather left")),
            "Left is cut over i and right over k, and the result is to lie over i: its letter says who works. Who makes rows i has "
            "its part of left already, and needs all columns of right.",
        ),
        Mistake(
            "underscores",
            lambda **cuts: name_collective(**cuts).replace(" ", "_"),
            "The names are right, but for the space between collective and matrix: 'all_gather left'.",
        ),
        Mistake(
            "inputs gathered",
            _but(
                (lambda left, right, result, found: _summed(left, right, result, found) and left == "j", "all_gather left"),
                (lambda left, right, result, found: _summed(left, right, result, found), "all_gather right"),
            ),
            "You gather an input that is cut over j. Then every device does the work of all. Cut the other input over j as well and the "
            "work is shared; what is left is a sum.",
        ),
        Mistake(
            "added where nothing is summed",
            _but((lambda left, right, result, found: found == "all_gather result", "all_reduce result")),
            "You add where nothing is summed. A device that has rows i (or columns k) of the result has them complete: they only have to be gathered.",
        ),
        Mistake(
            "gathered for nothing",
            _but((lambda left, right, result, found: found == "none", "all_gather result")),
            "You gather a result that may stay cut. Where result is i or k it already lies as it is wanted: none.",
        ),
        Mistake(
            "the inputs of a gathered result",
            _but(
                (lambda left, right, result, found: found == "all_gather result" and left, "all_gather left"),
                (lambda left, right, result, found: found == "all_gather result", "all_gather right"),
            ),
            "You gather an input where the result is wanted whole. Then every device does the work of all. Multiply first, each its part, "
            "and gather the result.",
        ),
        Mistake(
            "one j is none",
            _but((lambda left, right, result, found: _summed(left, right, result, found) and left != right, "none")),
            "You overlook that one matrix cut over j is enough to share the work over j, if the other is whole: each device uses its part of it, "
            "and has a sum of its own.",
            share=0.8,
        ),
        Mistake(
            "gather where one is cut over j",
            _but(
                (lambda left, right, result, found: _summed(left, right, result, found) and right == "", "all_gather left"),
                (lambda left, right, result, found: _summed(left, right, result, found) and left == "", "all_gather right"),
            ),
            "You gather a matrix cut over j because the other is whole. A device can cut what is whole for itself: then each has a sum of its "
            "own, and the work is shared.",
            share=0.8,
        ),
        Mistake(
            "any j is a sum",
            _but(
                (lambda left, right, result, found: _mixed(left, right, result, found) and result != "", "reduce_scatter result"),
                (_mixed, "all_reduce result"),
            ),
            "You add sums where j is cut in one matrix, and i or k in the other. Then nobody has parts that match, so there is nothing to add: "
            "gather the matrix that is cut over j.",
        ),
        Mistake(
            "the matrix without j",
            _but(
                (lambda left, right, result, found: _mixed(left, right, result, found) and left == "j", "all_gather right"),
                (_mixed, "all_gather left"),
            ),
            "Where j is cut in one matrix, and i or k in the other, you gather the other one. The result's letter says who works: who makes "
            "columns k has its part of right, and needs all of left, which is cut over j (rows i the other way round).",
        ),
        Mistake(
            "one matrix fits",
            _but((_mixed, "none")),
            "You looked at one matrix only. It is cut as the result is, but the other one is cut over j, and a device needs all of j.",
        ),
        Mistake(
            "nothing for whole matrices",
            _but((lambda left, right, result, found: found == "none" and not left and not right, "all_gather result")),
            "Where both inputs are whole and the result is to be cut, each device makes its own part: nothing is sent.",
            share=0.8,
        ),
        Mistake(
            "the name alone",
            lambda **cuts: name_collective(**cuts).split()[0],
            "You left out the matrix. Return the collective and what it moves, such as 'all_gather left', or 'none'.",
        ),
    ),
    mutants=MUTANTS["parallelism.name_collective"],
)  # fmt: skip
