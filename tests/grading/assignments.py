"""Assignments of plain nbgrader, and a course folder with one of them."""

import json

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

KERNEL = {"name": "python3", "display_name": "Python 3", "language": "python"}


def marks(name, **more):
    return {
        "nbgrader": {"grade": False, "grade_id": name, "locked": False, "schema_version": 3, "solution": False} | more
    }


def answer(name, source):
    return new_code_cell(source, id=name, metadata=marks(name, solution=True, task=False))


def test(name, source, points):
    return new_code_cell(source, id=name, metadata=marks(name, grade=True, locked=True, points=points, task=False))


def essay(name, points):
    return new_markdown_cell(
        "Why?", id=name, metadata=marks(name, grade=True, solution=True, points=points, task=False)
    )


def assignment(*cells, kernel=KERNEL):
    setup = new_code_cell("import math", id="setup")
    return new_notebook(cells=[new_markdown_cell("# Mine", id="title"), setup, *cells], metadata={"kernelspec": kernel})


def put(root, name, notebook, file=None):
    """Write an instructor's notebook into a course."""
    place = root / "solutions" / name / f"{file or name}.ipynb"
    place.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, place)
    return place


def release(root, name):
    """Run `nbgrader generate_assignment` in this process; return its success and its log."""
    from nbgrader.converters import GenerateAssignment
    from nbgrader.utils import capture_log, temp_attrs

    from autograder.grading.gradebook.course import open_course

    course = open_course(root)
    with temp_attrs(course.directory, assignment_id=name, notebook_id="*", student_id="."):
        done = capture_log(GenerateAssignment(coursedir=course.directory, parent=course.app))
    return done["success"], done.get("log", "")


def change(file, edit):
    """Apply ``edit`` to each cell of a notebook in a file."""
    notebook = json.loads(file.read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        edit(cell)
    file.write_text(json.dumps(notebook), encoding="utf-8")


def worth(name, points):
    """Return an edit that changes the points of the graded cell ``name``."""

    def edit(cell):
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == name:
            cell["metadata"]["nbgrader"]["points"] = points

    return edit


def course_with(root, name, notebook):
    """Create a course folder with one released assignment and no gradebook; return its `Lab`."""
    from nbgrader.preprocessors import ClearHiddenTests, ClearSolutions

    from autograder.grading.lab import load

    put(root, name, notebook)
    released = nbformat.from_dict(json.loads(json.dumps(notebook)))
    for step in (
        ClearSolutions(code_stub=dict.fromkeys(("python", "R"), "raise NotImplementedError")),
        ClearHiddenTests(),
    ):
        released, _ = step.preprocess(released, {"nbgrader": {}})
    (root / "labs" / name).mkdir(parents=True)
    nbformat.write(released, root / "labs" / name / f"{name}.ipynb")
    return load(root, name)


def handed_in(lab, **answers):
    """Return a rebuilt submission with these sources by cell."""
    made = json.loads(json.dumps(lab.released))
    for cell in made["cells"]:
        cell["source"] = answers.get(cell["id"], "".join(cell["source"]))
    return made
