"""How many passes does shared memory need?"""

import math
from collections import Counter

from chip2cluster import occupancy
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS


def bank_passes(words):
    """Passes that the banks need to give each thread of a warp the word that it asks for."""
    return occupancy.bank_passes(words)


def _warps(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    cases = [[0, 32, 64, 1, 2, 2, 2, 2, 2, 34]]
    for passes, repeats, others in ((3, 6, 12), (5, 7, 9), (7, 9, 6)):
        full, *banks = (int(bank) for bank in generator.permutation(32)[: others + 1])
        words = [full + 32 * row for row in range(passes)]
        words += [full] * repeats  # the same word again, which costs nothing
        words += [bank + 32 * int(generator.integers(0, 9)) for bank in banks]
        words += [banks[0] + 32 * row for row in range(9, 9 + 31 - len(words))][:2]
        cases.append([int(word) for word in generator.permutation(words)])
    return [{"words": words} for words in cases]


def _edges(generator):
    start = int(generator.integers(1, 60))
    return [
        {"words": [start] * 32},  # all ask for one word
        {"words": [start + 33 * thread for thread in range(32)]},  # one in each bank, far apart
        {"words": [start + 32 * thread for thread in range(32)]},  # all in one bank
    ]


def _fullest(bank, words):
    return max(Counter(bank(word) for word in words).values())


def _meaning():
    column, padded = (bank_passes([row * width for row in range(32)]) for width in (32, 33))
    return (
        f"A column of a tile of 32 × 32 words takes {column} passes, of one with rows of 33 words {padded}. That is why so many "
        "kernels declare `tile[32][33]`."
    )


BANK_PASSES = Exercise(
    id="occupancy.bank_passes",
    title="How many passes?",
    signature="bank_passes(words)",
    unit="passes",
    points=3,
    reference=bank_passes,
    tolerance=1e-9,
    groups=(
        Group("warps", 0.7, _warps),
        Group("edges", 0.3, _edges, advice="Threads that ask for the same word get it in one pass, all of them."),
    ),
    hints=(
        "Which bank does each word lie in?",
        "A bank gives one word a pass. How many different words does the fullest bank have to give?",
        "Take the set of the words, count them by word % 32, return the largest count.",
    ),
    solution="""
def bank_passes(words):
    asked = {}
    for word in set(words):
        asked[word % 32] = asked.get(word % 32, 0) + 1
    return max(asked.values())
""",
    meaning=_meaning,
    explanation=(
        "The banks work side by side, so only the fullest one counts, and equal words are handed to all who want them. A "
        "column of a tile with rows of 32 words lies in one bank: 32 passes. A row of 33 words, one of them unused, "
        "spreads the column over all banks: one pass, for one part in 32 more memory."
    ),
    mistakes=(
        Mistake(
            "threads counted",
            lambda words: _fullest(lambda word: word % 32, words),
            "You counted threads. Threads that ask for the same word share one pass; count different words.",
        ),
        Mistake(
            "all banks together",
            lambda words: len(set(words)),
            "These are all the different words. The banks work side by side: the fullest one decides.",
        ),
        Mistake(
            "banks counted",
            lambda words: len({word % 32 for word in words}),
            "This is how many banks are asked. Wanted is how often the fullest of them has to give.",
        ),
        Mistake(
            "average of the banks",
            lambda words: math.ceil(len(set(words)) / len({word % 32 for word in words})),
            "You spread the words evenly over the banks. The fullest one counts.",
        ),
        Mistake(
            "extra passes",
            lambda words: occupancy.bank_passes(words) - 1,
            "These are the passes beyond the first. Count the first one, too.",
        ),
        Mistake(
            "conflicts added up",
            lambda words: 1 + len(set(words)) - len({word % 32 for word in words}),
            "You added the conflicts of all banks. They pass at the same time; take the fullest bank alone.",
        ),
        Mistake(
            "blocks of 32 words",
            lambda words: _fullest(lambda word: word // 32, set(words)),
            "You put 32 neighbours into one bank. Neighbours lie in different banks: word % 32.",
        ),
        Mistake(
            "bytes for words",
            lambda words: _fullest(lambda word: word // 4 % 32, set(words)),
            "You divided by 4 first. These are numbers of words already, not of bytes.",
            v.UNIT,
        ),
    ),
    mutants=MUTANTS["occupancy.bank_passes"],
)
