"""Written answers outside their cell wait for a person; text of the course never does."""

import copy
import re
import textwrap

import pytest

from autograder.grading.intake.prose import KnownText, code_prose
from tests.grading.misplaced_answers import (
    BELOW,
    COMMENTED,
    ESSAY,
    KINDS,
    LABS,
    NOT_ANSWERS,
    STUB,
    insert,
    notebooks,
    rebuilt,
    submission,
    waits,
)
from tests.grading.notebooks import RELEASED, answered, code, find, markdown, text
from tests.tables import every_row


@every_row("name", KINDS)
def test_text_outside_its_cell_waits_with_its_place(name):
    edit, place = KINDS[name]
    done = rebuilt(submission(edit))
    shown = text(find(done.notebook, "recommendation"))
    assert done.found == {"recommendation": [place]} and waits(done.notebook)
    assert f"was found in {place}." in shown and (
        name in ("Chinese", "photograph of a page", "a cell for each few words")
        or ESSAY.split()[:5] == re.findall(r"I would buy.*", shown)[0].split()[:5]
    )
    assert any(place in sentence for sentence in done.repairs)
    again = rebuilt(done.notebook)
    assert again.notebook == done.notebook and not again.repairs


@pytest.mark.parametrize("minor, metadata", [(0, True), (2, True), (4, True), (4, False), (5, False)])
def test_text_is_found_without_ids_and_metadata(minor, metadata):
    for name, (edit, _) in KINDS.items():
        done = rebuilt(submission(edit, minor, metadata))
        assert [*done.found] == ["recommendation"] and waits(done.notebook), name
        assert len(done.found["recommendation"]) == 1, name
    for name, edit in NOT_ANSWERS.items():
        done = rebuilt(submission(edit, minor, metadata))
        assert not done.found and not waits(done.notebook), name


@every_row("name", NOT_ANSWERS)
def test_short_text_code_and_course_text_do_not_wait(name):
    done = rebuilt(submission(NOT_ANSWERS[name]))
    assert not done.found and not waits(done.notebook)
    assert text(find(done.notebook, "recommendation")) == STUB


def test_an_answer_in_its_cell_is_not_searched_for():
    made = answered(recommendation="Short, but mine.")
    insert(made, markdown(ESSAY))
    done = rebuilt(made)
    assert not done.found and text(find(done.notebook, "recommendation")) == "Short, but mine."


def test_each_text_is_shown_once_with_its_place():
    made = answered(recommendation=STUB)
    insert(made, markdown(ESSAY))
    made["cells"].append(markdown(ESSAY))
    made["cells"].append(code("\n".join(f"# {line}" for line in textwrap.wrap(f"Second thought: {ESSAY}", 40))))
    done = rebuilt(made)
    assert done.found == {"recommendation": [BELOW, COMMENTED]}
    assert text(find(done.notebook, "recommendation")).count("I would buy") == 2
    assert sum(sentence.count("counts as the answer") for sentence in done.repairs) == 2


def test_text_goes_to_the_question_above_it():
    released = copy.deepcopy(RELEASED)
    second = copy.deepcopy([find(released, "question"), find(released, "recommendation")])
    for cell, name in zip(second, ("question-2", "second"), strict=True):
        cell["id"] = cell["metadata"]["nbgrader"]["grade_id"] = name
    released["cells"][-2:-2] = second
    for after, name in (("recommendation", "recommendation"), ("second", "second")):
        made = copy.deepcopy(released)
        insert(made, markdown(ESSAY), after)
        assert rebuilt(made, released).found == {name: [BELOW]}
    draft = copy.deepcopy(released)
    find(draft, "recommendation")["source"] = ESSAY
    insert(draft, markdown(ESSAY), "second")
    assert rebuilt(draft, released).found == {}, "the draft of one answer is none to the other question"


def test_earlier_text_of_the_course_is_not_an_answer():
    earlier = copy.deepcopy(RELEASED)
    find(earlier, "question")["source"] = f"**Which one?** {ESSAY}"
    made = submission(lambda made: insert(made, markdown(f"**Which one?** {ESSAY}")), 4, False)
    assert rebuilt(made).found and not rebuilt(made, earlier=[earlier]).found


@every_row("lab", LABS)
def test_no_text_of_a_lab_counts_as_an_answer(lab):
    released, answers = notebooks(lab)
    for filled in (False, True):
        for minor, metadata in ((5, True), (4, True), (4, False)):
            made = copy.deepcopy(released)
            made["nbformat_minor"] = minor
            for cell in made["cells"]:
                solution = cell["metadata"].get("nbgrader", {}).get("solution")
                cell["source"] = answers.get(cell["id"], cell["source"]) if filled and solution else cell["source"]
                if minor < 5:
                    del cell["id"]
                cell["metadata"] = cell["metadata"] if metadata else {}
            assert rebuilt(made, released).found == {}
    for other in LABS:
        assert other == lab or rebuilt(notebooks(other)[0], released).found == {}, other


@every_row(
    "source", ['"' * 90_000, "'''" * 30_000, '"""\\' * 20_000, "def f(\n" * 10_000, "'a\n" * 30_000, "#" * 90_000]
)
def test_odd_source_is_searched_without_an_error(source):
    assert KnownText([source]).own_words(source) >= 0
    assert sum(map(len, code_prose(source))) <= len(source)
