"""A second written question for every lab: public words, numbers of the secret's, an answer that the models give."""

import json
import re

import numpy as np
import pytest

from autograder import lab_names
from autograder.__main__ import main
from autograder.grading.lab import load
from autograder.grading.lab_doctor import wrong_points
from autograder.questions import class_question, draw_question, questions
from autograder.questions.cells import ANSWER, TEXT, text_of, with_question, without_question
from chip2cluster.exercise.written_question import Draw, Explanation
from tests.grading import fakes
from tests.grading.assignments import release
from tests.grading.course import LAB, ROOT, STRONG_SECRET, Course

LABS = sorted(folder.name for folder in (ROOT / "solutions").glob("[!.]*/"))
SEEDS = range(12)


def test_every_lab_has_a_written_question():
    assert set(questions()) == {lab.partition("_")[2] for lab in LABS}


@pytest.mark.parametrize("topic", questions())
def test_drawn_numbers_distinguish_the_explanations(topic):
    question = questions()[topic]
    made = [draw_question(question, seed) for seed in SEEDS]
    right = [explanation.why for one in made for explanation in question.explanations if explanation.why in one.answer]
    # Neither letter nor explanation is a safe guess.
    assert {one.truth for one in made} == {"A", "B"}
    assert len(right) == len(made) and len(set(right)) == 2
    for one in made:
        wrong = "AB".replace(one.truth, "")
        assert one.misses[one.truth] < 0.05 and one.misses[wrong] > 0.15
        assert one.forecasts["A"] != pytest.approx(one.forecasts["B"], rel=0.1)
        assert np.isfinite([*one.predicted["A"], *one.predicted["B"], *one.measured]).all()
    assert len({one.wording for one in made}) == len(made)


@pytest.mark.parametrize("topic", questions())
def test_model_answer_keeps_its_rules_and_computes_its_numbers(topic):
    for seed in SEEDS:
        one = draw_question(questions()[topic], seed)
        # The question asks for about 120 words, its table aside.
        assert len(one.answer.split()) <= 130 and "{" not in one.wording + one.answer
        assert f"bear out {one.truth}" in one.answer and one.points == 4 == len(one.rubric)
    for explanation in questions()[topic].explanations:
        assert not re.search(r"\d", explanation.why + explanation.refute)


def _values(topic, place, seed=3):
    """What an explanation says of a draw's rows, and the draw."""
    question = questions()[topic]
    draw = question.draw(np.random.default_rng(seed))
    return [float(question.explanations[place].value(**draw.constants, **row)) for row in draw.rows], draw


def test_question_numbers_agree_with_hand_calculation():
    said, draw = _values("parallelism", 1)
    assert said == pytest.approx([(r["stages"] - 1) / (r["micro_batches"] + r["stages"] - 1) for r in draw.rows])
    # One server: the wait is the service times load over what the load leaves.
    said, draw = _values("serving", 1)
    assert said == pytest.approx([draw.constants["service"] * r["busy"] / (1 - r["busy"]) for r in draw.rows])
    # The narrowest cut of a square torus has two links for each node of its side.
    said, draw = _values("bisection", 0)
    bandwidth = draw.constants["bandwidth"]
    assert said == pytest.approx([r["nodes"] ** 0.5 * r["each"] / 4 / bandwidth for r in draw.rows])
    # A million grams are a tonne, and a million joules are 1/3.6 of a kWh.
    said, draw = _values("economics", 0)
    assert said == pytest.approx([r["gpu_hours"] * r["watts"] / 1e3 * r["grams"] / 1e6 for r in draw.rows])
    said, draw = _values("links", 0)
    numbers = draw.constants
    assert said == pytest.approx([numbers["latency"] + r["size"] / numbers["bandwidth"] for r in draw.rows])


def test_question_with_equal_explanations_is_refused():
    from dataclasses import replace

    flat = Explanation("x", "x", "x", lambda number: number)
    same = replace(
        questions()["systolic"],
        explanations=(flat, flat),
        draw=lambda generator: Draw({}, [{"number": 1.0}], {"number": 2.0}),
    )
    with pytest.raises(ValueError, match="tells the two explanations apart"):
        draw_question(same, 1)


def test_question_differs_by_secret(monkeypatch):
    monkeypatch.setenv("CHIP2CLUSTER_SECRET", "this term")
    mine = class_question("roofline")
    assert class_question("roofline") == mine
    monkeypatch.setenv("CHIP2CLUSTER_SECRET", "next term")
    assert class_question("roofline").measured != mine.measured
    with pytest.raises(ValueError, match="no second question is written for 'tides'"):
        class_question("tides")


@pytest.mark.parametrize("lab", LABS)
def test_question_is_added_and_removed_without_a_trace(lab):
    text = (ROOT / "solutions" / lab / f"{lab_names.notebook_name(lab)}.ipynb").read_text(encoding="utf-8")
    notebook = without_question(json.loads(text))
    asked = with_question(notebook, draw_question(questions()[lab.partition("_")[2]], 1), 6)
    names = [cell["id"] for cell in asked["cells"]]
    assert names[-4:] == [TEXT, "second-answer", "hand-in", "progress"]
    assert with_question(asked, draw_question(questions()[lab.partition("_")[2]], 1), 6) == asked
    assert sum(map(float, re.findall(r"^\| ([\d.]+) \|", "".join(asked["cells"][-3]["source"]), re.M))) == 6
    # A fork may have put its own in.
    assert text_of(without_question(asked)) == text_of(notebook) and text_of(json.loads(text)) == text


def test_question_command_changes_the_lab(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("CHIP2CLUSTER_SECRET", STRONG_SECRET)
    course = Course(tmp_path)
    root, file = ["--root", str(tmp_path)], tmp_path / f"solutions/{LAB}/lab_{LAB}.ipynb"
    assert main(["written-question", LAB, "--remove", *root]) == 0 and release(tmp_path, LAB)[0]
    before, released = file.read_bytes(), load(tmp_path, LAB)
    capsys.readouterr()
    assert main(["written-question", LAB, *root]) == 0 and "Model answer" in capsys.readouterr().out
    assert file.read_bytes() == before

    assert main(["written-question", LAB, "--add", "--points", "5", *root]) == 0
    assert "worth 5 points by hand" in capsys.readouterr().out
    with pytest.raises(ValueError, match="no longer those of its release"):
        load(tmp_path, LAB)
    assert release(tmp_path, LAB)[0]
    lab = load(tmp_path, LAB)
    assert lab.tasks == released.tasks and lab.by_hand == released.by_hand | {ANSWER: 5}
    assert not wrong_points(tmp_path, lab)
    # Students get the words and no answer.
    handed_out = json.dumps(lab.released, ensure_ascii=False)
    question = class_question("roofline")
    assert "(5 points, read by a person)" in handed_out and question.wording.splitlines()[2] in handed_out
    private = [f"bear out {question.truth}", *(text for _, text in question.rubric)]
    written = json.dumps(json.loads(file.read_text(encoding="utf-8")), ensure_ascii=False)
    assert [text for text in private if text not in written] == [text for text in private if text in handed_out] == []

    assert main(["written-question", LAB, "--add", "--points", "5", *root]) == 0
    assert "nothing was changed" in capsys.readouterr().out
    # The secret was forgotten in this shell: nothing is changed by accident.
    monkeypatch.setenv("CHIP2CLUSTER_SECRET", "another")
    assert (
        main(["written-question", LAB, "--add", *root]) == 2 and "numbers of another secret" in capsys.readouterr().err
    )
    # Once somebody's work is in the gradebook the cells stay.
    course.submit("ann", {"second-answer": "A, since the caches grow."})
    fakes.run(course)
    with_it = file.read_bytes()
    assert main(["written-question", LAB, "--remove", *root]) == 2
    assert "has submissions in the gradebook" in capsys.readouterr().err and file.read_bytes() == with_it


def test_question_command_refuses_bad_options(tmp_path, capsys):
    (tmp_path / "solutions").mkdir()
    for words, sentence in (
        (["99_tides"], "no lab is called '99_tides'"),
        ([LAB, "--points", "3", "--root", str(ROOT)], "give --add with them"),
        ([LAB, "--add", "--points", "0", "--root", str(ROOT)], "1 to 100 points"),
        ([LAB, "--add", "--points", "nan", "--root", str(ROOT)], "1 to 100 points"),
    ):
        root = [] if "--root" in words else ["--root", str(tmp_path)]
        assert main(["written-question", *words, *root]) == 2
        assert sentence in capsys.readouterr().err
