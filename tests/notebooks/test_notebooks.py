"""The notebooks as files: clean, complete, in step with what they are made from."""

import json
import re
import subprocess
import sys
from pathlib import Path

from autograder.exercises import exercises
from autograder.grading.gradebook.release import RELEASE_STAMP, edited_notebooks, fingerprint
from tests.tables import every_row

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted(
    file
    for folder in ("course", "solutions", "labs")
    for file in (ROOT / folder).rglob("*.ipynb")
    if ".ipynb_checkpoints" not in file.parts
)
LEVEL = "(●+○*)"  # of five


def load(file):
    return json.loads(file.read_text(encoding="utf-8"))


@every_row("file", NOTEBOOKS)
def test_notebook_is_clean(file):
    notebook = load(file)
    assert notebook["metadata"]["kernelspec"]["name"] == "python3"
    ids = [cell["id"] for cell in notebook["cells"]]
    assert len(ids) == len(set(ids)) and all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name) for name in ids)
    for cell in notebook["cells"]:
        text = "".join(cell["source"])
        assert not re.search(r"/home/|/root/|/Users/|https?://localhost", text)
        # Nothing is fetched by running a page; how to install it is said once, above its first code.
        assert "pip install" not in text or (cell["id"], cell["cell_type"]) == ("setup-fails", "markdown")
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [] and cell["execution_count"] is None


def test_links_between_pages_lead_somewhere():
    for file in NOTEBOOKS:
        for cell in load(file)["cells"]:
            for target in re.findall(r"\]\(([^)#:]+\.(?:ipynb|md))\)", "".join(cell["source"])):
                assert (file.parent / target).exists(), f"{file.name} links to {target}"


def test_every_exercise_stands_on_a_page_and_every_check_exists():
    mentioned = set()
    for file in NOTEBOOKS:
        text = "".join("".join(cell["source"]) for cell in load(file)["cells"])
        mentioned |= set(re.findall(r'check\("([\w.]+)"', text))
    assert mentioned == set(exercises())


def test_headers_and_stubs_of_a_page_agree_with_the_exercise():
    for file in NOTEBOOKS:
        cells = load(file)["cells"]
        for position, cell in enumerate(cells):
            checked = re.match(r'check\("([\w.]+)"', "".join(cell["source"]))
            if not checked or file.name.startswith("00"):
                continue
            exercise = exercises()[checked.group(1)]
            header = next("".join(c["source"]) for c in reversed(cells[:position]) if c["cell_type"] == "markdown")
            line = re.search(
                rf"^\*difficulty {LEVEL} · importance {LEVEL} · [1-9]\d? minutes?( · \S+ points?)?\*$", header, re.M
            )
            assert line and all(len(level) == 5 for level in line.groups()[:2]), f"{file.name}: {header}"
            # What a task is worth is written into a lab at its release, and by hand nowhere.
            points = f" · {exercise.points:g} point{'s' * (exercise.points != 1)}"
            assert line[3] == (points if "labs" in file.parts else None)
            assert exercise.title in header
            # Several tasks may look at one answer: then the function stands above the first of them.
            above = ("".join(c["source"]) for c in reversed(cells[:position]) if c["cell_type"] == "code")
            stub = next(source for source in above if not source.startswith("check("))
            assert f"def {exercise.signature}:" in stub


def test_labs_give_the_points_of_their_exercises():
    for file in sorted((ROOT / "solutions").glob("*/*.ipynb")):
        for cell in load(file)["cells"]:
            awarded = re.search(r'award\("([\w.]+)"', "".join(cell["source"]))
            if awarded:
                assert cell["metadata"]["nbgrader"]["points"] == exercises()[awarded.group(1)].points


def test_a_lab_says_at_its_top_what_it_is_worth():
    for file in sorted((ROOT / "labs").glob("*/*.ipynb")):
        title, *cells = load(file)["cells"]
        marked = [cell["metadata"]["nbgrader"] for cell in cells if cell["metadata"].get("nbgrader", {}).get("grade")]
        by_machine = sum(marks["points"] for marks in marked if not marks["solution"])
        by_hand = sum(marks["points"] for marks in marked if marks["solution"])
        worth = f"{by_machine + by_hand:g} points, {by_machine:g} of them marked by machine and {by_hand:g} by hand"
        assert worth in "".join(title["source"])
        questions = [cell for cell in cells if "read by a person)" in "".join(cell["source"])]
        assert len(questions) == 1 and f"*({by_hand:g} points, read by a person)*" in "".join(questions[0]["source"])


def test_labs_are_in_step_with_solutions():
    done = subprocess.run(
        [sys.executable, "-m", "autograder", "generate-labs", "--check"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, f"run `make labs`: {done.stdout}{done.stderr}"


def test_released_labs_hold_no_answers():
    private = ("BEGIN SOLUTION", "BEGIN HIDDEN", "award(", "Model answer")
    written = "".join(file.read_text(encoding="utf-8") for file in (ROOT / "solutions").glob("*/*.ipynb"))
    assert all(words in written for words in private) and [*(ROOT / "solutions").glob("*/INSTRUCTOR.md")]
    for file in sorted((ROOT / "labs").rglob("*")):
        assert file.name != "INSTRUCTOR.md"
        if file.suffix == ".ipynb":
            text = file.read_text(encoding="utf-8")
            assert [words for words in private if words in text] == [], file
            assert load(file)["metadata"][RELEASE_STAMP] == fingerprint(load(file))
    assert edited_notebooks(ROOT / "labs") == []
