"""A chapter's notebook in a browser that has no NumPy: set-up, check, given, hint, reveal, progress.

The lab in the browser holds recorded exercises. Here Python refuses NumPy and what is built on it.
"""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from autograder import course_pages
from autograder.exercises import exercises
from course.publish.book.live_exercises import needs_numpy
from course.publish.lite import records

# Where the set-up cell ends with the import of a library for tables; all names before it are there.
SETUPS_THAT_END_EARLY = {
    "links": "pandas",
    "collectives": "numpy",
    "mfu": "pandas",
    "parallelism": "numpy",
    "serving": "pandas",
    "storage": "numpy",
    "scheduling": "pandas",
    "economics": "numpy",
    "measure": "numpy",
    "design": "numpy",
}
# Exercises that remain, because an input is a NumPy array, or because the solution imports NumPy or a model that does.
ARRAYS = """
roofline.attainable roofline.sweep systolic.step links.effective collectives.ring_all_reduce
collectives.exposed collectives.enough_tokens bisection.hashed bisection.blame_range bisection.uplinks
mfu.interval mfu.measure_first parallelism.mlp_parallel parallelism.inside parallelism.largest_tensor
serving.waits serving.pools storage.days scheduling.factors scheduling.runs
economics.break_even economics.greenest economics.grid measure.typical measure.median_interval
measure.fit measure.ring_all_reduce measure.late_rank measure.diagnose measure.triage
measure.trace_costs design.between design.worth design.remedy
"""
IMPORTS = "mfu.diagnose serving.diagnose storage.diagnose scheduling.post_mortem design.days"
PAGE = """
import json, sys
from pathlib import Path
REFUSED = ("numpy", "pandas", "matplotlib", "networkx", "scipy")
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in REFUSED:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name.partition(".")[0])
sys.meta_path.insert(0, Refuse())
given_ = json.load(sys.stdin)
from autograder.exercises import recorded
recorded.FOLDER = Path(given_["records"])
told = {}
for topic, page in given_["pages"].items():
    names, ended = {"__name__": "__main__"}, ""
    try:
        exec(page["setup"], names)
    except ModuleNotFoundError as problem:
        ended = problem.name
    check, hint, reveal, progress = (names[name] for name in ("check", "hint", "reveal", "progress"))
    verdicts = {}
    for name in page["exercises"]:
        before = dict(names)
        if name.endswith(".critique"):
            card = names["given"](name)
            assert card.critique.right() and "<pre" in card._repr_html_()
        helped = hint(name)
        solution = reveal(name)
        exec(solution.code, before)
        exec(page["stubs"][name], names_of_stub := {})
        function = page["functions"][name]
        verdicts[name] = [
            check(name, names_of_stub[function]).verdict,
            check(name, before[function]).verdict,
            repr(helped).partition(" ")[0],
            bool(solution._repr_html_()),
        ]
    shown = progress(topic)
    told[topic] = {"ended": ended, "verdicts": verdicts, "progress": shown._repr_html_()}
assert not {"numpy", "pandas"} & {*sys.modules}
print(json.dumps(told))
"""


def pages():
    return {course_pages.topic(page): page for page in course_pages.chapters()}


def setup(page):
    return next("".join(cell["source"]) for cell in course_pages.cells(page) if cell["id"] == "setup")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The records as the lab in the browser holds them."""
    folder = tmp_path_factory.mktemp("records")
    for name, text in records.texts().items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def told(folder, tmp_path_factory):
    """Return what a Python without NumPy says about each page, by topic."""
    known = exercises()
    asked = {
        topic: {
            "setup": setup(page),
            "exercises": (
                mine := [name for name in course_pages.checked_exercises(page) if not needs_numpy(known[name])]
            ),
            "stubs": {name: known[name].stub for name in mine},
            "functions": {name: known[name].function_name for name in mine},
        }
        for topic, page in pages().items()
    }
    done = subprocess.run(
        [sys.executable, "-c", PAGE],
        input=json.dumps({"records": str(folder), "pages": asked}),
        capture_output=True,
        text=True,
        env={**os.environ, "CHIP2CLUSTER_HOME": str(tmp_path_factory.mktemp("home"))},
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("topic", pages())
def test_page_checks_its_exercises_without_numpy(told, topic):
    assert told[topic]["verdicts"]
    for name, found in told[topic]["verdicts"].items():
        assert found == ["not written yet", "correct", "Hint", True], name


@pytest.mark.parametrize("topic", pages())
def test_progress_of_a_page_is_shown_without_numpy(told, topic):
    solved, mine = len(told[topic]["verdicts"]), [one for one in exercises() if one.startswith(f"{topic}.")]
    assert f"{solved} of {len(mine)} solved" in told[topic]["progress"]


def test_set_up_cells_that_need_a_library_are_known(told):
    assert {topic: found["ended"] for topic, found in told.items() if found["ended"]} == SETUPS_THAT_END_EARLY


def test_exercises_that_remain_are_known():
    left = {one.id: one for one in exercises().values() if not one.graded and needs_numpy(one)}
    held = {
        name: {type(value) for case in one.visible_cases for value in case.inputs.values()}
        for name, one in left.items()
    }
    assert {name for name, kinds in held.items() if np.ndarray in kinds} == {*ARRAYS.split()}
    assert {name for name, kinds in held.items() if np.ndarray not in kinds} == {*IMPORTS.split()}
