"""The part of the lab on a real Slurm, run as a reader with root runs it."""

import json
from pathlib import Path

import pandas as pd
import pytest

from course.slurm import missing

LAB = Path(__file__).resolve().parents[2] / "solutions/13_scheduling/lab_13_scheduling.ipynb"


@pytest.mark.skipif(bool(missing()), reason=f"NO SLURM TESTED: {missing()}")
def test_the_simulator_names_each_start_to_a_few_seconds():
    cells = json.loads(LAB.read_text(encoding="utf-8"))["cells"]
    source = "".join(next(cell["source"] for cell in cells if cell["id"] == "real"))
    names = {"pd": pd, "display": lambda table: None}
    exec(source.replace("REAL = False", "REAL = True"), names)
    table = names["beside"].set_index("job")
    assert (table["Slurm starts it (s)"] - table["the simulator (s)"]).abs().max() <= 8
    assert table.loc[3, "Slurm starts it (s)"] < table.loc[2, "Slurm starts it (s)"]
