"""What a release writes into a lab, and what it is not made from."""

from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from autograder.grading.gradebook.release import ShowPoints


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
