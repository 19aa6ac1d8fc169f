"""Likeness of written answers: copies and the model answer stand out, the question and honest answers do not."""

import itertools
import random
import re
from difflib import SequenceMatcher

import pytest
from hypothesis import given, strategies

from autograder.grading.lab import load
from autograder.grading.marking.likeness import MODEL, AnswerTexts, ClassLikeness
from autograder.grading.marking.rubric import model_answer
from autograder.grading.marking.word_runs import RUN, WordText, covered, longest_common_run
from autograder.grading.reports.answer_cells import grade_id
from autograder.grading.reports.report import report_on_lab
from autograder.grading.result_store import ResultStore
from tests.grading.course import LAB, ROOT
from tests.grading.samples import ESSAY, graded, lab

# Written for the same question by different people; each says what the others say.
HONEST = {
    "ann": "I would take the H200. At batch 8 all chips wait for memory, since 6.3 operations a byte is far left of the "
    "ridge, and 4.8 TB/s beats 3.35 TB/s by 43 %. For 256 users the caches alone need 137 GB, so I need something larger.",
    "bob": "Buy the H200: decode at batch 8 has an intensity of 6.3 FLOP/byte, which is far below the ridge point, so the "
    "memory bandwidth decides and not the peak. At batch 256 the caches are 137 GB and capacity decides.",
    "chen": "My choice is the H200 because memory bandwidth decides at batch 8. It gives 1,892 tokens per second, the H100 "
    "only 1,321. With 256 sequences the cache outgrows the weights and does not fit any more; then MI300X.",
}
WORDS = re.findall(
    r"\w+", "memory bandwidth decides at batch eight because every token reads all weights and caches once so the peak"
)


def handed_in(student, answer, table=""):
    """Return a graded submission with this answer, whose first cell of code printed a table."""
    cell = next(cell for cell in lab().released["cells"] if cell["cell_type"] == "code")
    printed = [{"output_type": "stream", "name": "stdout", "text": table}]
    return graded(student, {ESSAY: answer}, outputs={grade_id(cell) or cell["id"]: printed})


def class_likeness(results, the_lab, model):
    texts = AnswerTexts(the_lab, ESSAY)
    for result in results:
        texts.add(result)
    return texts.likeness(model)


def essay(number, length=120):
    choose = random.Random(number)
    return " ".join(choose.choice(WORDS) + choose.choice(["", "", ",", "."]) for _ in range(length))


def test_honest_answers_to_one_question_are_not_alike():
    model = model_answer(ROOT, LAB, ESSAY)
    assert ClassLikeness(HONEST, model).pairs() == ([], 0)
    answers = [model_answer(ROOT, f"{n:02}_{name}", cell) for n, name, cell in
               ((4, "occupancy", ESSAY), (6, "links", ESSAY), (9, "mfu", ESSAY), (11, "serving", "answer"))]  # fmt: skip
    assert all(len(text) > 300 for text in answers)
    assert ClassLikeness(dict(enumerate(answers)), model).pairs() == ([], 0)


def test_copy_with_other_case_and_layout_is_whole():
    copied = HONEST["ann"].upper().replace(" ", "\n", 5).replace(". ", " **.** ")
    alike = ClassLikeness(HONEST | {"dora": copied})
    ((one,), more) = alike.likenesses("dora")
    words = len(WordText(HONEST["ann"]).words)
    assert (one.other, one.share, one.longest, more) == ("ann", 1.0, words, 0)
    assert one.here.startswith("I\nWOULD\nTAKE") and one.there == HONEST["ann"].rstrip(".")
    assert [(pair.student, pair.other) for pair in alike.pairs()[0]] in ([("ann", "dora")], [("dora", "ann")])
    assert alike.likenesses("bob") == ([], 0)


def test_invisible_characters_do_not_hide_a_copy():
    copied = HONEST["bob"].replace("e", "e\u200b").replace("fl", "\ufb02")
    ((one,), _) = ClassLikeness(HONEST | {"eve": copied}).likenesses("eve")
    assert one.other == "bob" and one.share > 0.9


def test_passage_of_a_long_answer_is_found():
    passage = "Before signing I would measure a real decode loop on both machines, with our own prompts and lengths"
    mine, theirs = f"{essay(1)} {passage}. {essay(2)}", f"{essay(3, 400)} {passage} {essay(4, 300)}"
    ((one,), _) = ClassLikeness({"ann": mine, "bob": theirs}).likenesses("bob")
    assert passage in one.here and passage in one.there and one.share < 0.25


def test_model_answer_is_said_and_its_rubric_is_not():
    model = model_answer(ROOT, LAB, ESSAY)
    rubric = "\n\nRubric, 2 points:\n\n| points | for |\n|---|---|\n| 1 | " + " ".join(WORDS) + " |\n| 1 | b |\n"
    results = [handed_in("bob", model.replace("*Model answer.*", "")), handed_in("ann", " ".join(WORDS) + ".")]
    alike = class_likeness(results, lab(), model + rubric)
    assert [(one.student, one.other, one.share) for one in alike.pairs()[0]] == [("bob", MODEL, 1.0)]


def test_question_and_own_output_are_no_likeness():
    the_lab = load(ROOT, LAB)
    question = "\n".join(
        "".join(cell["source"]) for cell in the_lab.released["cells"] if cell["cell_type"] == "markdown"
    )
    table = "H100 SXM 80 3.35 989 700 H200 141 4.8 989 700 MI300X 192 5.3 1307 750"
    results = [
        handed_in("ann", f"{HONEST['ann']} {question} {table}", table),
        handed_in("bob", f"{question} {HONEST['bob']} {table}", table),
        handed_in("chen", f"{HONEST['chen']} {table}"),
    ]
    assert class_likeness(results, the_lab, "").pairs() == ([], 0)
    # Who has not got that table and copies it along with its words is named.
    results += [handed_in("dora", f"{essay(7)} {table} {HONEST['chen'][:90]}")]
    ((one,), _) = class_likeness(results, the_lab, "").likenesses("dora")
    assert one.other == "chen" and table in one.here


def test_many_copies_are_counted_and_few_are_shown():
    alike = ClassLikeness({f"s{number}": HONEST["ann"] for number in range(12)} | {"bob": HONEST["bob"]})
    shown, more = alike.likenesses("s3")
    assert (len(shown), more) == (3, 8) and "s3" not in {one.other for one in shown}
    pairs, rest = alike.pairs(most=10)
    assert (len(pairs), rest) == (10, 12 * 11 // 2 - 10)


@pytest.mark.parametrize(
    "text", ["", "one two", "a " * 7000, "内存带宽决定一切" * 60, "مرحبا " * 50, "\ud800 x", "$$" * 99]
)
def test_odd_answers_are_compared_as_far_as_they_go(text):
    alike = ClassLikeness(HONEST | {"x": text, "y": text}, model=text)
    for student in ("x", "y", "ann"):
        alike.likenesses(student)
    assert bool(alike.likenesses("x")[0]) == (len(text) > 200)


@given(*[strategies.lists(strategies.sampled_from("abcd"), max_size=40)] * 2)
def test_longest_common_run_is_that_of_difflib(first, second):
    here, there, length = longest_common_run(first, second)
    assert first[here : here + length] == second[there : there + length]
    assert length == SequenceMatcher(None, first, second, autojunk=False).find_longest_match().size


@given(strategies.sets(strategies.integers(0, 60)))
def test_covered_places_are_within_a_run_of_their_start(starts):
    places = covered(starts)
    assert places == {place for place in range(70) if any(place - back in starts for back in range(RUN))}


def test_class_of_three_hundred_names_only_its_copies():
    answers = {f"s{number:03}": essay(number, 250) for number in range(300)}
    for first, second in itertools.pairwise(("s010", "s020", "s030")):
        answers[second] = answers[first]
    alike = ClassLikeness(answers)
    found = {frozenset((one.student, one.other)) for one in alike.pairs()[0] if one.share == 1}
    assert found == {frozenset(pair) for pair in itertools.combinations(("s010", "s020", "s030"), 2)}


def test_report_names_alike_answers_and_the_model_answer(marked_course):
    store = ResultStore.of(marked_course, LAB)
    copied = HONEST["ann"].replace(", since", ". Because").replace("So I need", "so one needs")
    model = model_answer(ROOT, LAB, ESSAY).replace("*Model answer.* ", "")
    for student, answer in {"ann": HONEST["ann"], "bob": HONEST["bob"], "dora": copied, "<b>eve": model}.items():
        store.put(handed_in(student, answer))
    report = report_on_lab(marked_course, LAB)
    (alike,) = report.alike
    names = [(one.student, one.other) for one in alike.pairs]
    assert names[0] == ("<b>eve", MODEL) and {*names[1]} == {"ann", "dora"} and len(names) == 2 and alike.more == 0
    text, page = report.text(), report.html()
    assert "<b>eve and the model answer: 100 % of the words of <b>eve" in text and "changes no mark" in text
    assert "&lt;b&gt;eve and the model answer: 100 %" in page and "<b>eve" not in page
    assert page.count("<blockquote") == 4 and "the caches alone need 137 GB" in page
