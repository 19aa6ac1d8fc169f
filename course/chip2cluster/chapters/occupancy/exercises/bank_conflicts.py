"""Exercise on bank conflicts: passes of a warp's access to shared memory."""

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
        f"A column of a tile of 32 × 32 words takes {column} passes; if the rows have 33 words it takes {padded}. That is why so "
        "many kernels declare `tile[32][33]`."
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
        Group("edges", 0.3, _edges, advice="All threads that read the same word get it in one pass."),
    ),
    hints=(
        "In which bank is each word?",
        "A bank delivers one word per pass. How many different words must the busiest bank deliver?",
        "Take the set of the words, count them by word % 32, and return the largest count.",
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
        "The banks work in parallel, so only the busiest one counts, and one pass delivers a word to all threads that read it. A "
        "column of a tile with rows of 32 words is in a single bank, so it takes 32 passes. With rows of 33 words, one of them "
        "unused, the column is spread over all banks. It takes one pass and costs 1/32 more memory."
    ),
    mistakes=(
        Mistake(
            "threads counted",
            lambda words: _fullest(lambda word: word % 32, words),
            "You counted threads. Threads that read the same word share one pass, so count different words.",
        ),
        Mistake(
            "all banks together",
            lambda words: len(set(words)),
            "You counted all different words. The banks work in parallel, so the busiest one decides.",
        ),
        Mistake(
            "banks counted",
            lambda words: len({word % 32 for word in words}),
            "You counted the banks in use. Return the number of passes that the busiest bank needs.",
        ),
        Mistake(
            "average of the banks",
            lambda words: math.ceil(len(set(words)) / len({word % 32 for word in words})),
            "You spread the words evenly over the banks. The busiest bank counts.",
        ),
        Mistake(
            "extra passes",
            lambda words: occupancy.bank_passes(words) - 1,
            "You counted the passes after the first. Count the first pass too.",
        ),
        Mistake(
            "conflicts added up",
            lambda words: 1 + len(set(words)) - len({word % 32 for word in words}),
            "You added the conflicts of all banks. They happen at the same time, so take only the busiest bank.",
        ),
        Mistake(
            "blocks of 32 words",
            lambda words: _fullest(lambda word: word // 32, set(words)),
            "You put 32 consecutive words into one bank. Consecutive words are in different banks: word % 32.",
        ),
        Mistake(
            "bytes for words",
            lambda words: _fullest(lambda word: word // 4 % 32, set(words)),
            "You divided by 4 first. `words` holds word numbers, not byte addresses.",
            v.UNIT,
        ),
    ),
    mutants=MUTANTS["occupancy.bank_passes"],
)
