"""The page on scheduling: its recipes are read by the linter that it teaches, and its evidence is that of the exercise."""

import json
import re
from pathlib import Path

from autograder.checking.judge import grade_outcomes
from autograder.checking.outcome import value_outcome
from autograder.exercises import exercise
from chip2cluster import measure, predict, scheduling

PAGE = Path(__file__).resolve().parents[2] / "course/13_scheduling.ipynb"
CELLS = {cell["id"]: "".join(cell["source"]) for cell in json.loads(PAGE.read_text(encoding="utf-8"))["cells"]}


def scripts(text):
    return [block for block in re.findall(r"```bash\n(.*?)```", text, re.S) if block.startswith("#!")]


def test_the_recipes_of_the_page_pass_its_linter():
    recipes = scripts(CELLS["recipes-mended"]) + scripts(CELLS["spot-trap"])
    assert len(recipes) > 5
    for recipe in recipes:
        assert scheduling.lint_script(recipe) == (), recipe


def test_template_has_the_mistakes_that_the_page_describes():
    template = re.search(r'r"""(.*?)"""', CELLS["recipes-found"], re.S)[1]
    rules = {slip.rule for slip in scheduling.lint_script(template)}
    assert rules == {"delayed trap", "unset SLURM_TMPDIR", "two launchers", "step ends early"}


def test_the_evidence_on_the_page_is_the_first_case():
    case = exercise("scheduling.post_mortem").visible_cases[0]
    sacct, logs = re.search(r"```text\n(.*?)```", CELLS["ex-post-mortem"], re.S)[1].split("\n\n")
    assert measure.read_sacct(sacct) == measure.read_sacct(case.inputs["sacct"])
    given = "".join(case.inputs["ranks"])
    assert all(line in given for line in logs.strip().splitlines())
    assert exercise("scheduling.post_mortem").expected(case) == "slow rank"


def test_the_first_case_of_easy_is_the_one_that_the_page_works():
    task = exercise("scheduling.easy")
    case = task.visible_cases[0]
    assert case.inputs["free"] == 3 and task.expected(case).tolist() == [0, 1, 1]
    assert case.inputs["running"] == [[4, 60], [1, 180]] and case.inputs["queue"] == [
        [6, 60],
        [2, 60],
        [1, 180],
    ]


def test_wrong_diagnosis_shows_the_evidence_of_each_rank():
    """Of a screen of log the message shows what the table asks for, and where all of it is; the page's run as it stands there."""
    task = exercise("scheduling.post_mortem")
    case = task.visible_cases[0]
    verdict = grade_outcomes(task, [case], [value_outcome("data" if case.inputs["ranks"] else "")])
    logs = verdict.lines()[1]
    assert logs[0] == "for ranks" and '_.case.inputs["ranks"]' in logs[1]
    shares = [float(re.search(r"all-reduce ([\d.]+) %", line)[1]) for line in logs[1].splitlines()[2:]]
    assert len(shares) == 4 and min(shares) == shares[2] < 3 and verdict.case is case


def test_slide_of_the_first_prediction_asks_its_question():
    """One wording: the job that is never delayed has a name, so nobody takes it for his own."""
    cells = json.loads(PAGE.read_text(encoding="utf-8"))["cells"]
    slide = next(cell["metadata"]["slide"]["text"] for cell in cells if cell["id"] == "predict-start")
    (question,) = (one for one in predict.QUESTIONS if one.id == "scheduling.start")
    assert slide == question.text and "Nothing may delay A. Yours is next" in slide
    assert question.truth() == 10
