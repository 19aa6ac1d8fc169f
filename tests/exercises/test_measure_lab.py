"""The lab on one's own machine: its last marks follow from the text that was pasted, whatever machine that was."""

import contextlib
import io
import json
import re
from pathlib import Path

import pytest

from chip2cluster import measure
from chip2cluster.chapters.measure.lab.prediction_ratios import factors
from chip2cluster.chapters.measure.lab.two_regime_fit import two_lines

LAB = Path(__file__).resolve().parents[2] / "solutions/15_measure/lab_15_measure.ipynb"
CELLS = {cell["id"]: "".join(cell["source"]) for cell in json.loads(LAB.read_text(encoding="utf-8"))["cells"]}
ABOVE = ("setup", "quoted", "fit_line", "two_lines", "ring_time", "factors")


def marks(text, answer=CELLS["my_numbers"]):
    """What the cell of one's own numbers earns of three with this text pasted, and the sentence about the text."""
    names = {}
    with contextlib.redirect_stdout(io.StringIO()):
        for name in ABOVE:
            exec(CELLS[name], names)
        exec(CELLS["my-machine"].replace("MY_MACHINE = ''", f"MY_MACHINE = {text!r}"), names)
        exec(answer, names)
        test = CELLS["my_numbers-check"].replace("float(sum(", "score = float(sum(")
        exec(test, names)
    return names["score"], names["said"], names["my_numbers"]()


def text_of(load):
    return measure.machine_text(
        *(measure.recorded(f"mpi {name}, 2 ranks, {load}") for name in ("ping-pong", "all-reduce", "ring"))
    )


def test_recorded_machine_agrees_with_the_handbook():
    score, said, numbers = marks("")
    assert score == 3 and said.startswith("Recorded")
    machine = measure.recorded_machine()
    lines = two_lines(machine.message_bytes, machine.ping_pong)
    library, ring = (
        factors(machine.message_bytes, machine.ping_pong, run, 2) for run in (machine.all_reduce, machine.ring)
    )
    assert numbers == pytest.approx([lines[0], lines[1], lines[4], *library, *ring], rel=5e-3)
    told = LAB.with_name("INSTRUCTOR.md").read_text(encoding="utf-8")
    stated = re.search(r"Library: (\S+) and (\S+)\. Ring: (\S+) and (\S+)\. ", told).groups()
    assert [float(number) for number in stated] == pytest.approx(numbers[3:], rel=0.02)


@pytest.mark.parametrize("load", ["loaded", "overloaded"])
def test_another_machine_gives_other_numbers_and_the_same_points(load):
    score, said, numbers = marks(text_of(load))
    assert score == 3 and said.startswith("Your own") and numbers != marks("")[2]


@pytest.mark.parametrize("text", ["{", text_of("loaded")[:-9], text_of("loaded").replace("[8,", "[-8,")])
def test_a_text_that_is_refused_leaves_the_recorded_machine(text):
    score, said, numbers = marks(text)
    assert score == 3 and "was rejected" in said and numbers == marks("")[2]


def test_numbers_of_another_machine_earn_nothing():
    copied = f"def my_numbers():\n    return {marks('')[2]}"
    assert marks(text_of("overloaded"), copied)[0] == 0
    half = CELLS["my_numbers"].replace("machine.ring", "machine.all_reduce")
    assert marks("", half)[0] == 2


def test_the_page_measures_nothing_unless_it_is_told_to():
    assert CELLS["measure-here"].startswith("MEASURE = False") and "if MEASURE:" in CELLS["measure-here"]
