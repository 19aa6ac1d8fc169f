"""Information about hidden cases that a hostile function can put into a message, channel by channel.

A function that knows how to write to the line picks each field of its reply by what it is
asked. Through each field it sends everything that it could know: the words that the
grader lets pass, and numbers of 64 bits. The messages that come out are counted.
"""

import builtins
import importlib
import random
import sys
from functools import cache
from itertools import product

import numpy as np
import pytest

import chip2cluster
from autograder.checking.judge import grade_outcomes
from autograder.checking.outcome import value_outcome
from autograder.checking.unit_errors import KNOWN_FACTORS
from autograder.exercises import exercise, exercises
from autograder.grading.sandbox_replies import MAX_QUOTABLE_LINES, defining_cell, trusted_outcome
from autograder.sandbox import CallReply, NoReply
from autograder.sandbox.inside import message_protocol
from autograder.sandbox.inside.reply_codes import ReplyCode
from chip2cluster.exercise.answers import UnusableReason, normalize
from tests.grading.fake_sandbox import SEED, judged, kind

SCALAR = exercise("roofline.ridge")
ARRAY = exercise("machine.busy_between")
draw = random.Random(1)
NUMBERS = [*range(200), *(draw.getrandbits(64) for _ in range(300))]
WORDS = [f"x{number}" for number in NUMBERS]
ERRORS = [name for name, kind in vars(builtins).items() if isinstance(kind, type) and issubclass(kind, BaseException)]
TYPES = sorted({*dir(builtins), *dir(np), *sys.modules, *WORDS})
PARTS = [
    f"chip2cluster.{module}{part}"
    for module in chip2cluster.__all__
    for part in ("", *(f".{name}" for name in dir(importlib.import_module(f"chip2cluster.{module}"))), ".x.y", ".7")
]
# The answer's own cell of the maximum length, a longer one, and another cell.
SHORT = "def f(x):\n" + "\n".join(f"    a{number} = x / {number}  # é" for number in range(1, MAX_QUOTABLE_LINES))
LONG = "def f(x):\n" + "\n".join(f"    a{number} = 1 / 0" for number in range(4095))


def messages(replies, one=SCALAR, source="", group=""):
    """Messages that a student would read for these replies, in every case or only in those of one group."""
    cases = one.cases(SEED)
    names = list(cases[0].inputs)
    right = [value_outcome(one.expected(case)) for case in cases]
    outcomes = {}
    for reply in replies:
        try:
            answer = CallReply.read(reply)
        except message_protocol.Malformed:
            answer = CallReply(NoReply.GARBLED)
        outcome = trusted_outcome(answer, "f", names, {3: source} if source else {})
        outcomes[repr(outcome)] = outcome
    found = set()
    for outcome in outcomes.values():
        answers = [outcome if group in ("", case.group) else good for case, good in zip(cases, right, strict=True)]
        verdict = grade_outcomes(one, cases, answers, hidden=True)
        assert (verdict.case, verdict.got, verdict.expected) == (None, "", "")
        found.add((verdict.verdict, verdict.message, verdict.mistake))
    return found


@cache
def said(channel):
    return messages(*CHANNELS[channel][:3])


def raised(names=("ValueError",), lines=(None,)):
    return [{"reply": ReplyCode.RAISED, "type": name, "line": line} for name, line in product(names, lines)]


def value(answer):
    return {"reply": ReplyCode.VALUE, "value": message_protocol.pack(answer)}


LINES = (
    [[3, number] for number in (*NUMBERS, *range(4096))] + [[number, 1] for number in NUMBERS] + [[3, -1], [True, 1]]
)
SHAPES = [(number, 0, 10**9) for number in NUMBERS] + [(number % 50 + 1, 2) for number in NUMBERS]
CHANNELS = {
    "kind of error": (raised(ERRORS + WORDS), SCALAR, "", 16),
    "line": (raised(lines=LINES), SCALAR, SHORT, MAX_QUOTABLE_LINES + 1),
    "line of a long cell": (raised(lines=LINES[::20]), SCALAR, LONG, 1),
    "kind and line": (raised(ERRORS, LINES[: len(NUMBERS)]), SCALAR, SHORT, 512),
    "why no answer": (
        [
            {"reply": ReplyCode.UNUSABLE, "reason": reason, "type": name}
            for reason in (*UnusableReason, *WORDS[:9])
            for name in TYPES
        ],
        SCALAR,
        "",
        32,
    ),
    "part of the package": ([{"reply": ReplyCode.PACKAGE, "name": name} for name in PARTS + WORDS], SCALAR, "", 32),
    "silence": (
        [{"reply": code, "value": number} for code in ("slow", "died", "x") for number in NUMBERS]
        + [{word: number} for word in ("slow", "died", "never", "garbled") for number in NUMBERS],
        SCALAR,
        "",
        1,
    ),
    "codes": (
        [{"reply": code, "seconds": number} for code in (*ReplyCode, *NoReply) for number in NUMBERS],
        SCALAR,
        "",
        len(ReplyCode),
    ),
    "number": ([value(float(number)) for number in NUMBERS], SCALAR, "", 2),
    "text": ([value("x" * number) for number in NUMBERS[:200]] + [value(word) for word in WORDS], SCALAR, "", 1),
    "names": ([value(WORDS[: number % 97]) for number in NUMBERS], SCALAR, "", 1),
    "shape for a number": (
        [{"reply": ReplyCode.VALUE, "value": {"array": ["<f8", [*shape], ""]}} for shape in SHAPES]
        + [value(np.zeros((3, 1)))],
        SCALAR,
        "",
        2,
    ),
    "shape for an array": (
        [value(np.zeros(shape)) for shape in SHAPES if shape[-1] == 2] + [value(np.zeros((9, 0, 9)))],
        ARRAY,
        "",
        2,
    ),
}


@pytest.mark.parametrize("channel", CHANNELS)
def test_channel_reveals_no_more_than_stated(channel):
    assert kind(SCALAR) is float and kind(ARRAY) is np.ndarray
    found = said(channel)
    assert len(found) <= CHANNELS[channel][3], (channel, len(found), sorted(found)[:9])
    # No message contains an input number.
    assert not any(str(number) in message for number in NUMBERS[200:] for _, message, _ in found)


def test_hidden_ratio_message_is_constant():
    cases = SCALAR.cases(SEED)
    found = set()
    for number in NUMBERS[11::10]:
        answers = [CallReply(ReplyCode.VALUE, normalize(SCALAR.expected(case)) * (number + 0.37)) for case in cases]
        verdict = judged(SCALAR, answers)
        found.add(verdict.message)
        assert f"{number + 0.37:.4g}" in judged(SCALAR, answers, hidden=False).message
    assert len(found) == 1 and "the same number of times" in found.pop()


@pytest.mark.prove
def test_all_messages_of_one_exercise_are_bounded():
    """Use the exercise with the most groups of cases, in each of which a message can repeat; its answer is a number."""
    asked = [one for one in exercises().values() if not one.constants]
    numbers = [one for one in asked if isinstance(normalize(one.expected(one.visible_cases[0])), float)]
    one = max(numbers, key=lambda one: len(one.groups))
    assert len(one.groups) == max(len(one.groups) for one in asked)
    replies = [channel[:3] for channel in CHANNELS.values()]
    found = {
        said for group in one.groups for sent, _, source in replies for said in messages(sent, one, source, group.name)
    }
    cases = one.cases(SEED)
    for wrong, factor in product(
        (one.reference, *(mistake.wrong for mistake in one.mistakes)), (1, *(k[0] for k in KNOWN_FACTORS))
    ):
        answers = [CallReply(ReplyCode.VALUE, normalize(wrong(**case.inputs)) * factor) for case in cases]
        verdict = judged(one, answers)
        found.add((verdict.verdict, verdict.message, verdict.mistake))
    assert len(found) <= 2**12


def test_only_the_functions_own_cell_is_quoted():
    cells = {0: "def f(x): return g(x)", 1: "def g(x): return 1 / 0", 4: "f = lambda x: 1 / x", 6: "def f(x): pass"}
    assert defining_cell(cells, "f", 5) == {4: cells[4]}
    assert defining_cell(cells, "f", 3) == {0: cells[0]}
    assert defining_cell(cells, "h", 9) == {}
