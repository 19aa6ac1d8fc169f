"""Exercise lookup: by id, by function, by the last check; an unclear call gets one line."""

import json
import subprocess
import sys

import pytest
from IPython.core.interactiveshell import InteractiveShell

from autograder import check, hint, progress, reveal
from autograder.course_pages import chapters, checked_exercises, topic
from autograder.exercises import exercise, exercises
from autograder.student import current_page
from autograder.student.given import personal_exercise
from autograder.student.help import solution_card
from chip2cluster import journal, renamed


@pytest.fixture(autouse=True)
def own_record(tmp_path, monkeypatch):
    monkeypatch.setenv("CHIP2CLUSTER_HOME", str(tmp_path / "record"))
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    monkeypatch.setitem(current_page._last, "exercise", "")
    monkeypatch.setitem(current_page._last, "wrong", "")


def ridge(sparse_tflops, bandwidth_gbytes):
    return sparse_tflops / bandwidth_gbytes


def attainable(intensity, peak_flops, memory_bandwidth):
    return max(peak_flops, memory_bandwidth * intensity)


def exposed(*_):
    return 1.0


def test_a_function_is_enough_where_its_name_is_clear():
    assert check(ridge).exercise == check("roofline.ridge", ridge).exercise == "roofline.ridge"
    assert check(ridge, "roofline.ridge").exercise == "roofline.ridge"


def test_shared_function_name_is_resolved_by_the_notebook(monkeypatch):
    with pytest.raises(TypeError, match=r'check\("collectives.exposed", exposed\) or check\("mfu.exposed", exposed\)'):
        check(exposed)
    monkeypatch.setenv("JPY_SESSION_NAME", "my_course/09_mfu.ipynb")
    assert check(exposed).exercise == "mfu.exposed"


@pytest.mark.parametrize(
    "line, words",
    [
        ("check('roofline.ridge', ridge(1, 2))", 'without brackets: check("roofline.ridge", ridge); got 0.5'),
        ("check(ridge(1, 2))", "without brackets"),
        ("check('roofline.rigde', ridge)", "did you mean 'roofline.ridge'"),
        ("check('ridge', ridge)", "did you mean 'roofline.ridge'?"),
        ("check('roofline.ridge')", "got no function"),
        ("check(lambda: 1)", "with its id"),
        ("hint()", "say which exercise"),
        ("reveal()", "say which exercise"),
        ("hint(3)", "or the id"),
        ("progress('roof')", "there are machine, accelerators, roofline"),
    ],
)
def test_a_slip_costs_one_line_and_no_traceback(line, words, capsys):
    """Return the text that a notebook shows."""
    shell = InteractiveShell.instance()
    shell.user_ns.update(check=check, hint=hint, reveal=reveal, progress=progress, ridge=ridge)
    shell.run_cell(line)
    captured = capsys.readouterr()
    shown = (captured.out + captured.err).strip()
    assert words in shown and "\n" not in shown and len(shown) < 260, shown


def test_hint_and_reveal_find_what_was_checked_last():
    check(attainable)
    check(ridge)
    assert "The ridge" in repr(hint()) and "Hint 2" in repr(hint())
    assert "Hint 3" in repr(hint(ridge)) and "The attainable" in repr(hint(attainable))
    assert "The ridge" in repr(reveal()) and "The attainable" in repr(reveal(attainable))
    check(lambda *_: 1 / 0, "roofline.attainable")
    assert "The attainable" in repr(hint())


def test_a_stub_is_no_try_and_what_is_solved_needs_no_hint():
    def stub(*_):
        raise NotImplementedError

    check("roofline.attainable", lambda i, p, b: min(p, b * i))
    for name in checked_exercises(chapters()[2]):  # Run All on a page that has hardly been begun
        check(name, stub)
    assert "The attainable" in repr(hint())
    check("roofline.ridge", lambda t, b: t * 500 / b)
    assert "The attainable" in repr(hint()), "the next open one of the page"
    assert "The ridge" in repr(reveal()), "what was solved last may be compared"


def test_hint_follows_a_wrong_check_of_a_solved_exercise():
    check("roofline.ridge", lambda t, b: t * 500 / b)
    check(ridge)
    assert "The ridge" in repr(hint()) and "Hint 2" in repr(hint())
    check("roofline.ridge", lambda t, b: t * 500 / b)
    assert "The ridge" not in repr(hint()), "right again: the next open one"


def test_hint_without_unsolved_exercises_says_so():
    for name in exercises():
        if name.startswith("storage."):
            journal.attempt(name, "correct", True)
    current_page.record_check("storage.days")
    said = repr(hint())
    assert "Every exercise of this page is solved" in said and 'hint("storage.days")' in said and "roofline" not in said
    assert "Hint 1" in repr(hint("storage.days"))


def test_the_page_and_the_record_tell_after_a_restart(monkeypatch):
    check(ridge)
    current_page.record_check("")
    monkeypatch.setenv("JPY_SESSION_NAME", "course/03_roofline.ipynb")
    assert "The ridge" in repr(hint())
    monkeypatch.setenv("JPY_SESSION_NAME", "course/01_machine.ipynb")
    assert exercise("machine.lost_work").title in repr(hint())
    for name in ("my_labs/03_roofline/03_roofline.ipynb", "my_labs/03_roofline/lab_03_roofline.ipynb"):
        monkeypatch.setenv("JPY_SESSION_NAME", name)
        assert exercise("lab.roofline.shortest_time").title in repr(hint())


def test_removed_exercise_gets_a_card_and_keeps_its_record(monkeypatch, tmp_path):
    monkeypatch.setattr(renamed, "CUT", frozenset({"roofline.gone"}))
    monkeypatch.setattr("autograder.exercises.CUT", frozenset({"roofline.gone"}))
    entry = {"attempts": 3, "solved": True, "hints": 1, "revealed": False, "when": "2026-01-01T00:00:00+00:00"}
    journal.attempt("roofline.ridge", "wrong", False)
    record = journal.read()
    record["exercises"]["roofline.gone"] = entry
    journal.path().write_text(json.dumps(record))

    def gone():
        return 1

    for card in (check("roofline.gone", gone), check(gone), hint("roofline.gone"), reveal("roofline.gone")):
        assert "no longer part of the course" in repr(card) and "c2c-help" in card._repr_html_()
    monkeypatch.setenv("JPY_SESSION_NAME", "course/03_roofline.ipynb")
    assert "The ridge" in repr(hint())
    for shown in (progress("roofline"), progress("all")):
        assert "gone" not in repr(shown) + shown._repr_html_() and "0 of" in shown.summary
    progress(export_to=tmp_path / "mine.json")
    monkeypatch.setenv("CHIP2CLUSTER_HOME", str(tmp_path / "elsewhere"))
    progress(import_from=tmp_path / "mine.json")
    assert journal.read()["exercises"]["roofline.gone"] == entry


def test_a_cut_exercise_is_not_asked_under_its_old_id():
    for name in renamed.CUT - set(exercises()):
        assert "no longer part of the course" in repr(check(name, abs))


@pytest.mark.parametrize("page", chapters(), ids=topic)
def test_every_solution_runs_when_pasted_into_its_page(page):
    """Run a solution after the notebook's set-up cell, where a learner pastes it."""
    cells = json.loads(page.read_text(encoding="utf-8"))["cells"]
    setup = next("".join(cell["source"]) for cell in cells if cell["id"] == "setup")
    pasted: dict = {}
    for name in checked_exercises(page):
        pasted = {}
        exec(setup, pasted)
        exec(solution_card(personal_exercise(name)).code, pasted)
        found = check(name, pasted[exercise(name).function_name])
        assert found.correct, found


def test_a_terminal_shows_the_solution_last_and_no_other_source():
    code = "from autograder import reveal; print(repr(reveal('roofline.ridge')))"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    pasted = shown[shown.index("\n\n") :]
    space: dict = {}
    exec(pasted, space)
    assert check("roofline.ridge", space["ridge"]).correct and pasted.count("def ") == 1
