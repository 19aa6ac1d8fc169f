"""Task on all single slips that explain the ratio of a printed number to a computed one."""

import numpy as np

from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

# What a slip multiplies or divides by. The same table stands in the lab.
TRACES = {
    "carbon": 44 / 12,
    "days": 24.0,
    "half": 2.0,
    "joules": 3.6,
    "kilo": 1000.0,
    "nodes": 8.0,
    "pounds": 2.20462,
    "short tons": 1.10231,
}
UNNAMED = 1.02, 1.9


def suspects(low, high, pue):
    """Every word whose trace lies in the range, by the alphabet; ["nothing"] where 1 does, ["unexplained"] where none does."""
    return _suspects(low, high, pue)


def _suspects(
    low, high, pue, *, sides=(1, -1), holds_one=True, silent=lambda pue: not pue, traces=TRACES, rest=("unexplained",),
    inside=lambda low, high, factor: low <= factor <= high, touches=lambda low, high: low <= UNNAMED[1] and high >= UNNAMED[0],
):  # fmt: skip
    if holds_one and low <= 1 <= high:
        return ["nothing"]
    known = {**traces, **({"pue": pue} if pue else {})}
    found = {word for word, factor in known.items() if any(inside(low, high, factor**side) for side in sides)}
    if silent(pue) and touches(low, high):
        found.add("pue")
    return sorted(found) or list(rest)


def _case(generator, middle, pue, width=None):
    """A range that holds ``middle`` somewhere, not at its end."""
    width = float(generator.uniform(0.004, 0.012)) if width is None else width
    place = float(generator.uniform(0.25, 0.75))
    return {
        "low": round(middle * (1 - width * place), 5),
        "high": round(middle * (1 + width * (1 - place)), 5),
        "pue": pue,
    }


def _pue(generator):
    return round(float(generator.uniform(1.15, 1.6)), 2)


def _ranges(generator):
    # GPT-3 as a later paper prints it: two suspects, and the digits cannot tell them apart. It is the one that a student sees.
    hand = {"low": 0.9069, "high": 0.9115, "pue": 1.1}
    words = [str(word) for word in generator.permutation(["kilo", "days", "nodes", "carbon", "pounds"])]
    singles = [
        _case(generator, TRACES[word] ** side, _pue(generator))
        for word, side in zip(words, (1, -1, 1, -1, 1), strict=True)
    ]
    pue = _pue(generator)
    several = [
        # carbon and joules are 2 % apart; half and pounds 10 %; a PUE between short tons and half.
        {"low": round(3.55 + 0.04 * float(generator.random()), 3), "high": round(3.68 + 0.1 * float(generator.random()), 3), "pue": pue},
        {"low": round(0.43 + 0.02 * float(generator.random()), 3), "high": round(0.505 + 0.02 * float(generator.random()), 3), "pue": pue},
        {"low": round(1.05 + 0.03 * float(generator.random()), 3), "high": round(1.62 + 0.2 * float(generator.random()), 3), "pue": pue},
        _case(generator, pue, pue), _case(generator, 1 / pue, pue),
        _case(generator, float(generator.uniform(1.2, 1.8)), 0.0),
        {"low": round(float(generator.uniform(1.02, 1.09)), 3), "high": round(float(generator.uniform(1.12, 1.3)), 3), "pue": 0.0},
        _case(generator, float(generator.uniform(0.6, 0.85)), 0.0),
        # Ranges that an unnamed PUE explains in part.
        {"low": round(float(generator.uniform(1.8, 1.88)), 3), "high": round(float(generator.uniform(1.92, 1.98)), 3), "pue": 0.0},
        {"low": round(float(generator.uniform(1.005, 1.015)), 3), "high": round(float(generator.uniform(1.025, 1.05)), 3), "pue": 0.0},
        _case(generator, float(generator.uniform(1.65, 1.85)), pue),
        _case(generator, float(generator.uniform(4.5, 7)), pue),
        _case(generator, 1 / float(generator.uniform(30, 300)), pue),
    ]  # fmt: skip
    plain = [_case(generator, 1.0, pue), _case(generator, 1.0, 0.0)]
    drawn = [*singles, *several, *plain, *(_missed(generator, word) for word in words), *_pairs(generator, pue)]
    return [hand, *(drawn[place] for place in generator.permutation(len(drawn)))]


def _missed(generator, word):
    """A range that ends shortly before a trace, or begins shortly after it."""
    middle = TRACES[word] ** int(generator.choice((-1, 1))) * (1 + float(generator.choice((-0.01, 0.01))))
    return _case(generator, middle, _pue(generator), width=0.008)


def _pairs(generator, pue):
    """Ranges about carbon and joules, half and pounds, or a PUE and short tons, with one, both or neither inside."""
    drawn = []
    for first, second in ((3.6, TRACES["carbon"]), (2.0, TRACES["pounds"]), (TRACES["short tons"], pue)):
        side = int(generator.choice((-1, 1)))
        gap = second - first
        for _ in range(2):
            ends = np.sort(generator.uniform(first - 0.6 * gap, second + 0.6 * gap, 2))
            low, high = sorted(max(float(end), 1.01) ** side for end in ends)
            drawn.append({"low": round(low, 4), "high": round(high, 4), "pue": pue})
    return drawn


def _edges(generator):
    """Ranges that hold 1 beside a trace, and one that ends at a trace."""
    pue = round(float(generator.uniform(1.05, 1.12)), 2)
    return [
        {"low": round(float(generator.uniform(0.93, 0.99)), 3), "high": round(float(generator.uniform(1.13, 1.3)), 3), "pue": pue},
        {"low": 8.0, "high": 8.1, "pue": pue},
        {"low": 0.97, "high": 1.0, "pue": 0.0},
    ]  # fmt: skip


def _like(**rules):
    return lambda **case: _suspects(**case, **rules)


def _nearest(low, high, pue):
    """The one suspect that lies nearest to the middle of the range."""
    found, known = suspects(low, high, pue), {**TRACES, "pue": pue or (low + high) / 2}
    if len(found) == 1:
        return found
    middle = (low + high) / 2
    return [min(found, key=lambda word: min(abs(middle / known[word] - 1), abs(middle * known[word] - 1)))]


def _middle(low, high, pue):
    """Whatever lies within one per cent of the middle."""
    return _suspects((low + high) / 2 / 1.01, (low + high) / 2 * 1.01, pue)


def _unsorted(low, high, pue):
    return suspects(low, high, pue)[::-1]


SUSPECTS = Exercise(
    id="lab.economics.suspects",
    title="Every possible mistake",
    signature="suspects(low, high, pue)",
    unit="",
    graded=True,
    points=4,
    reference=suspects,
    groups=(
        Group("ranges", 0.8, _ranges, v.VALUE),
        Group("ends", 0.2, _edges, advice="A range that holds 1 needs no suspect, whatever else it holds. Its ends belong to it."),
    ),
    hints=(
        "A slip leaves its factor in the ratio, or one over it. Which of them lie between low and high?",
        "Three questions in this order: does the range hold 1? Which words of the table, and the PUE that is printed, have their factor or "
        "one over it inside? And where no PUE is printed, does the range touch 1.02 to 1.9?",
        "Collect the words in a set, so that none is there twice, and return them by the alphabet. Two ranges touch where neither ends "
        "before the other begins.",
    ),
    explanation="Digits tell how many stories fit a gap. Where two do, no arithmetic decides between them: something else must be known.",
    mistakes=(
        Mistake("the nearest", _nearest, "You name one suspect where the range holds two or more. Nobody can tell them apart by their digits: name all."),
        Mistake("the middle", _middle, "You compare with the middle of the range, give or take 1 %. The range itself says how much rounding allows."),
        Mistake("too large alone", _like(sides=(1,)), "You looked for factors above 1 alone. What was left out makes a number too small: try one over "
                "each factor as well."),
        Mistake("too small alone", _like(sides=(-1,)), "You tried one over each factor alone. A number can be too large as well."),
        Mistake("1 is no suspect", _like(holds_one=False), "Where the range holds 1 there is nothing to explain: [\"nothing\"]."),
        Mistake("a silent PUE unseen", _like(silent=lambda pue: False), "Where no PUE is printed (0), one may have been counted silently: look whether the range "
                "touches 1.02 to 1.9."),
        Mistake("a silent PUE everywhere", _like(silent=lambda pue: True), "You suspect an unnamed PUE where one is printed. Then it is that one, or none."),
        Mistake("a silent PUE for the whole range", _like(touches=lambda low, high: low >= UNNAMED[0] and high <= UNNAMED[1]), "You want the whole "
                "range between 1.02 and 1.9. One ratio of it there is enough for an unnamed PUE."),
        Mistake("the first alone", lambda low, high, pue: suspects(low, high, pue)[:1], "You return one suspect where the range holds two or more. *Every* "
                "one is wanted."),
        Mistake("the table alone", lambda low, high, pue: _suspects(low, high, 0.0, silent=lambda _: not pue),
                "You forgot the PUE that is printed. It is a trace like the others."),
        Mistake("no order", _unsorted, "Right, but in another order: by the alphabet."),
        Mistake("unexplained is nothing", _like(rest=("nothing",)), "What no trace explains is not in order for that: it is [\"unexplained\"]."),
        Mistake("ends left out", _like(inside=lambda low, high, factor: low < factor < high), "A trace at the very end of the range lies in it.", share=0.8),
    ),
)  # fmt: skip
