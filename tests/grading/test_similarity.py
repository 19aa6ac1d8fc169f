"""Copies are reported as similar, independent answers are not."""

import random
import time

import pytest

from autograder.grading.reports.similarity import answer_texts, similar_pairs
from tests.grading.samples import ESSAY, TIME, graded, lab, reference

RANK = "lab.roofline.rank_chips"
COPIED = """def rank_chips(names, parameters, cache_bytes, batch):
    need = 2 * parameters + batch * cache_bytes
    table = {}
    for name in names:
        chip = specs.accelerator(name)
        enough = chip.memory_bytes >= need
        known = "bf16" in chip.precisions_dense
        if not (enough and known):
            continue
        table[name] = tokens_per_second(parameters, cache_bytes, batch, chip.peak_flops_dense("bf16"), chip.memory_bandwidth)
    order = sorted(table.items(), key=lambda item: (-item[1], item[0]))
    return [name for name, _ in order]
"""
DISGUISED = '''# all my own work
def rank_chips(n, p, cb, k):
    """Rank."""
    out = {}
    required = 2*p + k*cb   # bytes
    for x in n:
        c = specs.accelerator(x)
        has = 'bf16' in c.precisions_dense
        fits = (c.memory_bytes
                >= required)
        if not (fits and has):
            continue
        out[x] = tokens_per_second(p, cb, k, c.peak_flops_dense('bf16'), c.memory_bandwidth)
    result = sorted(out.items(), key=lambda pair: (-pair[1], pair[0]))
    return [x for x, _ in result]
'''
ONE_LINER = "def shortest_time(flops, bytes_moved, peak_flops, memory_bandwidth):\n    return max(flops / peak_flops, bytes_moved / memory_bandwidth)\n"


def honest(number):
    """Return a random one of the ways in which students write rank_chips."""
    choose = random.Random(number).choice
    need = choose(
        [
            "    need = 2 * parameters + batch * cache_bytes\n",
            "    weights = parameters * 2\n    caches = cache_bytes * batch\n    need = weights + caches\n",
            "    need = batch * cache_bytes\n    need += 2 * parameters\n",
            "    def need():\n        return parameters * 2 + cache_bytes * batch\n    need = need()\n",
        ]
    )
    rate = choose(
        [
            "tokens_per_second(parameters, cache_bytes, batch, chip.peak_flops_dense('bf16'), chip.memory_bandwidth)",
            "tokens_per_second(parameters=parameters, cache_bytes=cache_bytes, batch=batch, "
            "peak_flops=chip.peak_flops_dense('bf16'), memory_bandwidth=chip.memory_bandwidth)",
            "batch / max(2 * parameters * batch / chip.peak_flops_dense('bf16'), need / chip.memory_bandwidth)",
            "batch / shortest_time(2 * parameters * batch, need, chip.peak_flops_dense('bf16'), chip.memory_bandwidth)",
        ]
    )
    fits = choose(
        [
            "'bf16' in chip.precisions_dense and chip.memory_bytes >= need",
            "need <= chip.memory_bytes and 'bf16' in chip.precisions_dense",
            "not (chip.memory_bytes < need or 'bf16' not in chip.precisions_dense)",
        ]
    )
    body = choose(
        [
            f"    rates = {{}}\n    for name in names:\n        chip = specs.accelerator(name)\n        if {fits}:\n            rates[name] = {rate}\n    return sorted(rates, key=rates.get, reverse=True)\n",
            f"    found = []\n    for name in names:\n        chip = specs.accelerator(name)\n        if not ({fits}):\n            continue\n        found.append(({rate}, name))\n    found.sort(reverse=True)\n    return [name for _, name in found]\n",
            f"    def rate(name):\n        chip = specs.accelerator(name)\n        return {rate}\n    kept = []\n    for name in names:\n        chip = specs.accelerator(name)\n        if {fits}:\n            kept.append(name)\n    kept.sort(key=rate)\n    return kept[::-1]\n",
            f"    chips = [specs.accelerator(name) for name in names]\n    chips = [chip for chip in chips if {fits}]\n    return [chip.name for chip in sorted(chips, key=lambda chip: -({rate}))]\n",
        ]
    )
    own = choose(["", "    # keep what fits\n", "    names = list(names)\n", "    assert batch > 0\n"])
    return f"def rank_chips(names, parameters, cache_bytes, batch):\n{own}{need}{body}"


def a_class(size, extra=()):
    texts = {f"s{number:03}": honest(number) for number in range(size)} | dict(extra)
    return {who: {RANK: text, TIME: ONE_LINER} for who, text in texts.items()}


def test_a_disguised_copy_stands_out_among_sixty_honest_answers():
    pairs = similar_pairs(a_class(60, {"zoe": COPIED, "yan": DISGUISED}), lab())
    found = [(pair.first, pair.second, pair.exercise) for pair in pairs]
    assert found[0] == ("yan", "zoe", RANK)
    assert pairs[0].share > 0.9
    assert not {"yan", "zoe"} & {name for first, second, _ in found[1:] for name in (first, second)}


def test_honest_answers_and_identical_one_liners_are_left_alone():
    assert similar_pairs(a_class(60), lab()) == []


def test_copy_stands_out_in_a_small_class():
    for size in (6, 15):
        pairs = similar_pairs(a_class(size, {"zoe": COPIED, "yan": DISGUISED}), lab())
        assert (pairs[0].first, pairs[0].second) == ("yan", "zoe")
        assert all(pair.first != "yan" and pair.second != "zoe" for pair in pairs[1:])
    assert similar_pairs({}, lab()) == [] == similar_pairs({"a": {}, "b": {RANK: ""}}, lab())


@pytest.mark.parametrize("size", [2, 3, 5])
def test_a_small_class_is_not_accused_for_obvious_lines(size):
    everyone = {f"s{number}": {TIME: ONE_LINER} for number in range(size)}
    assert similar_pairs(everyone, lab()) == []


def test_the_released_stub_and_the_reference_line_say_nothing():
    results = [graded(f"s{number}") for number in range(5)]
    assert similar_pairs({one.student: answer_texts(one, lab()) for one in results}, lab()) == []


def test_a_copied_essay_stands_out():
    words = [
        "bandwidth",
        "decides",
        "at",
        "batch",
        "eight",
        "because",
        "every",
        "token",
        "reads",
        "all",
        "the",
        "weights",
        "and",
        "caches",
        "from",
        "memory",
        "once",
    ]
    texts = {}
    for number in range(20):
        chance = random.Random(number)
        texts[f"s{number:02}"] = ". ".join(" ".join(chance.sample(words, 9)) for _ in range(12))
    texts["copy"] = texts["s03"].upper()
    (pair,) = similar_pairs({who: {ESSAY: text} for who, text in texts.items()}, lab())
    assert (pair.first, pair.second, pair.exercise) == ("copy", "s03", ESSAY)


@pytest.mark.parametrize(
    "text", ["def f(:\n  '''", "(" * 20_000, "\\", "\t x\n  y\n z", "0x", "a" * 50_000, "\ud800", "\0"]
)
def test_text_that_is_no_program_is_compared_as_far_as_it_goes(text):
    similar_pairs({"a": {RANK: text}, "b": {RANK: text}, "c": {RANK: COPIED}}, lab())


def test_three_hundred_students_take_seconds():
    code = reference()
    results = [graded(f"s{number:03}", code | {"rank_chips": honest(number)}) for number in range(300)]
    start = time.process_time()
    similar_pairs({one.student: answer_texts(one, lab()) for one in results}, lab())
    assert time.process_time() - start < 10
