"""`autograder new` in a copy of the course: a chapter is added, renumbered and removed; an explorer and a picture are added.

The skeletons of the chapter come first, and the doctor refuses them as long as they are empty. Then they are filled in,
and the structure tests, the doctor, the lab's release and the book find the chapter, its explorer, its prediction, its
exercise and its lab. Then the chapter gets another number, and at last it is removed. Explorers and pictures work at
once: their tests pass, and the doctor says what to fill in.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from autograder.course_pages import chapters, number
from autograder.scaffold import MARK, unfilled

ROOT = Path(__file__).resolve().parents[2]
TOPIC = "journey"
NUMBER = number(chapters()[-1]) + 1
STEM, MOVED = f"{NUMBER:02d}_{TOPIC}", f"{NUMBER + 10:02d}_{TOPIC}"
PAGE, LAB = f"course/{STEM}.ipynb", f"solutions/{STEM}/lab_{STEM}.ipynb"
CHAPTER = f"course/chip2cluster/chapters/{TOPIC}"
VIEW, QUESTIONS, GOALS = f"{CHAPTER}/explorers/{TOPIC}.py", f"{CHAPTER}/predictions.py", f"{CHAPTER}/goals.toml"
VIEW_TEST = f"tests/notebooks/test_explore_{TOPIC}.py"
EXERCISE, TASK = f"{CHAPTER}/exercises/first.py", f"{CHAPTER}/lab/first.py"
NOTES, RUBRIC = f"solutions/{STEM}/INSTRUCTOR.md", f"solutions/{STEM}/answer.rubric.toml"
SKELETONS = (PAGE, VIEW, QUESTIONS, EXERCISE, GOALS, LAB, NOTES, RUBRIC, TASK)
GIVEN = {"2 GB/s": {"given": "an example"}, "5 µs": {"given": "an example"}}

HEADER = "*difficulty ●○○○○ · importance ●●●●● · 5 minutes*"
CELLS = {
    PAGE: {
        "title": f"# {NUMBER} · The journey: how long is a message on its way?\n\n<details><summary>5 minutes to read, 5 for the exercises: goals, and what you need</summary>\n\n**Goals.** You can tell.\n\n**Time.** 5 minutes to read, and 5 minutes for the exercise.\n\n**You need.** Nothing.\n\n</details>",
        "question": "## The question\n\nA wire takes 2 GB/s, and the first byte needs 5 µs. How long does a message take?",
        "answer": "Longer than its bytes say.",
        "explore": "## Explore\n\n1. Make the message larger.",
        "explore-found": "What you should have seen: small messages take as long as none.",
        "derive": f"## Derive\n\n$$ \\text{{time}} = \\text{{latency}} + \\frac{{\\text{{size}}}}{{\\text{{bandwidth}}}} \\tag{{{NUMBER}.1}} $$",
        "ex-first": f"### Exercise 1 · On its way\n\n{HEADER}\n\nReturn the seconds that `size` bytes take.",
        "spot": "> **Spot the error.** *Bytes over bandwidth is the time.* What is missing?",
        "takeaway": "> **Takeaway.** Time is latency and size over bandwidth.",
        "sources": "> **Sources.**\n> - R. Hockney, *The communication challenge for MPP: Intel Paragon and Meiko CS-2*, 1994.",
    },
    LAB: {
        "title": "# Lab: a message\n\n*You need: this chapter · Time: about 10 minutes*\n\nOne function, one question.",
        "task-first": f"## 1 · On its way\n\n{HEADER}\n\nReturn the seconds that `size` bytes take at 2 GB/s after 5 µs.",
        "first": "def first(size):\n    ### BEGIN SOLUTION\n    return size / 2e9 + 5e-6\n    ### END SOLUTION",
        "question": "**Which wire would you take?** *(read by a person)*",
        "answer": "*Model answer.* The shorter one.",
    },
}
EXERCISE_TEXT = '''"""A message on its way."""

from chip2cluster import links
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake, Mutant


def _numbers(generator):
    return [{{"size": float(size)}} for size in generator.uniform(1e3, 1e5, 5)]


def _seconds(size):
    return links.transfer_time(size, 2e9, 5e-6)


FIRST = Exercise(
    id="{id}",
    title="On its way",
    signature="first(size)",
    unit="s",
    points=2,
    graded={graded},
    reference=_seconds,
    groups=(Group("numbers", 1.0, _numbers),),
    hints=("Two things take time.", "One does not depend on the size.", "Add them up."),
    solution="""
def first(size):
    return size / 2e9 + 5e-6
""",
    explanation="The first byte takes the latency, and each byte its turn.",
    mistakes=(
        Mistake("no latency", lambda size: size / 2e9, "You left out the latency."),
        Mistake("latency for each byte", lambda size: size * 5e-6, "You counted the latency for every byte."),
        Mistake("seconds", lambda size: size / 2e9 + 5, "You took microseconds for seconds."),
    ),
    mutants=(
        Mutant("def first(size):\\n    return 1.0", v.REFUSED, "whatever it is asked"),
    ),
)
'''
QUESTIONS_TEXT = f'''"""Questions on a message on its way."""

from chip2cluster import links
from chip2cluster.predict.question import Question

QUESTIONS = (
    Question(
        "{TOPIC}.first", "A wire takes 2 GB/s and the first byte 5 µs. How long does 1 MB take?", "µs",
        lambda: 1e6 * links.transfer_time(1e6, 2e9, 5e-6), lambda truth: "The bytes take longest.",
    ),
)  # fmt: skip
'''
VIEW_TEXT = '''"""Explorer of a message on its way."""

from functools import partial

from chip2cluster import draw, links
from chip2cluster.explore.base import Explorer
from chip2cluster.explore.controls import Slider
from chip2cluster.explore.frame import Column, Frame, Table
from chip2cluster.explore.static_states import Strip


class Journey(Explorer):
    """Send a message of some size over a wire.

    Parameters
    ----------
    size : int
        The message, in bytes.

    Examples
    --------
    >>> from chip2cluster import explore
    >>> explore.journey(10**4).table[0]["time (µs)"]
    10.0
    """

    title = "A message on its way"
    controls = (Slider(name="size", label="Message", unit="bytes", default=10**6, options=(10**4, 10**6, 10**8)),)
    strip = Strip("size")

    def frame(self, values):
        wire = partial(links.transfer_time, bandwidth_one_way=2e9, latency=5e-6)
        time = 1e6 * wire(float(values["size"]))
        title = f"{time:,.0f} µs on its way"
        picture = draw.message_times([draw.Curve("a wire", wire)], float(values["size"]), title=title)
        columns = Column("message", "bytes", "{:,}".format), Column("time", "µs", "{:,.0f}".format)
        return Frame(picture, Table("a wire", columns, ((values["size"], time),)), f"The message is {title}.")
'''
GOALS_TEXT = """
needs = []
helps = []
aside = []
goals = [{ id = "tell", from = "tell", taught = ["explore", "derive"], exercises = ["first"], lab = ["task-first"] }]
"""
NOTES_TEXT = "# For instructors\n\nOne task, one question: 6 points for a reason.\n"


# What a chapter must pass, apart from its own tests.
STRUCTURE = (
    *(f"tests/notebooks/{name}.py" for name in ("test_notebooks", "test_reference", "test_claims", "test_predict")),
    "tests/notebooks/test_running.py::test_first_code_cell_is_imports_with_folded_help_above",
    "tests/book/test_filmstrips.py::test_every_explorer_of_a_chapter_has_a_strip",
    "tests/test_repository.py::test_imports_run_down_only",
    *(f"tests/exercises/{name}.py" for name in ("test_contents", "test_discovery")),
    VIEW,
    VIEW_TEST,
)
PAGES = """
import sys
from course.publish.book import execute
execute.pages("pages", jobs=1, only={sys.argv[1], "00_start"})
"""
LAST = """
from chip2cluster import _pages
from course.teaching import goals
print([*_pages.chapters().values()][-1].stem, *goals.problems(), sep="\\n", end="")
"""
GONE = f"""
from autograder.exercises import exercises
from autograder.doctor.content_lint import content_problems
from chip2cluster import explore, predict
from course.teaching import goals
left = [name for name in (*exercises(), *explore.explorers(), *predict.questions.topics()) if {TOPIC!r} in name]
print(*content_problems(), *left, *goals.problems(), sep="\\n", end="")
"""
SITE = """
from course.publish.book import build
build.build("site", executed="pages")
"""


# The book makes a site of what it is given, whichever chapters that are.
@pytest.mark.parametrize("built", [False, pytest.param(True, marks=pytest.mark.prove)])
def test_chapter_is_added_renumbered_and_removed(built, tmp_path):
    before = copied(tmp_path)
    for kind in ("chapter", "lab"):
        done = autograder(tmp_path, "new", kind, TOPIC)
        assert done.returncode == 0, done.stderr
    done = autograder(tmp_path, "doctor")
    refused = [line for line in done.stdout.splitlines() if MARK in line]
    assert done.returncode == 1 and sorted(line.split()[0] for line in refused) == sorted(SKELETONS), done.stdout
    assert done.stdout.splitlines() == [
        f"solutions/{STEM} is a lab, and labs/{STEM}/lab_{STEM}.ipynb does not exist: run `autograder generate-labs`",
        f"{LAB} sets 'task-first', which no goal lists: add it to `lab` of a goal in {GOALS}",
        *refused,
    ]

    fill(tmp_path)
    release(tmp_path, STEM)
    # The other pages and questions are as they were, and the labs have just been written.
    others = "".join(f" and not {page.stem}" for page in chapters())
    new = f"(not proved_claim or {STEM}) and (not nothing_of_the_answer or {TOPIC}.first)"
    chosen = f"{new} and not in_step{others}"
    done = run(tmp_path, "-m", "pytest", "-q", "-p", "no:xdist", "-p", "no:cacheprovider", "-k", chosen, *STRUCTURE)
    assert done.returncode == 0, done.stdout
    done = run(tmp_path, "-c", PAGES, STEM)
    assert done.returncode == 0, done.stderr
    page, front = shown(tmp_path / f"pages/{STEM}.ipynb"), shown(tmp_path / "pages/00_start.ipynb")
    if built:
        done = run(tmp_path, "-c", SITE)
        assert done.returncode == 0, done.stderr
        page, front = ((tmp_path / f"site/{name}.html").read_text(encoding="utf-8") for name in (STEM, "index"))
    assert f'data-filmstrip="_static/filmstrips/{TOPIC}.' in page
    assert f'data-prediction="{TOPIC}.first"' in page and f'data-exercise="{TOPIC}.first"' in page
    assert f'<a href="{STEM}.html"><strong>The journey</strong></a>' in front and "How long is a message" in front

    renumber(tmp_path)
    release(tmp_path, MOVED)
    done = run(tmp_path, "-c", LAST)
    assert (done.returncode, done.stdout) == (0, MOVED), done.stdout + done.stderr
    for place in (CHAPTER, f"solutions/{MOVED}", f"labs/{MOVED}"):
        shutil.rmtree(tmp_path / place)
    for name in (f"course/{MOVED}.ipynb", VIEW_TEST):
        (tmp_path / name).unlink()
    done = run(tmp_path, "-c", GONE)
    assert done.returncode == 0 and done.stdout == "", done.stdout + done.stderr
    made = (*tmp_path.glob("course/**/*"), *tmp_path.glob("labs/**/*"), *tmp_path.glob("solutions/**/*"))
    assert [file for file in made if TOPIC in file.name] == []
    assert {name: (tmp_path / name).read_bytes() for name in before} == before


# What an explorer and a picture must pass, apart from their own tests.
STRUCTURE_OF_VIEWS = (
    "tests/notebooks/test_notebooks.py",
    "tests/book/test_filmstrips.py::test_every_explorer_of_a_chapter_has_a_strip",
    "tests/exercises/test_discovery.py::test_every_explorer_is_known_by_its_file_and_by_its_class",
    "tests/models/test_every_name.py",
    "tests/test_repository.py::test_imports_run_down_only",
)
LAID_OUT = """
from chip2cluster import explore
from tests.pictures import layout
print(*(problem for one in layout.laid_out(explore.neap(), dict)["states"].values() for problem in one["problems"]))
"""


def test_new_explorer_and_picture_pass_the_tests_at_once(tmp_path):
    copied(tmp_path)
    view, picture = (
        "course/chip2cluster/chapters/links/explorers/neap.py",
        "course/chip2cluster/draw/pictures/neap_tide.py",
    )
    tests = "tests/notebooks/test_explore_neap.py", "tests/models/test_draw_neap_tide.py"
    page = next(page.name for page in chapters() if page.stem.endswith("_links"))
    done = autograder(tmp_path, "new", "explorer", "links.neap")
    assert done.stdout.splitlines() == [f"new   {view}", f"new   {tests[0]}", f"grown course/{page}"], done.stderr
    done = autograder(tmp_path, "new", "picture", "neap_tide")
    assert done.stdout.splitlines() == [f"new   {picture}", f"new   {tests[1]}"], done.stderr
    done = autograder(tmp_path, "doctor", "links")
    assert done.returncode == 1
    assert [line.partition(" says ")[0] for line in done.stdout.splitlines()] == [f"course/{page}", view, picture]

    own = (*tests, "--doctest-modules", view, picture)
    done = run(tmp_path, "-m", "pytest", "-q", "-p", "no:xdist", "-p", "no:cacheprovider", *own)
    assert done.returncode == 0, done.stdout
    done = run(tmp_path, "-m", "pytest", "-q", "-p", "no:xdist", "-p", "no:cacheprovider", *STRUCTURE_OF_VIEWS)
    assert done.returncode == 0, done.stdout
    done = run(tmp_path, "-c", LAID_OUT)
    assert done.returncode == 0 and done.stdout.strip() == "", done.stdout + done.stderr


def release(place, stem):
    """Release the lab of the new chapter under this name, and have the doctor prove both."""
    done = autograder(place, "generate-labs", stem)
    assert done.returncode == 0 and f"written: {stem}/lab_{stem}.ipynb" in done.stdout, done.stderr
    done = autograder(place, "doctor", TOPIC)
    assert done.returncode == 0 and done.stdout.startswith("All 2 exercises and 1 lab grade as they say; 6 "), (
        done.stdout
    )


def renumber(place):
    """Do what an author does who gives the chapter another number: the page and its lab say it, and nothing else."""
    shutil.rmtree(place / f"labs/{STEM}")
    (place / f"solutions/{STEM}").rename(place / f"solutions/{MOVED}")
    for old, new in (
        (f"solutions/{MOVED}/lab_{STEM}.ipynb", f"solutions/{MOVED}/lab_{MOVED}.ipynb"),
        (PAGE, f"course/{MOVED}.ipynb"),
    ):
        text = (place / old).read_text(encoding="utf-8").replace(STEM, MOVED)
        text = text.replace(f"# {NUMBER} · ", f"# {NUMBER + 10} · ").replace(f"{{{NUMBER}.1}}", f"{{{NUMBER + 10}.1}}")
        (place / new).write_text(text, encoding="utf-8")
        (place / old).unlink()


def shown(page):
    """The HTML that the cells of an executed page put out."""
    cells = nbformat.read(page, as_version=4).cells
    return "".join(out.get("data", {}).get("text/html", "") for cell in cells for out in cell.get("outputs", ()))


def copied(place):
    """Copy the course as it is here, without what git ignores; return the files by name."""
    listed = subprocess.run(
        ["git", "ls-files", "-coz", "--exclude-standard"], cwd=ROOT, capture_output=True, check=True
    )
    names = [name for name in listed.stdout.decode().split("\0") if name and (ROOT / name).is_file()]
    # What is compiled here already need not be compiled there: it goes by the time of its source.
    compiled = [
        file.relative_to(ROOT)
        for folder in {(ROOT / name).parent for name in names if name.endswith(".py")}
        for file in (folder / "__pycache__").glob("*.pyc")
    ]
    for name in (*names, *compiled):
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, place / name)
    return {name: (place / name).read_bytes() for name in names}


def fill(place):
    """Do what an author does with the skeletons."""
    for name, cells in CELLS.items():
        notebook = json.loads((place / name).read_text(encoding="utf-8"))
        for cell in notebook["cells"]:
            if cell["id"] in cells:
                cell["source"] = cells[cell["id"]].splitlines(keepends=True)
                if claims := {claim: proof for claim, proof in GIVEN.items() if claim in cells[cell["id"]]}:
                    cell["metadata"]["claims"] = claims
            if "slide" in cell["metadata"]:
                cell["metadata"]["slide"] |= {"title": f"The journey, {cell['id']}", "text": ""}
        (place / name).write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    texts = {
        VIEW: VIEW_TEXT,
        QUESTIONS: QUESTIONS_TEXT,
        NOTES: NOTES_TEXT,
        RUBRIC: (place / RUBRIC).read_text(encoding="utf-8").replace(MARK, "takes the shorter one"),
        GOALS: GOALS_TEXT,
        EXERCISE: EXERCISE_TEXT.format(id=f"{TOPIC}.first", graded=False),
        TASK: EXERCISE_TEXT.format(id=f"lab.{TOPIC}.first", graded=True),
    }
    for name, text in texts.items():
        (place / name).write_text(text, encoding="utf-8")
    assert {name: unfilled(place / name) for name in SKELETONS} == {name: [] for name in SKELETONS}


def run(place, *command):
    """A Python command in the copy, with the packages that lie there."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(place / "course"), str(place)])}
    return subprocess.run([sys.executable, *command], cwd=place, env=environment, capture_output=True, text=True)


def autograder(place, *arguments):
    return run(place, "-m", "autograder", *arguments)
