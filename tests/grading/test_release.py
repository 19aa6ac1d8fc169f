"""What a release writes into a lab, and what it is not made from."""

import base64
import json

from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from autograder.grading.gradebook.release import ShowPoints
from tests.grading.course import LAB, Course
from tests.grading.notebooks import find


def _graded(make, points, *, by_hand):
    return make(metadata={"nbgrader": {"grade": True, "solution": by_hand, "points": points}})


def test_show_points_writes_task_and_lab_points():
    tasks = [new_markdown_cell(f"## {n}\n\n*difficulty ●○○○○ · importance ●○○○○ · 5 minutes*\n\nDo.") for n in (1, 2)]
    title, question = new_markdown_cell("*You need: chapter 3*"), new_markdown_cell("Why? *(read by a person)*")
    notebook = new_notebook(
        cells=[
            title,
            *(tasks[0], new_code_cell("def f(): ..."), _graded(new_code_cell, 1, by_hand=False)),
            *(tasks[1], new_markdown_cell("Think first."), _graded(new_code_cell, 2.5, by_hand=False)),
            *(question, _graded(new_markdown_cell, 6, by_hand=True)),
        ]
    )
    ShowPoints().preprocess(notebook, {})
    assert title.source == "*You need: chapter 3 · 9.5 points, 3.5 of them marked by machine and 6 by hand*"
    assert "· 5 minutes · 1 point*\n\nDo." in tasks[0].source
    assert "· 5 minutes · 2.5 points*\n\nDo." in tasks[1].source
    assert question.source == "Why? *(6 points, read by a person)*"


def test_release_leaves_pictures_of_model_answers_out(tmp_path):
    course = Course(tmp_path)
    file = course.root / "solutions" / LAB / f"lab_{LAB}.ipynb"
    notebook = json.loads(file.read_text(encoding="utf-8"))
    question, answer = find(notebook, "question"), find(notebook, "recommendation")
    pictures = {name: base64.b64encode(name.encode()).decode() for name in ("question.png", "answer.png")}
    question["attachments"] = {"q.png": {"image/png": pictures["question.png"]}}
    question["source"] = "".join(question["source"]) + "\n\n![q](attachment:q.png) ![sketch](sketch.png)"
    answer["attachments"] = {"a.png": {"image/png": pictures["answer.png"]}}
    answer["source"] = 'See ![a](attachment:a.png), ![model](model.png) and <img alt="b" src="second.jpg">.'
    file.write_text(json.dumps(notebook), encoding="utf-8")
    for name in ("sketch.png", "model.png", "second.jpg", "table.csv"):
        (file.parent / name).write_bytes(name.encode())
    said = course.nbgrader_here("generate_assignment", LAB)
    released = (course.root / "labs" / LAB / f"lab_{LAB}.ipynb").read_text(encoding="utf-8")
    assert pictures["question.png"] in released and pictures["answer.png"] not in released
    beside = {path.name for path in (course.root / "labs" / LAB).iterdir()}
    assert beside & {"sketch.png", "model.png", "second.jpg", "table.csv"} == {"sketch.png", "table.csv"}
    assert "model.png is shown only in a model answer" in said
