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
            advice="A device can take its part of a whole matrix without a message. So one matrix sharded over j is as good as two.",
        ),
    ),
    hints=(
        "Over which index do the devices share the work? Usually it is the index of the result; if the inputs are sharded over j, it is j.",
        "Work over j leaves each device with its own partial sum. These must be added: is the result wanted whole, or sharded?",
        "If both are sharded over j, or one over j and the other whole: all_reduce result, or reduce_scatter result if "
        "it is to be sharded. Otherwise look for a matrix that is sharded but needed whole, and all_gather it. If "
        "there is no such matrix: none.",
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
        "Sharding over an index that the result keeps (i or k) costs nothing if the result may stay sharded over it. "
        "Sharding over the summed index j leaves each device with a partial sum. If two shardings do not match, one of "
        "the matrices must be gathered."
    ),
    meaning=lambda: (
        "Compilers that shard (GSPMD in XLA, behind JAX) do this for every operation of a program: you say how the "
        f"arrays are sharded, and they insert the collectives. Of the {3**3} ways to shard two matrices and their "
        f"product, {len(parallelism.single_collectives())} need at most one collective."
    ),
    mistakes=(
        Mistake(
            "always an all-reduce",
            _but((lambda left, right, result, found: found.startswith("reduce_scatter"), "all_reduce result")),
            "You all-reduce a result that may stay sharded. Half of the bytes are enough: a reduce-scatter adds the sums and leaves each device its part.",
        ),
        Mistake(
            "sums not added",
            _but((_summed, "none")),
            "You return none although the work is shared over j. Each device then has a sum over its own part of j, and these sums must be added.",
        ),
        Mistake(
            "partial sums gathered",
            _but((_summed, "all_gather result")),
            "You gather partial sums. A gather puts parts side by side; sums over j must be added: all_reduce or reduce_scatter.",
        ),
        Mistake(
            "the other matrix",
            _but(
                (lambda left, right, result, found: found == "all_gather left", "all_gather right"),
                (lambda left, right, result, found: found == "all_gather right", "all_gather left"),
            ),
            "You gather the wrong matrix. To compute rows i of the result a device needs rows i of left and *all* of right; for columns k it needs columns k of right and all of left.",
        ),
        Mistake(
            "columns computed from rows",
            _but((lambda left, right, result, found: (left, right, result) == ("i", "k", "k"), "all_gather right")),
            "Left is sharded over i, right over k, and the result is to be sharded over k, so each device computes its "
            "columns k. It already has its part of right and needs all rows of left.",
        ),
        Mistake(
            "rows computed from columns",
            _but((lambda left, right, result, found: (left, right, result) == ("i", "k", "i"), "all_gather left")),
            "Left is sharded over i, right over k, and the result is to be sharded over i, so each device computes its "
            "rows i. It already has its part of left and needs all columns of right.",
        ),
        Mistake(
            "underscores",
            lambda **cuts: name_collective(**cuts).replace(" ", "_"),
            "The names are right, but put a space between the collective and the matrix: 'all_gather left'.",
        ),
        Mistake(
            "inputs gathered",
            _but(
                (lambda left, right, result, found: _summed(left, right, result, found) and left == "j", "all_gather left"),
                (lambda left, right, result, found: _summed(left, right, result, found), "all_gather right"),
            ),
            "You gather an input that is sharded over j. Then every device does all of the work. Shard the other input "
            "over j as well, and the work is shared; only the partial sums have to be added.",
        ),
        Mistake(
            "complete parts added",
            _but((lambda left, right, result, found: found == "all_gather result", "all_reduce result")),
            "You add parts that are already complete. A device that computes rows i (or columns k) of the result has them complete, so they only have to be gathered.",
        ),
        Mistake(
            "needless gather",
            _but((lambda left, right, result, found: found == "none", "all_gather result")),
            "You gather a result that may stay sharded. If result is i or k, it is already sharded as wanted: none.",
        ),
        Mistake(
            "inputs gathered for a whole result",
            _but(
                (lambda left, right, result, found: found == "all_gather result" and left, "all_gather left"),
                (lambda left, right, result, found: found == "all_gather result", "all_gather right"),
            ),
            "You gather an input although the result is wanted whole. Then every device does all of the work. Let each device multiply its part, then gather the result.",
        ),
        Mistake(
            "one matrix over j ignored",
            _but((lambda left, right, result, found: _summed(left, right, result, found) and left != right, "none")),
            "You overlook that one matrix sharded over j is enough to share the work over j if the other is whole: each device uses its part of the whole matrix and gets a partial sum.",
            share=0.8,
        ),
        Mistake(
            "gather where one is sharded over j",
            _but(
                (lambda left, right, result, found: _summed(left, right, result, found) and right == "", "all_gather left"),
                (lambda left, right, result, found: _summed(left, right, result, found) and left == "", "all_gather right"),
            ),
            "You gather a matrix sharded over j because the other one is whole. A device can take its part of the "
            "whole matrix without a message: then each device has a partial sum, and the work is shared.",
            share=0.8,
        ),
        Mistake(
            "any j gives a sum",
            _but(
                (lambda left, right, result, found: _mixed(left, right, result, found) and result != "", "reduce_scatter result"),
                (_mixed, "all_reduce result"),
            ),
            "You add sums although j is sharded in only one matrix, and the other is sharded over i or k. No device "
            "has matching parts, so there is nothing to add: gather the matrix that is sharded over j.",
        ),
        Mistake(
            "the matrix without j",
            _but(
                (lambda left, right, result, found: _mixed(left, right, result, found) and left == "j", "all_gather right"),
                (_mixed, "all_gather left"),
            ),
            "One matrix is sharded over j and the other over i or k, and you gather the other one. The result's index "
            "says what each device computes: for columns k it has its part of right, and needs all of left, which is "
            "sharded over j (for rows i it is the other way round).",
        ),
        Mistake(
            "only one matrix checked",
            _but((_mixed, "none")),
            "You checked only one matrix. It is sharded as the result is, but the other one is sharded over j, and a device needs all of j.",
        ),
        Mistake(
            "nothing for whole matrices",
            _but((lambda left, right, result, found: found == "none" and not left and not right, "all_gather result")),
            "Both inputs are whole and the result is to be sharded, so each device computes its own part: none.",
            share=0.8,
        ),
        Mistake(
            "matrix left out",
            lambda **cuts: name_collective(**cuts).split()[0],
            "You left out the matrix. Return the collective and the matrix it moves, such as 'all_gather left', or 'none'.",
        ),
    ),
    mutants=MUTANTS["parallelism.name_collective"],
)  # fmt: skip
