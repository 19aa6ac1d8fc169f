"""Cells that call models of the package: shown to people as on a student's machine, without a change of any mark."""

import json
from dataclasses import replace

import pytest

from autograder.__main__ import main
from autograder.grading import display_run
from autograder.grading.intake.notebook import clean_notebook
from autograder.grading.lab import load
from autograder.grading.lab_doctor import _solved, examine_lab
from autograder.grading.student_seeds import code_digest, secrets_for
from autograder.grading.submission import grade_notebook
from autograder.sandbox import CellResult, CellStatus, CodeCell, Sandbox, SandboxUnavailable, page_files
from chip2cluster._package import PRIVATE
from tests.grading.attacks.model import FULL, LAB, ROOT, SOLVED, code, notebook
from tests.private_text import exercise_texts, found

# Their released cells call models that no answer of the lab may call.
CALL_MODELS = ("05_systolic", "07_collectives", "10_parallelism", "13_scheduling")
CALLS = "from chip2cluster import roofline\nridge = roofline.ridge_point(989.4e12, 3.35e12)\nprint(round(ridge))"
USES = "print(ridge > 100)"


@pytest.fixture(autouse=True)
def secret(monkeypatch):
    monkeypatch.setenv("CHIP2CLUSTER_SECRET", "for the tests")


@pytest.fixture(scope="module")
def box():
    with Sandbox(LAB) as box:
        yield box


def graded(box, *cells, edits=None):
    """The result of a solved lab with these cells after it."""
    made = notebook(edits, base=SOLVED)
    made["cells"] += [code(source) for source in cells]
    return grade_notebook(clean_notebook(made), "ann", LAB, box, secrets_for(LAB, "ann"))


def shown(result, source):
    (cell,) = [cell for cell in result.notebook["cells"] if cell["source"] == source]
    return [output.get("text") or output.get("ename") for output in cell["outputs"]]


@pytest.mark.sandbox
@pytest.mark.parametrize("name", CALL_MODELS)
def test_model_answers_are_plainly_graded(name):
    lab = load(ROOT, name)
    with Sandbox(lab) as box:
        result = grade_notebook(_solved(ROOT, lab), "ann", lab, box, secrets_for(lab, "ann"))
    assert (result.status, result.score, result.repairs) == ("graded", lab.max_score, [])
    outputs = [output for cell in result.notebook["cells"] for output in cell.get("outputs", ())]
    assert [output["evalue"] for output in outputs if output["output_type"] == "error"] == []
    assert not any("is not available while" in json.dumps(output) for output in outputs)
    assert sum(output["output_type"] == "display_data" for output in outputs) >= 1, "tables and values are shown"


@pytest.mark.sandbox
def test_cell_that_calls_a_model_is_shown_with_its_value(box):
    result = graded(box, CALLS, USES)
    assert (result.status, result.score) == ("graded", FULL)
    assert shown(result, CALLS) == ["295\n"] and shown(result, USES) == ["True\n"]


@pytest.mark.sandbox
def test_no_mark_comes_from_the_run_for_people(box):
    answer = "from chip2cluster import roofline\nbest = roofline.attainable\n\n\ndef shortest_time(f, n, p, b):\n    return f / best(f / n, p, b)\n"
    result = graded(box, CALLS, edits={"shortest_time": answer})
    mark = result.exercises["lab.roofline.shortest_time"]
    assert mark["score"] == 0 and mark["verdict"] == "refused" and shown(result, CALLS) == ["295\n"]


@pytest.mark.sandbox
def test_error_of_the_student_still_counts_as_an_error(box):
    result = graded(box, CALLS, "1 / 0")
    assert result.status == "graded_with_errors" and result.score == FULL
    assert shown(result, CALLS) == ["295\n"] and shown(result, "1 / 0") == ["ZeroDivisionError"]
    assert graded(box, CALLS, "print(rigde)").status == "graded_with_errors"


@pytest.mark.sandbox
def test_hidden_inputs_do_not_reach_the_run_for_people(box):
    keep = """
import os
def keep(*arguments):
    for place in (".", "/tmp", "/var/tmp", "/dev/shm", os.path.expanduser("~")):
        try: open(place + "/kept", "a").write(repr(arguments) + "\\n")
        except OSError: pass
"""
    look = """
import glob, os
lines = set()
for place in (".", "/tmp", "/var/tmp", "/dev/shm", os.path.expanduser("~")):
    for file in glob.glob(place + "/**/kept", recursive=True): lines |= set(open(file))
print(*lines)
"""
    edits = {"shortest_time": keep + "\n\ndef shortest_time(*a):\n    keep(*a)\n    return 1.0\n"}
    result = graded(box, CALLS, look, edits=edits)
    (said,) = shown(result, look)
    task = LAB.tasks[0]
    seeds = secrets_for(LAB, "ann").seeds(code_digest(result.notebook))
    cases = task.definition.cases(seeds[task.exercise])[1:]  # the first one is known to all
    inputs = {repr(float(value)) for case in cases for value in case.inputs.values()}
    hidden = [text for text in inputs if len(text.replace("0", "")) > 12]  # no round number, which a page may hold, too
    # The page itself calls the function, so the file is there, with nothing but the page's own calls in it.
    assert shown(result, CALLS) == ["295\n"] and said.count("(") > 3
    assert len(hidden) > 3 and not [one for one in hidden if one in said]


@pytest.mark.sandbox
def test_second_sandbox_opens_only_when_a_cell_calls_a_model():
    with Sandbox(LAB) as box:
        graded(box, "print(1)", "1 / 0")
        assert not box._others
        graded(box, CALLS)
        (second,) = box._others.values()
        assert second is box.with_models() and second.name == box.name
        folder = second.folder
    assert not folder.exists()


@pytest.mark.sandbox
@pytest.mark.parametrize("problem", [SandboxUnavailable("no"), OSError("no memory")], ids=["refused", "no memory"])
@pytest.mark.parametrize("step", ["opens", "runs"])
def test_marks_stay_when_the_second_sandbox_fails(box, monkeypatch, step, problem):
    def refuse(*_, **__):
        raise problem

    if step == "opens":
        monkeypatch.setattr(Sandbox, "with_models", refuse)
    else:
        # It has died, and cannot be started again.
        monkeypatch.setattr(box.with_models(), "run", refuse)
    result = graded(box, CALLS)
    assert (result.status, result.score) == ("graded", FULL)
    assert shown(result, CALLS) == ["NotAvailableInGrading"]


@pytest.mark.sandbox
def test_sandbox_with_models_has_no_exercise(box):
    look = "import os\nprint([d for d, _, _ in os.walk('/box') if os.path.basename(d) in ('chapters', 'exercise')])"
    use = "import chip2cluster.chapters.roofline as c\nc.exercises.ridge()"
    one, other = box.with_models().run([CodeCell(look), CodeCell(use)])
    assert one.outputs[0]["text"] == "[]\n"
    assert other.outputs[-1]["ename"] in ("NotAvailableInGrading", "ModuleNotFoundError")


@pytest.mark.parametrize("name", CALL_MODELS)
def test_page_with_models_holds_no_text_of_an_exercise(name, tmp_path):
    lab = load(ROOT, name)
    page_files.build(tmp_path, page_files.OtherModels(lab.released, lab.folder, (), page_files.ALL_MODELS))
    files = {str(file): file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}
    assert len(files) > 300 and not any(f"/{part}/" in file for file in files for part in PRIVATE)
    texts = [text for task in lab.tasks if task.definition for text in exercise_texts(task.definition)]
    assert len(texts) > 10 and found(texts, files) == []


@pytest.mark.parametrize(
    "results, failed",
    [
        ([("x = 1", CellStatus.OK, False, "")], []),
        ([("m.f()", CellStatus.ERROR, True, "")], []),
        ([("a = m.f()", CellStatus.ERROR, True, ""), ("b = a", CellStatus.ERROR, False, "a"), ("b", CellStatus.ERROR, False, "b")], []),
        ([("a = 1 / 0", CellStatus.ERROR, False, ""), ("b = a", CellStatus.ERROR, False, "a")], [0, 1]),
        ([("b = a", CellStatus.ERROR, False, "a"), ("a = m.f()", CellStatus.ERROR, True, "")], [0]),
        ([("a = m.f()", CellStatus.KILLED, True, ""), ("a", CellStatus.NOT_RUN, False, "")], [0, 1]),
        ([("a = m.f()", CellStatus.INTERRUPTED, True, "")], [0]),
    ],
)  # fmt: skip
def test_failed_cells_leave_out_what_a_missing_model_causes(results, failed):
    def outputs(name):
        return (
            [{"output_type": "error", "ename": "NameError", "evalue": f"name '{name}' is not defined"}] if name else []
        )

    cells = {"cells": [{"source": source} for source, *_ in results]}
    ended = {
        number: CellResult(status, outputs(name), refused) for number, (_, status, refused, name) in enumerate(results)
    }
    assert display_run.failed_cells(cells, ended) == failed


# --- the doctor -------------------------------------------------------------------------
@pytest.mark.sandbox
def test_doctor_reports_a_solution_that_is_not_plainly_graded(box):
    cells = [*LAB.released["cells"], code("1 / 0") | {"id": "released-oops"}]
    lab = replace(LAB, released=LAB.released | {"cells": cells})
    complaints = examine_lab(ROOT, lab, box, LAB.tasks[0].exercise)
    assert len(complaints) == 2 and "graded_with_errors" in complaints[0]
    assert "'released-oops' of the solution shows ZeroDivisionError: division by zero" in complaints[1]


@pytest.mark.sandbox
def test_doctor_examines_a_single_task(capsys):
    assert main(["doctor", "lab.roofline.efficiency"]) == 0
    assert capsys.readouterr().out.startswith("All 1 exercise and 1 lab grade as they say")


def test_doctor_names_an_unknown_id(capsys):
    assert main(["doctor", "lab.roofline.efficency"]) == 2
    assert "no exercise has this id" in capsys.readouterr().err
