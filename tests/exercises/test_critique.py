"""Exercises *What is wrong with this answer?*: what is drawn, how it is judged, and when a learner gets other answers."""

import sys
from dataclasses import replace
from datetime import date, timedelta
from itertools import product
from types import SimpleNamespace

import pytest

from autograder import check, given, hint, reveal
from autograder.checking.judge import grade_outcomes
from autograder.checking.outcome import value_outcome
from autograder.doctor import examine
from autograder.exercises import exercise, exercises
from autograder.grading.usable_exercises import unusable_exercise
from autograder.student.progress import progress
from chip2cluster import journal, review
from chip2cluster.exercise.critique import CONFUSED, NOT_ONE_RIGHT
from chip2cluster.exercise.critique_draws import DRAWS, Working

CRITIQUES = [one for one in exercises().values() if one.redraw]
RING = exercise("collectives.critique")


@pytest.fixture(autouse=True)
def own_record(tmp_path, monkeypatch):
    monkeypatch.setenv("CHIP2CLUSTER_HOME", str(tmp_path))
    monkeypatch.setenv("CHIP2CLUSTER_STUDENT", "ada")
    monkeypatch.setattr(sys.modules["autograder.student.given"], "_shown", {})


def judge(task, answer):
    return grade_outcomes(task, task.visible_cases, [value_outcome(answer)])


def answering(value):
    def critique():
        return value

    return critique


def test_four_chapters_ask_what_is_wrong():
    assert [one.id for one in CRITIQUES] == [
        f"{topic}.critique" for topic in ("roofline", "collectives", "mfu", "scheduling")
    ]
    assert not any(one.graded for one in CRITIQUES)


@pytest.mark.parametrize("task", CRITIQUES, ids=lambda one: one.id)
def test_the_doctor_finds_nothing(task):
    assert examine(task) == []


@pytest.mark.parametrize("task", CRITIQUES, ids=lambda one: one.id)
def test_one_of_three_answers_is_right_at_each_place(task):
    drawn = [task.redraw(number) for number in range(DRAWS)]
    assert all(one.right().count(0) == 1 for one in drawn)
    assert {one.right().index(0) for one in drawn} == {0, 1, 2}
    assert len({one.task for one in drawn}) == DRAWS
    shown = {answer.mistake for one in drawn for answer in one.answers}
    assert len(shown - {""}) >= 4


@pytest.mark.parametrize("number", range(DRAWS))
def test_ring_results_agree_with_the_published_cost(number):
    """2 (p - 1) steps, each with the latency and a p-th of the array: Patarasuk and Yuan, 2009."""
    drawn = RING.redraw(number)
    right = next(answer for answer in drawn.answers if not answer.number)
    words = drawn.task.replace(",", "").replace("\N{NO-BREAK SPACE}", " ").split()
    ranks, size = float(words[0]), float(words[words.index("MB") - 1]) * 1e6
    rate, latency = float(words[words.index("Gbit/s") - 1]) * 1e9, float(words[words.index("µs") - 1]) * 1e-6
    seconds = 2 * (ranks - 1) * latency + 2 * (ranks - 1) / ranks * 8 * size / rate
    assert float(right.result.removesuffix(" ms").replace(",", "")) == pytest.approx(1e3 * seconds, rel=1e-3)


def test_only_the_right_numbers_are_correct():
    for answer in product(range(5), repeat=3):
        assert judge(RING, [*answer]).correct == ([*answer] == RING.critique.right())


def test_a_mistake_taken_for_right_is_named():
    right = RING.critique.right()
    for place, answer in enumerate(RING.critique.answers):
        said = [0 if at == place else 1 for at in range(3)]
        if answer.mistake:
            verdict = judge(RING, said)
            assert verdict.mistake == verdict.heading == answer.mistake and answer.message in verdict.message
        elif said != right:
            assert judge(RING, said).mistake == CONFUSED


@pytest.mark.parametrize(
    "answer, mistake, says",
    [
        ([0, 0, 1], NOT_ONE_RIGHT, "You call 2 of them right"),
        ([1, 2, 3], NOT_ONE_RIGHT, "You call none of them right"),
        ([0, 9, 1], "", "The numbers go from 0 to 4; 9 is none of them."),
        ([0, 1.5, 1], "", "1.5 is none of them"),
        ([0, 1], "", "Return a list or an array of 3 numbers, such as [2, 0, 1]"),
        ("B", "", "you returned text"),
    ],
)
def test_other_answers_are_told_what_to_do(answer, mistake, says):
    verdict = judge(RING, answer)
    assert says in verdict.message and verdict.mistake == mistake and verdict.score == 0


def test_no_verdict_shows_the_right_numbers():
    right = str(RING.critique.right())
    for answer in ([0, 0, 1], [1, 0, 0], "B", 3.0, [0, 1]):
        verdict = judge(RING, answer)
        assert verdict.expected == "" and verdict.case is None and right not in repr(verdict)


def test_lines_that_make_another_mistake_are_found():
    lying = Working("half a ring", "It halves.", RING.redraw.right)
    wrong = replace(RING.redraw, wrong=(lying, *RING.redraw.wrong[1:]))
    complaints = examine(replace(RING, redraw=wrong))
    assert any("the lines of the mistake 'half a ring' give" in line for line in complaints)


def test_a_mistake_without_a_name_is_refused():
    with pytest.raises(ValueError, match="each with a name out of"):
        replace(RING.redraw, wrong=(Working("none", "", "x = 1"), *RING.redraw.wrong))


def test_working_keeps_the_unchanged_lines():
    right = "rate = {gbits}e9 / 8\nseconds = {bytes} / rate"
    assert Working("m", "", "rate = {gbits}e9").worked(right) == "rate = {gbits}e9\nseconds = {bytes} / rate"
    assert Working("m", "", lines="seconds = 1").worked(right) == "seconds = 1"
    for changes, lines, says in (
        ("time = 1", "", "assigns no time"),
        ("", "", "either"),
        ("rate = 1", "x = 1", "either"),
    ):
        with pytest.raises(ValueError, match=says):
            Working("m", "", changes, lines).worked(right)


@pytest.mark.parametrize("one", CRITIQUES, ids=lambda one: one.id)
def test_changes_repeat_no_line_of_the_right_answer(one):
    right = {*one.redraw.right.strip().splitlines()}
    assert not any(right & {*working.changes.strip().splitlines()} for working in one.redraw.wrong)


def test_a_critique_is_not_graded():
    task = SimpleNamespace(definition=RING, exercise=RING.id, points=2.0)
    said = unusable_exercise(SimpleNamespace(tasks=[task]))
    assert "critique.py" in said and "no hidden inputs to grade with" in said


# --- what a learner sees -------------------------------------------------------------------------


def test_the_card_shows_three_answers_and_no_number():
    card = given(RING.id)
    html, text = card._repr_html_(), repr(card)
    assert html.count("<pre") == 3 and html.count("<li>") == len(card.critique.statements)
    for answer in card.critique.answers:
        assert answer.result in text and answer.lines.splitlines()[0] in text
    assert str(card.critique.right()) not in text
    assert given(RING.id) == card


def test_students_get_different_draws(monkeypatch):
    found = set()
    for name in "abcdefghijklmnop":
        monkeypatch.setenv("CHIP2CLUSTER_STUDENT", name)
        found.add(given(RING.id).critique.task)
    assert len(found) > 4


def test_check_hint_and_reveal_are_about_the_shown_answers():
    right = given(RING.id).critique.right()
    wrong = [*right[1:], right[0]]
    assert check(RING.id, answering(wrong)).mistake in RING.messages
    assert "Hint 1 of 3" in repr(hint(RING.id))
    assert check(RING.id, answering(right)).correct
    names = {}
    exec(reveal(RING.id).code, names)
    assert names["critique"]() == right
    entry = journal.read()["exercises"][RING.id]
    assert entry["solved"] and entry["attempts"] == 2 and {*entry["mistakes"]} <= {*RING.messages}


def test_a_review_brings_other_answers(monkeypatch):
    first = given(RING.id)
    assert check(RING.id, answering(first.critique.right())).correct
    later = (date.today() + timedelta(200)).isoformat()
    monkeypatch.setattr(review, "today", lambda: later)
    shown = progress("review")
    assert f'given("{RING.id}")' in repr(shown)
    again = given(RING.id)
    assert again.critique.task != first.critique.task
    assert "repetition" in check(RING.id, answering(again.critique.right())).after
    assert check(RING.id, answering(again.critique.right())).correct  # what is on the page is what is checked
