"""Help policy of graded work: checks, hints and notebooks follow it, and the report counts hints read."""

import copy
import json

import pytest
from nbformat.v4 import new_markdown_cell, new_notebook

from autograder import check, help_policy, hint, reveal
from autograder.__main__ import main
from autograder.exercises import exercise, exercises
from autograder.grading.gradebook.release import DescribeHelpPolicy
from autograder.grading.intake.submission_reader import read_submission
from autograder.grading.lab import load
from autograder.grading.reports.report import build_report
from autograder.grading.result import GRADED, Result
from autograder.grading.submission import hints_read
from autograder.help_policy import HINTS_LINE, LEVELS, HelpPolicy, policy_file
from chip2cluster import journal
from tests.grading.assignments import release
from tests.grading.course import LAB, ROOT, Course

NAME = "lab.roofline.shortest_time"
ADDED = lambda flops, bytes_moved, peak_flops, memory_bandwidth: flops / peak_flops + bytes_moved / memory_bandwidth
RIGHT = lambda flops, bytes_moved, peak_flops, memory_bandwidth: max(flops / peak_flops, bytes_moved / memory_bandwidth)
NOT_HERE = "leave it to you to find out why"


@pytest.fixture
def level(tmp_path, monkeypatch):
    """Write the help policy of the package."""
    monkeypatch.setenv("CHIP2CLUSTER_HOME", str(tmp_path / "record"))
    file = tmp_path / "graded_help.json"
    monkeypatch.setattr(help_policy, "FILE", file)
    return lambda chosen: file.write_text(json.dumps({"all": chosen} if isinstance(chosen, str) else chosen))


def test_default_policy_allows_all_help():
    assert help_policy.policy_for("roofline") == HelpPolicy(mistakes=True, hints=3)


@pytest.mark.parametrize("chosen", LEVELS)
def test_checks_and_hints_follow_the_policy(level, chosen):
    level(chosen)
    said = check(NAME, ADDED)
    named = any(mistake.name == said.mistake for mistake in exercise(NAME).mistakes)
    assert named == (chosen != "off") and (NOT_HERE in repr(said)) == (chosen == "off")
    # The verdict is always shown.
    assert not said.correct and said.case is not None and said.got
    most = int(chosen) if chosen.isdigit() else 0
    assert ("hint()" in said.after) == bool(most)
    cards = [repr(hint(NAME)) for _ in range(4)]
    for number, text in enumerate(exercise(NAME).hints, 1):
        assert (text in cards[-1]) == (number <= most)
    assert ("no hints" in cards[-1]) == (most == 0)
    assert ("helps" in repr(reveal(NAME))) == bool(most)
    assert journal.read()["exercises"][NAME]["hints"] == most
    # Exercises of the chapter are not graded.
    assert [f"Hint {number} of 3" in repr(hint("roofline.ridge")) for number in (1, 2, 3)] == [True] * 3
    assert check(NAME, RIGHT).correct


def test_policy_can_differ_by_lab(level):
    level({"all": "off", "roofline": "1"})
    assert help_policy.policy_for("roofline") == HelpPolicy(mistakes=True, hints=1)
    assert help_policy.policy_for("links") == HelpPolicy(mistakes=False, hints=0)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"all": "4"}', '{"all": 3}', '{"roofline": "1"}'])
def test_damaged_policy_file_is_reported_with_a_remedy(level, text):
    level("3")
    help_policy.FILE.write_text(text)
    with pytest.raises(ValueError, match="autograder help-policy 3"):
        help_policy.policy_for("roofline")


def test_exception_messages_are_not_help(level):
    level("off")
    assert "ZeroDivisionError" in repr(check(NAME, lambda *numbers: 1 / 0))
    assert "return" in repr(check(NAME, lambda flops, bytes_moved, peak_flops, memory_bandwidth: None))


def test_released_labs_have_the_sentences_about_help():
    for file in sorted((ROOT / "solutions").glob("*/lab_*.ipynb")):
        title = "".join(json.loads(file.read_text(encoding="utf-8"))["cells"][0]["source"])
        for chosen, wanted in (
            ("off", "switched off"),
            ("mistakes", "which mistake you made"),
            ("1", "give one hint;"),
            ("2", "two hints;"),
        ):
            said = _said(title, file.parent.name, chosen)
            assert wanted in said and "three hints" not in said
            assert ("which mistake you made" in said) == (chosen != "off")
        assert _said(title, file.parent.name, "3") == title
    own = _said("# Mine\n\nDo it.", "20_mine", "off")
    assert own.startswith("# Mine\n\nDo it.\n\n**Help in this lab.** Hints are switched off")
    assert _said("# Mine", "20_mine", "2").endswith(
        "`hint()` gives up to two hints; solutions of graded work are not shown."
    )


def _said(title, lab, chosen):
    notebook = new_notebook(cells=[new_markdown_cell(title)])
    step = DescribeHelpPolicy()
    step.limits = lambda resources: HelpPolicy(chosen != "off", int(chosen) if chosen.isdigit() else 0)
    step.preprocess(notebook, {"nbgrader": {"assignment": lab}})
    return notebook.cells[0].source


def test_policy_command_changes_the_release(tmp_path, capsys):
    Course(tmp_path)
    (tmp_path / "autograder").mkdir()
    (tmp_path / "autograder/graded_help.json").write_text('{"all": "3"}')
    file, root = policy_file(tmp_path), ["--root", str(tmp_path)]
    assert file.parent == tmp_path / "autograder"
    assert main(["help-policy", "mistakes", *root]) == 0 and "no hints" in capsys.readouterr().out
    assert main(["help-policy", "2", "--labs", "03_roofline, links", *root]) == 0
    assert json.loads(file.read_text()) == {"all": "mistakes", "roofline": "2", "links": "2"}
    capsys.readouterr()
    assert main(["help-policy", *root]) == 0
    assert capsys.readouterr().out.startswith("all labs: mistakes (checks name the mistake; no hints)\nroofline: 2 (")
    assert release(tmp_path, LAB)[0]
    assert "give up to two hints" in "".join(load(tmp_path, LAB).released["cells"][0]["source"])
    for words, sentence in (
        (["4"], "off, mistakes, 1, 2, 3"),
        (["off", "--labs", "99_tides"], "no lab is on 'tides'"),
        (["--labs", "links"], "autograder help-policy LEVEL"),
    ):
        assert main(["help-policy", *words, *root]) == 2 and sentence in capsys.readouterr().err


def test_report_counts_hint_lines(level, tmp_path):
    level("3")
    cards = [hint(NAME), hint(NAME), check(NAME, ADDED), check(NAME, RIGHT)]
    assert [HINTS_LINE.search(repr(card)).groups() for card in cards] == [(NAME, "1"), *[(NAME, "2")] * 3]
    lab = load(ROOT, LAB)
    notebook = copy.deepcopy(lab.released)
    for cell, card in zip([cell for cell in notebook["cells"] if cell["cell_type"] == "code"], cards, strict=False):
        data = {"text/plain": repr(card), "text/html": card._repr_html_()}
        cell["outputs"] = [{"output_type": "execute_result", "data": data, "metadata": {}, "execution_count": 1}]
    counts = []
    for student, handed_in in (("ann", notebook), ("bob", lab.released)):
        folder = tmp_path / student
        folder.mkdir()
        (folder / f"{lab.notebook}.ipynb").write_text(json.dumps(handed_in), encoding="utf-8")
        counts.append(hints_read(read_submission(folder, lab.notebook, lab.released), lab))
    assert counts == [{NAME: 2}, {}]

    results = [Result(LAB, f"s{place}", GRADED, None, hints=read_) for place, read_ in enumerate([*counts, {NAME: 3}])]
    assert Result.from_json(json.loads(json.dumps(results[0].to_json()))).hints == {NAME: 2}
    made = build_report(results, lab)
    assert made.hints.to_dict("records") == [{"exercise": exercise(NAME).title, "students": 2, "hints": 5}]
    for text in (made.text(), made.html()):
        assert "2 of 3 notebooks say that hints were read." in text and "does not prove that no hint was read" in text
    assert "Hints read" not in build_report([Result(LAB, "s", GRADED, None)], lab).html()


def test_forged_hint_lines_count_at_most_all_hints(tmp_path):
    lab = load(ROOT, LAB)
    notebook = copy.deepcopy(lab.released)
    lines = [
        f"Hints read in {NAME}: 9 of 9.",
        "Hints read in lab.tides.moon: 3 of 3.",
        "Hints read in lab." + "a" * 9999 + ": 3 of 3",
    ]
    notebook["cells"][0]["source"] = "\n".join(lines * 100)
    (tmp_path / f"{lab.notebook}.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    assert hints_read(read_submission(tmp_path, lab.notebook, lab.released), lab) == {NAME: 3}


def test_graded_ids_match_the_hints_line():
    for one in exercises().values():
        if one.graded:
            assert HINTS_LINE.search(help_policy.hints_line(one.id, 1, 3)).groups() == (one.id, "1")
