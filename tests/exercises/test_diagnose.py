"""Exercise that finds a faulty part: what a learner is shown, and the examples in the notebook."""

import json
import re
from pathlib import Path

import pytest

from autograder import check
from autograder.exercises import exercise
from chip2cluster.chapters.links.exercises.diagnosis import diagnose

PAGE = Path(__file__).parents[2] / "course" / "06_links.ipynb"


pytestmark = pytest.mark.usefixtures("own_record")


def rates(table, log, first=0):
    """The four rates as a learner reads them; ``first`` is the first step that counts."""
    rows = [re.findall(r"^ +\d.*", run, re.M) for run in table.split("sendrecv_perf")]
    inside, outside = (1e9 * float(run[-1].split()[7]) for run in rows)
    found = {"inside": inside, "outside": outside}
    for name, pattern in (("read", r"read (\d+) B in ([\d.]+)"), ("copy", r"read (\d+) B.* ([\d.]+) ms$")):
        steps = re.findall(pattern, log, re.M)[first:]
        found[name] = 1e3 * sum(float(size) for size, _ in steps) / sum(float(ms) for _, ms in steps)
    return found


PARTS = {"inside": "settings", "copy": "PCIe", "outside": "adapter", "read": "drive"}


@pytest.mark.parametrize("order", ["copy inside outside read", "read copy inside outside", "read inside outside copy"])
def test_step_0_is_named_whatever_is_looked_at_first(order):
    """All bytes over all time: with step 0 every node has slow copies and slow reads."""

    def looking(matrix, table, log, healthy):
        found = rates(table, log)
        return next(PARTS[name] for name in order.split() if found[name] < 0.85 * healthy[name])

    verdict = check("links.diagnose", looking)
    assert "Did you count step 0" in verdict.message and verdict.score == 0


def test_a_forgotten_line_is_not_taken_for_step_0():
    """Every rate is a little below what a node that is well reaches."""

    def looking(matrix, table, log, healthy):
        found = rates(table, log, first=1)
        return next((PARTS[name] for name in ("copy", "inside", "outside", "read") if found[name] < healthy[name]), "")

    verdict = check("links.diagnose", looking)
    assert "or forget the 85 %?" in verdict.message and "step 0" not in verdict.heading


def test_the_two_runs_are_shown_whole():
    case = exercise("links.diagnose").visible_cases[0]
    verdict = check("links.diagnose", lambda matrix, table, log, healthy: "settings" if "4" in log else "drive")
    shown = repr(verdict)
    # What takes a screen stands below the answer.
    assert [label for label, _ in verdict.lines()][-4:] == ["you returned", "expected", "for matrix", "for table"]
    assert case.inputs["table"].strip() in shown and case.inputs["matrix"].strip() in shown


def test_the_node_on_the_page_is_well():
    cells = {cell["id"]: "".join(cell["source"]) for cell in json.loads(PAGE.read_text(encoding="utf-8"))["cells"]}
    well = {}
    exec(cells["well-node"], well)
    assert diagnose(*(well[name] for name in ("matrix", "table", "log", "healthy"))) == "nothing"
    found = rates(well["table"], well["log"], first=1)
    assert all(0.85 * rate < found[name] <= rate for name, rate in well["healthy"].items())
