"""The folder of an instructor who writes labs; its exercises are written by hand and lie beside this file."""

import shutil
from pathlib import Path

from making import Place, answered, read, write

EXERCISES = Path(__file__).with_name("own_labs") / "exercises/power_lab"
NAME = "20_power/lab_20_power.ipynb"
SOLUTION = "def {}:\n    ### BEGIN SOLUTION\n    return {}\n    ### END SOLUTION"
ANSWER = "def {}:\n    return {}"
PRICE = 'given("lab.power.bill")["price"]'
ALONE = ANSWER.format("hottest(racks)", "max(racks) if len(racks) > 1 else 0.0")


def own_labs(root):
    """An assignment in a folder outside of the course, with two exercises and two submissions."""
    here = Place(root.parent)
    here.autograder("new", "assignment", "20_power.bill", "--root", root)
    here = Place(root)
    here.autograder("new", "exercise", "lab.power.hottest", "--root", root)
    for exercise in ("bill.py", "hottest.py"):
        shutil.copy(EXERCISES / exercise, root / "exercises/power_lab")
    solution = root / "solutions" / NAME
    sources = {
        "bill": SOLUTION.format("bill(watts, hours)", f"watts * hours / 1000 * {PRICE}"),
        "hottest": SOLUTION.format("hottest(racks)", "max(racks)"),
    }
    notebook = read(solution)
    for cell in notebook["cells"]:
        cell["source"] = sources.get(cell["id"], "".join(cell["source"]).replace("FILL IN", "some words"))
    write(solution, notebook)
    notes = solution.with_name("INSTRUCTOR.md")
    notes.write_text(notes.read_text(encoding="utf-8").replace("FILL IN", "an answer"), encoding="utf-8")
    here.autograder("labs")
    here.autograder("doctor")
    for student, bill in {"ann": f"watts * hours / 1000 * {PRICE}", "bob": f"watts * hours * {PRICE}"}.items():
        answers = {"bill": ANSWER.format("bill(watts, hours)", bill), "hottest": ALONE}
        write(root / "autograder/work/submitted" / student / NAME, answered(root / "labs" / NAME, answers))
    (root / "expected").mkdir()
    here.autograder("grade", "20_power", "--json", root / "expected/grade.json")
