"""The folder of a student in a class."""

import shutil
import zipfile

from making import CHECKOUT, FILE, LAB, Place, answered, read, write

STUDENT = """
import numpy as np

from autograder import check, given, hint, progress, reveal
from chip2cluster import journal

journal.predict("roofline.faster_chip", 1.5)
journal.predict("roofline.batch_for_ridge", 300)
journal.predict("roofline.fused_attention", 4)
journal.note("roofline.explore", "The ridge moves to the right with each generation.")
check("roofline.attainable", lambda intensity, peak_flops, memory_bandwidth: peak_flops)
hint("roofline.attainable")
check("roofline.attainable", lambda intensity, peak_flops, memory_bandwidth: np.minimum(peak_flops, intensity * memory_bandwidth))
check("roofline.ridge", lambda sparse_tflops, bandwidth_gbytes: 1000 * sparse_tflops / bandwidth_gbytes)
reveal("roofline.sweep")
check("lab.roofline.shortest_time", lambda flops, bytes_moved, peak_flops, memory_bandwidth: flops / peak_flops)
"""

TEXTS = """
from pathlib import Path
from chip2cluster import capstone, measure
from chip2cluster.parallelism import Layout

design = capstone.Design(chip="H100 SXM", nodes=16, spares=1, layout=Layout(tensor=8, data=16))
Path("design.json").write_text(capstone.to_text(design, mfu=0.4, days=30) + chr(10), encoding="utf-8")
runs = [measure.recorded(f"mpi {name}, 2 ranks, quiet") for name in ("ping-pong", "all-reduce", "ring")]
Path("machine.json").write_text(measure.machine_text(*runs) + chr(10), encoding="utf-8")
"""

EXPORTS = """
import json
from autograder import given, progress

progress("all", export_to="my-progress.json", share_to="journal.json")
print(json.dumps({"lab.roofline.own_chip": given("lab.roofline.own_chip")}, indent=1))
"""
PAGE = {
    "ex-ridge-answer": "def ridge(sparse_tflops, bandwidth_gbytes):\n    return 1000 * sparse_tflops / 2 / bandwidth_gbytes",
    "ex-attainable-answer": "def attainable(intensity, peak_flops, memory_bandwidth):\n"
    "    return min(peak_flops, intensity * memory_bandwidth)",
}
TASKS = {
    "shortest_time": "def shortest_time(flops, bytes_moved, peak_flops, memory_bandwidth):\n"
    "    return max(flops / peak_flops, bytes_moved / memory_bandwidth)",
    "recommendation": "The H200.",
}
FOUR = {"output_type": "execute_result", "execution_count": 3, "metadata": {}, "data": {"text/plain": "4"}}
MINE = {"cell_type": "code", "id": "mine-1", "metadata": {}, "source": "2 + 2  # mine"}


def student(root, people):
    """A class file and a name, pages with answers, a record, an export, and a journal for the class."""
    here = Place(root)
    _class_file(root, people)
    del here.environment["CHIP2CLUSTER_SECRET"]
    here.environment["CHIP2CLUSTER_HOME"] = str(root / "record")
    here.autograder("me", "ann")
    here.autograder("start", "00_start", LAB, "--from", CHECKOUT, "--to", root)
    page, lab = root / "my_course" / f"{LAB}.ipynb", root / "my_labs" / LAB / FILE
    notebook = answered(page, PAGE)
    (after,) = [place for place, cell in enumerate(notebook["cells"]) if cell["id"] == "ex-ridge-check"]
    notebook["cells"].insert(after + 1, MINE | {"execution_count": 3, "outputs": [FOUR]})
    write(page, notebook)
    write(lab, answered(lab, TASKS))
    here.python("-c", STUDENT)
    here.python("-c", TEXTS)
    (root / "given.json").write_text(here.python("-c", EXPORTS), encoding="utf-8")
    _class_of_five(here, root)


def _class_file(root, people):
    """Take ``class.json`` out of the zip for a class."""
    folder = root.with_name("bundle.scratch")
    Place(CHECKOUT).python("-m", "course.publish", "bundle", "--students", people, folder)
    (bundle,) = folder.glob("*-class.zip")
    with zipfile.ZipFile(bundle) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith("/class.json")]
        (root / "class.json").write_bytes(archive.read(name))
    shutil.rmtree(folder)


def _class_of_five(here, root):
    """Five journals are a class that ``autograder class`` sums up."""
    shared = read(root / "journal.json")
    for number in range(5):
        guesses = {name: one | {"guess": one["guess"] * (1 + number)} for name, one in shared["predictions"].items()}
        journal = shared | {"id": f"{number}{shared['id'][1:]}", "predictions": guesses}
        write(root / "journals" / f"{number}.json", journal)
    here.autograder("class", "--journals", "journals", "--root", CHECKOUT, "--to", "overview.json")
