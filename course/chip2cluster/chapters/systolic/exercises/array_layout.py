"""Exercise on the layout of a product over systolic arrays with the fewest cycles."""

import math

from chip2cluster import systolic
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.input_generators import draw_until, tells_apart
from chip2cluster.exercise.model import Exercise, Group, Mistake


def fewest_cycles(m, n, k, side, chips):
    """Cycles of the fullest chip in the best of four layouts: tokens or words shared out, weights or tokens in the cells."""
    return min(_layouts(m, n, k, side, chips).values())


LAYOUTS = tuple((what, stays) for what in ("tokens", "words") for stays in ("weights", "tokens"))


def _layouts(m, n, k, side, chips):
    """Cycles of the fullest chip by what is shared out and what stays in the cells."""
    shared = {"tokens": (math.ceil(m / chips), n), "words": (m, math.ceil(n / chips))}
    return {
        (what, stays): systolic.cycles(
            *(shared[what] if stays == "weights" else shared[what][::-1]), k, side, side, overlap=True
        )
        for what, stays in LAYOUTS
    }


def _pods(generator):
    # A case that can be done in the head comes first: with the 8 tokens in the cells, 3 words stream past on each chip.
    easy = {"m": 8, "n": 6, "k": 4, "side": 4, "chips": 2}
    drawn = [_pod(generator, LAYOUTS[place]) for place in generator.permutation(len(LAYOUTS))]
    return [easy, *drawn, _square(generator)]


def _square(generator):
    """A pod whose chips would be done sooner as a grid that shares out both sizes, which the page rules out."""

    def draw():
        return {
            "m": int(2 ** generator.uniform(9, 13)), "n": int(2 ** generator.uniform(12, 16)),
            "k": int(generator.integers(400, 2000)), "side": int(generator.choice((128, 256))),
            "chips": int(generator.choice((4, 8, 16))),
        }  # fmt: skip

    return draw_until(lambda pod: _grid(**pod) < 0.98 * fewest_cycles(**pod), draw)


def _pod(generator, best):
    """A pod in which one layout is clearly best, so that an answer without it is wrong."""

    def draw():
        return {
            "m": int(2 ** generator.uniform(7, 14)), "n": int(2 ** generator.uniform(7, 14)),
            "k": 128 * int(generator.integers(4, 20)), "side": int(generator.choice((128, 256))),
            "chips": int(generator.choice((2, 4, 8, 16))),
        }  # fmt: skip

    def clear(pod):
        cycles = _layouts(**pod)
        least = cycles.pop(best)
        streams = best in (("tokens", "weights"), ("words", "tokens"))  # what is shared out: a part of it would count
        return 1.02 * least < min(cycles.values()) and (
            not streams or tells_apart(LAYOUT, pod, "parts of a token", "rounded down")
        )

    return draw_until(clear, draw)


def _only(*, shared=("tokens", "words"), stays=("weights", "tokens"), choose=min):
    def wrong(m, n, k, side, chips):
        cycles = _layouts(m, n, k, side, chips)
        return choose(number for (what, held), number in cycles.items() if what in shared and held in stays)

    return wrong


def _grid(m, n, k, side, chips):
    """Fewest cycles when the chips may stand in a grid that shares out tokens and words at once."""
    grids = [(down, chips // down) for down in range(1, chips + 1) if chips % down == 0]
    return min(
        cycles
        for down, across in grids
        for cycles in _layouts(math.ceil(m / down), math.ceil(n / across), k, side, 1).values()
    )


def _rounded(share):
    def wrong(m, n, k, side, chips):
        cycles = []
        for sizes in ((share(m / chips), n), (m, share(n / chips))):
            for stream, across in (sizes, sizes[::-1]):
                tiles = math.ceil(k / side) * math.ceil(across / side)
                cycles.append((tiles - 1) * max(stream, side) + 3 * side + stream - 2)
        return min(cycles)

    return wrong


def _meaning():
    pod = {"m": 200, "n": 50257, "k": 4096, "side": 128, "chips": 16}
    cycles = _layouts(**pod)
    words = math.ceil(pod["n"] / pod["chips"])
    useful = math.prod(pod[name] for name in "mnk") / 16 / 128**2
    held, streamed = (100 * useful / cycles["words", stays] for stays in ("weights", "tokens"))
    lost = 100 * systolic.padding_loss(1, words, 128, 128, 128)
    return (
        f"200 tokens meet GPT-2's 50,257 words, 4,096 deep, on 16 arrays of 128 × 128. The best layout splits the words and keeps "
        f"the weights in the cells: {held:.0f} % of the cell cycles are useful. The matrix that streams is not padded: here the 200 tokens "
        f"stream, which would pad to {systolic.padded_size(200, 128)} in the cells, and the {words:,} words of a chip stay there with a loss of "
        f"{lost:.1f} %. The other way round it is {streamed:.0f} %. Stream the size that would lose more."
    )


LAYOUT = Exercise(
    id="systolic.layout",
    title="The layout that wastes least",
    signature="fewest_cycles(m, n, k, side, chips)",
    unit="cycles",
    points=4,
    tolerance=1e-9,
    reference=fewest_cycles,
    shows=(fewest_cycles, _layouts, systolic.cycles),
    groups=(Group("pods", 1.0, _pods),),
    hints=(
        "The array doesn't know which matrix is called A. Which matrix is in the cells if you compute the transpose of C?",
        "(AB)ᵀ = BᵀAᵀ: the tokens stay in the cells, k × m of them, and the words stream past. In your product_cycles you only "
        "swap two arguments. How many layouts are there, if the pod can also choose what to split?",
        "Two ways to split, (ceil(m / chips), n) and (m, ceil(n / chips)), times two for what stays: product_cycles(m, n, k, "
        "side, side) and product_cycles(n, m, k, side, side). Return the smallest of the four.",
    ),
    solution="""
import math


def fewest_cycles(m, n, k, side, chips):
    def cycles(stream, across):   # as in exercise 3, on square arrays
        tiles = math.ceil(k / side) * math.ceil(across / side)
        return (tiles - 1) * max(stream, side) + 3 * side + stream - 2

    layouts = [(math.ceil(m / chips), n), (m, math.ceil(n / chips))]
    return min(min(cycles(m, n), cycles(n, m)) for m, n in layouts)
""",
    explanation=(
        "The matrix that streams is never padded and must be long; the one that stays is cut into tiles. So stream the size that would "
        "lose more in the cells, if it is long enough. The array can compute the transpose as well, and a pod can split either size: four layouts, one formula."
    ),
    meaning=_meaning,
    mistakes=(
        Mistake(
            "the weights always stay",
            _only(stays=("weights",)),
            "You always kept the weights in the cells. Could the tokens stay there instead, with the words streaming past? The transpose of "
            "C is a product as well.",
        ),
        Mistake(
            "the tokens always stay",
            _only(stays=("tokens",)),
            "You always kept the tokens in the cells. Try both matrices, and take the better one.",
        ),
        Mistake(
            "only the words shared out",
            _only(shared=("words",)),
            "You always split the words. With many tokens and narrow weights it may be better to split the tokens.",
        ),
        Mistake(
            "only the tokens shared out",
            _only(shared=("tokens",)),
            "You always split the tokens. With a short batch it may be better to split the words.",
        ),
        Mistake(
            "tokens shared out, weights stay",
            _only(shared=("tokens",), stays=("weights",)),
            "That is one layout of four: tokens split, weights in the cells. Vary both, and return the smallest.",
        ),
        Mistake(
            "words shared out, weights stay",
            _only(shared=("words",), stays=("weights",)),
            "That is one layout of four: words split, weights in the cells. Vary both, and return the smallest.",
        ),
        Mistake(
            "the worst layout",
            _only(choose=max),
            "You returned the most cycles of the four layouts. Return the fewest.",
        ),
        Mistake(
            "parts of a token",
            _rounded(lambda size: size),
            "You gave each chip a part of a token or of a word. Round up the size that the pod splits: the chip with the most work decides.",
        ),
        Mistake(
            "rounded down",
            _rounded(math.floor),
            "You rounded down the size that the pod splits, so some tokens or words are on no chip. Round up: the chip with the most work decides.",
        ),
        Mistake(
            "one chip does all",
            lambda m, n, k, side, chips: fewest_cycles(m, n, k, side, 1),
            "You gave the whole product to one chip. The pod splits the tokens or the words.",
        ),
        Mistake(
            "cycles of all chips",
            lambda m, n, k, side, chips: chips * fewest_cycles(m, n, k, side, chips),
            "You added the cycles of all chips. They work at the same time: the one with the most work decides.",
            v.FACTOR,
        ),
        Mistake(
            "both shared out",
            _grid,
            "You split the tokens and the words at once, over a grid of chips. The exercise allows only one of the two.",
        ),
        Mistake(
            "shared out afterwards, rounded up",
            lambda m, n, k, side, chips: math.ceil(fewest_cycles(m, n, k, side, 1) / chips),
            "You computed the cycles of the whole product and divided them by chips. Split the size first: each chip pads its own part.",
        ),
        Mistake(
            "shared out afterwards",
            lambda m, n, k, side, chips: fewest_cycles(m, n, k, side, 1) / chips,
            "You computed the cycles of the whole product and divided them by chips. Split the size first: each chip pads its own part.",
        ),
    ),
)
