"""check, hint, reveal, progress: output for the learner, and the record."""

import ast
import inspect
import json
import subprocess
import sys

import pytest

from autograder import check, given, hint, progress, reveal, secret
from autograder.exercises import exercise, exercises
from autograder.secret import values_key
from autograder.student.help import solution_card
from chip2cluster import journal
from chip2cluster._package import is_model
from chip2cluster.exercise.model import solved_by

pytestmark = pytest.mark.usefixtures("own_record")


def good(sparse_tflops, bandwidth_gbytes):
    return sparse_tflops * 500 / bandwidth_gbytes


def row(exercise_id):
    """Return the record of one exercise."""
    return next(row for row in progress().exercises if row["exercise"] == exercise_id)


def test_check_counts_attempts_and_keeps_what_is_solved():
    assert check("roofline.ridge", lambda t, b: t / b).verdict == "wrong unit"
    assert check("roofline.ridge", good).correct
    check("roofline.ridge", lambda t, b: t / b)
    found = row("roofline.ridge")
    assert (found["state"], found["attempts"]) == ("solved", 2)  # what comes after it is solved counts no more
    assert "1 of" in progress().summary


def test_check_wants_the_function_itself():
    with pytest.raises(TypeError, match=r'without brackets: check\("roofline.ridge", ridge\)'):
        check("roofline.ridge", good(1.0, 2.0))


def test_hints_come_one_at_a_time_and_then_point_to_the_solution():
    texts = [repr(hint("roofline.ridge")) for _ in range(4)]
    assert ["2." in text for text in texts] == [False, True, True, True]
    assert 'run `hint("roofline.ridge")` again' in texts[0] and 'reveal("roofline.ridge")' in texts[2]
    assert texts[2] == texts[3]
    assert row("roofline.ridge")["hints"] == 3


def test_reveal_shows_the_source_and_progress_says_so():
    text = repr(reveal("roofline.attainable"))
    assert text.count("np.minimum(peak_flops, memory_bandwidth * intensity)") == 1  # the package's lines stay apart
    assert "The package's own source" in text
    assert "<details>" in reveal("roofline.attainable")._repr_html_()
    reveal("roofline.ridge")
    check("roofline.ridge", good)
    assert row("roofline.ridge")["state"] == "solved after the solution"


@pytest.mark.parametrize(
    "exercise_id", [exercise_id for exercise_id in exercises() if not exercise(exercise_id).graded]
)
def test_the_source_is_python_with_one_line_of_words_a_function(exercise_id):
    shown = ast.parse(solution_card(exercise(exercise_id)).folded).body
    own = [one for one in solved_by(exercise(exercise_id)) if is_model(one.__module__)]
    for function, source in zip(shown, map(inspect.getsource, own), strict=True):
        assert isinstance(function, ast.FunctionDef) and "\n" not in (ast.get_docstring(function) or "")
        # Only words were removed.
        assert ast.dump(without_words(function)) == ast.dump(without_words(ast.parse(source).body[0]))


def without_words(function):
    return ast.Module(function.body[1:] if ast.get_docstring(function) else function.body, [])


def test_graded_work_is_not_revealed():
    shown, private = reveal("lab.roofline.shortest_time"), solution_card(exercise("lab.roofline.shortest_time"))
    assert "are not shown" in repr(shown) and shown.code == shown.folded == ""
    # The card would show both.
    assert private.folded and private.paragraphs[0] not in repr(shown)
    assert "reveal" not in "".join(repr(hint("lab.roofline.shortest_time")) for _ in range(3))


def test_progress_shows_calibration():
    journal.predict("roofline.faster_chip", 120)
    found = progress("all")
    assert found.predictions[0]["orders"] == pytest.approx(0.477, abs=0.001)
    assert "off by a factor of 3.0" in found.summary and "too high" in found.summary
    assert "Your guess".lower() in found._repr_html_().lower()


def test_progress_travels(tmp_path, monkeypatch):
    check("roofline.ridge", good)
    progress(export_to=tmp_path / "mine.json")
    with pytest.raises(FileExistsError, match="nothing was written"):
        progress(export_to=tmp_path / "mine.json")
    monkeypatch.setenv("CHIP2CLUSTER_HOME", str(tmp_path / "elsewhere"))
    assert "0 of" in progress().summary
    assert "1 of" in progress(import_from=tmp_path / "mine.json").summary
    (tmp_path / "broken.json").write_text(json.dumps([1, 2]))
    with pytest.raises(ValueError, match="nothing was changed"):
        progress(import_from=tmp_path / "broken.json")
    assert "1 of" in progress().summary


def test_learner_interface_has_five_names_and_no_widgets():
    code = "import autograder, sys; print(sorted(autograder.__all__), 'ipywidgets' in sys.modules, 'nbgrader' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['check', 'given', 'hint', 'progress', 'reveal'] False False"


def test_given_is_repeatable_and_differs_between_students(monkeypatch):
    monkeypatch.setenv("CHIP2CLUSTER_SECRET", "the course's")
    drawn = {}
    for name in ("ann", "bob", "çelik"):
        monkeypatch.setenv("CHIP2CLUSTER_STUDENT", name)
        drawn[name] = given("lab.roofline.own_chip")
        assert drawn[name] == given("lab.roofline.own_chip")
    assert len({str(numbers) for numbers in drawn.values()}) == 3
    monkeypatch.setenv("CHIP2CLUSTER_VALUES_KEY", values_key())
    monkeypatch.setenv("CHIP2CLUSTER_SECRET", "another one, as on a student's machine")
    assert given("lab.roofline.own_chip") == drawn["çelik"]
    with pytest.raises(ValueError, match="same for everybody"):
        given("roofline.ridge")


def test_a_personal_exercise_takes_ones_own_numbers_alone(monkeypatch):
    def own_rate(parameters, batch):
        return batch / max(2 * parameters * batch / chip["peak_flops"], 2 * parameters / chip["memory_bandwidth"])

    for name, verdict in (("ann", "correct"), ("bob", "wrong value")):
        monkeypatch.setenv("CHIP2CLUSTER_STUDENT", "ann")
        chip = given("lab.roofline.own_chip")
        monkeypatch.setenv("CHIP2CLUSTER_STUDENT", name)
        found = check("lab.roofline.own_chip", own_rate)
        assert found.correct == (verdict == "correct"), found


def test_a_browser_has_no_accounts_no_links_and_no_alarms(monkeypatch):
    monkeypatch.setattr("sys.platform", "emscripten")
    monkeypatch.delattr("os.link")
    monkeypatch.delattr("signal.setitimer")
    for name in ("CHIP2CLUSTER_STUDENT", "JUPYTERHUB_USER", "CHIP2CLUSTER_SECRET", "CHIP2CLUSTER_VALUES_KEY"):
        monkeypatch.delenv(name, raising=False)

    def nobody():
        raise ModuleNotFoundError("No module named 'pwd'")

    monkeypatch.setattr("getpass.getuser", nobody)
    assert secret.student() == "student"
    numbers = given("lab.roofline.own_chip")
    assert given("lab.roofline.own_chip") == numbers
    assert sorted(file.name for file in journal.path().parent.iterdir()) == ["course-secret"]
    assert check("roofline.ridge", good).correct
    assert progress().place.endswith("progress.json")
