"""Predictions as forms, from the Python side: what is read, kept for good, told, and in which words."""

import json
import os
import re
import subprocess
import sys

import pytest

from chip2cluster import journal, predict
from tests.notebooks.test_explore import answered

pytestmark = pytest.mark.usefixtures("own_record")

TRUTHS = {
    "roofline.faster_chip": 40.0,
    "roofline.ops_per_byte": 295.343,
    "roofline.batch_for_ridge": 193.0,
    "roofline.fused_attention": 2.66372,
}


def test_the_truths_come_from_the_models():
    ours = [question for question in predict.QUESTIONS if question.id.startswith("roofline.")]
    assert {question.id: pytest.approx(question.truth(), rel=1e-5) for question in ours} == TRUTHS
    for question in predict.QUESTIONS:
        assert len(question.explain(question.truth())) < 320


@pytest.mark.parametrize("text, value", [("40", 40), (" 1.2e3 ", 1200), ("1,200", 1200), (".5", 0.5), ("40 tokens/s", 40),
                                         ("40tokens/s", 40), ("+3.", 3), ("1,234,567.5", 1234567.5)])  # fmt: skip
def test_numbers_are_read(text, value):
    assert predict.parse(text, "tokens/s") == value


@pytest.mark.parametrize(
    "text, message",
    [("", "above zero"), ("many", "Type a number"), ("nan", "Type a number"), ("inf", "Type a number"), ("-inf", "Type"),
     ("0", "above zero"), ("-3", "above zero"), ("1e999", "too large"), ("40 %", "tokens/s, not in '%'"), ("1_000", "alone"),
     ("3 GB/s", "not in 'GB/s'"), ("1,5", "point"), ("12,34", "point"), ("1.2.3", "alone"), ("e5", "Type"), ("٣", "Type")],
)  # fmt: skip
def test_anything_else_is_explained(text, message):
    with pytest.raises(ValueError, match=message):
        predict.parse(text, "tokens/s")


def everything_sent(form):
    """All that can reach a browser or a saved notebook, but for the random names of widgets."""
    data = form._repr_mimebundle_()
    return re.sub(r"\b[0-9a-f]{32}\b|IPY_MODEL_\w+", "", json.dumps([data, form.widget.get_state()], default=str))


def test_the_truth_stays_in_python_until_the_commit():
    form = predict.ask("roofline.ops_per_byte")
    assert "295" not in everything_sent(form)
    assert answered(form, {"action": "commit", "values": {"guess": "3 GB"}})["error"]
    assert "295" not in everything_sent(form) and form.guess is None
    frame = answered(form, {"action": "commit", "values": {"guess": "100"}})
    assert "It is 295 FLOP. You were 3.0 times too low: half an order of magnitude." in frame["sentence"]
    assert frame["controls"][0]["disabled"] and frame["controls"][1]["disabled"]


def test_the_first_answer_is_final_everywhere():
    predict.ask("roofline.faster_chip").commit("120")
    again = predict.ask("roofline.faster_chip")
    assert again.guess == 120 and "too high" in again.sentence
    assert "3.0 times too high" in again.commit("40")
    second_tab = answered(again, {"action": "commit", "values": {"guess": "40"}})
    assert second_tab["controls"][0]["value"] == "120" and "your first guess stays" in second_tab["error"]
    code = "from chip2cluster import predict; print(predict.ask('roofline.faster_chip').sentence)"
    answer = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ}, capture_output=True, text=True, check=True
    )
    assert "You were 3.0 times too high" in answer.stdout
    assert journal.read()["predictions"]["roofline.faster_chip"]["guess"] == 120


def test_static_prediction_asks_then_reveals_after_a_guess():
    form = predict.ask("roofline.faster_chip")
    asks = form._still_bundle()["text/html"].rpartition("</style>")[2]
    assert "three times the FLOP/s" in asks and "run this cell" in asks
    assert "It is" not in asks and "too high" not in asks
    form.commit("120")
    tells = form._still_bundle()
    for text in (tells["text/html"].rpartition("</style>")[2], tells["text/plain"]):
        assert (
            "120" in text and "It is 40 tokens/s. You were 3.0 times too high" in text and "run this cell" not in text
        )


def test_calibration_lists_what_was_predicted():
    assert predict.calibration() == []
    predict.ask("roofline.batch_for_ridge").commit("1,930")
    journal.predict("some.later_question", 3)
    (one,) = predict.calibration()
    assert one.question == "roofline.batch_for_ridge" and (one.guess, one.truth) == (1930, 193)
    assert one.orders == pytest.approx(1.0)


def test_an_unknown_question_names_the_choices():
    with pytest.raises(
        ValueError, match="did you mean 'roofline.faster_chip'[?][)]; there are .*roofline.faster_chip, roofline.ops"
    ):
        predict.ask("roofline.fast_chip")


@pytest.mark.parametrize("guess, words", [(40, "right"), (44, "within 10 %"), (4e6, "100,000 times too high: 5.0 orders"),
                                          (0.4, "100 times too low: 2.0 orders"), (13, "3.1 times too low: half an order"),
                                          (400, "10 times too high: an order of magnitude"), (80, "2.0 times too high."),
                                          (240, "6.0 times too high."), (600, "15 times too high."), (50, "1.2 times too high: close.")])  # fmt: skip
def test_the_score_is_said_in_words(guess, words):
    assert words in predict.verdict(guess, 40.0)
