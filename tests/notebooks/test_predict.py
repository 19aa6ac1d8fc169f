"""Predictions: frozen first, revealed second."""

import json

import pytest

from chip2cluster import journal, predict

pytestmark = pytest.mark.usefixtures("own_record")


@pytest.mark.parametrize("name", [question.id for question in predict.QUESTIONS])
def test_nothing_of_the_answer_is_shown_before_the_commit(name):
    form = predict.ask(name)
    shown = json.dumps(form.content()) + json.dumps(form._still_bundle())
    truth = form.question.truth()
    assert form.sentence == "" and form.guess is None
    assert f"It is {truth:,.6g}" not in shown and form.question.explain(truth) not in shown


def test_the_first_answer_is_frozen_and_then_the_value_is_shown():
    form = predict.ask("roofline.faster_chip")
    shown = form._answer({"action": "commit", "values": {"guess": "120"}})
    assert all(control["disabled"] for control in shown["controls"])
    assert "It is 40 tokens/s. You were 3.0 times too high: half an order of magnitude." in shown["sentence"]
    again = predict.ask("roofline.faster_chip")
    again._answer({"action": "commit", "values": {"guess": "40"}})
    assert again.sentence == form.sentence and journal.prediction("roofline.faster_chip")["guess"] == 120


@pytest.mark.parametrize(
    "text, words",
    [
        ("", "Type a number"),
        ("many", "Type a number"),
        ("nan", "Type a number"),
        ("2,5", "decimal sign as a point"),
        ("1 2", "number alone"),
        (".", "Type a number"),
        ("e5", "Type a number"),
        ("0", "above zero"),
        ("-3", "above zero"),
        ("1e999", "too large"),
        ("40 GB/s", "wanted in tokens/s, not in 'GB/s'"),
        ("40 %", "not in '%'"),
    ],
)
def test_what_is_no_answer_is_said_and_not_stored(text, words):
    form = predict.ask("roofline.faster_chip")
    assert words in form._answer({"action": "commit", "values": {"guess": text}})["error"]
    assert form.guess is None
    with pytest.raises(ValueError, match=words.replace("%", ".")):
        form.commit(text)


@pytest.mark.parametrize(
    "text, number",
    [
        ("40", 40),
        (" 40.5 ", 40.5),
        ("1.2e3", 1200),
        ("1,200", 1200),
        ("1,200,000.5", 1200000.5),
        (".5", 0.5),
        ("40tokens/s", 40),
        ("4E1 Tokens/s", 40),
        ("+7", 7),
    ],
)
def test_numbers_are_read_as_people_write_them(text, number):
    assert predict.parse(text, "tokens/s") == number


def test_the_values_are_those_of_the_published_problems():
    truths = {one.id: one.truth() for one in predict.QUESTIONS}
    assert truths["roofline.faster_chip"] == 40
    assert truths["roofline.ops_per_byte"] == pytest.approx(295.3, abs=0.1)
    assert truths["roofline.batch_for_ridge"] == 193


def test_calibration_lists_what_was_answered():
    assert predict.calibration() == []
    predict.ask("roofline.ops_per_byte").commit("29.53")
    (forecast,) = predict.calibration()
    assert forecast.orders == pytest.approx(-1, abs=1e-3)


def test_an_unknown_question_names_near_ones():
    with pytest.raises(ValueError, match="did you mean 'roofline.faster_chip'"):
        predict.ask("roofline.fasterchip")
    with pytest.raises(ValueError, match="there is no question 7"):
        predict.ask(7)


def test_questions_are_short():
    """A reader keeps about 40 words in mind while he guesses."""
    long = {question.id: len(question.text.split()) for question in predict.QUESTIONS}
    assert len(long) > 50 and {name: words for name, words in long.items() if words > 40} == {}
