"""The fixtures as folders to work in, and the commands as functions."""

import contextlib
import csv
import io
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(__file__).with_name("data")
LAB = "03_roofline"
NOTEBOOK = f"lab_{LAB}.ipynb"


@dataclass(frozen=True)
class Done:
    """Exit code and output of a command."""

    code: int
    out: str
    err: str


def copied(name, to):
    """Copy a folder of fixtures, with its gradebook as SQLite and its own paths in the notes on collections."""
    folder = Path(shutil.copytree(DATA / name, Path(to) / name))
    for text in folder.rglob("gradebook.sql"):
        with contextlib.closing(sqlite3.connect(text.with_suffix(".db"))) as book:
            book.executescript(text.read_text(encoding="utf-8"))
        text.unlink()
    for file in folder.rglob("batch.json"):
        file.write_text(file.read_text(encoding="utf-8").replace("COURSE", str(folder)), encoding="utf-8")
    return folder


def autograder(*words):
    """Run ``autograder`` in this process."""
    from autograder.__main__ import main

    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main([str(word) for word in words])
        except SystemExit as end:  # argparse
            code = end.code
    return Done(code, out.getvalue(), err.getvalue())


def python(*words, cwd):
    """Run Python in a process of its own."""
    paths = [str(Path(sys.executable).parent), os.environ.get("PATH", "")]
    done = subprocess.run(
        [sys.executable, *map(str, words)],
        cwd=cwd,
        env=os.environ | {"PATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
    )
    return Done(done.returncode, done.stdout, done.stderr)


def read(file):
    """Read JSON, such as a notebook."""
    return json.loads(Path(file).read_text(encoding="utf-8"))


def table(file):
    """Read the rows of a CSV file."""
    with open(file, encoding="utf-8", newline="") as stream:
        return [*csv.reader(stream)]


def sources(notebook):
    """Return the sources of a notebook's cells by id."""
    return {cell["id"]: "".join(cell["source"]) for cell in read(notebook)["cells"]}


def marks(report):
    """Return what a report of ``autograder grade --json`` says in numbers and fixed words, by student."""
    return {
        student: (
            row["status"],
            row["score"],
            row["max_score"],
            {name: (one["score"], one["max_score"], one["verdict"]) for name, one in row["exercises"].items()},
        )
        for student, row in read(report)["students"].items()
    }


def grades(root, lab=LAB):
    """Return the scores in a gradebook: the machine's and a person's mark of each graded cell, by student."""
    query = """
        select student.id, base_cell.name, grade.auto_score, grade.manual_score
        from grade
        join base_cell on base_cell.id = grade.cell_id
        join submitted_notebook on submitted_notebook.id = grade.notebook_id
        join submitted_assignment on submitted_assignment.id = submitted_notebook.assignment_id
        join student on student.id = submitted_assignment.student_id
        join assignment on assignment.id = submitted_assignment.assignment_id
        where assignment.name = ?
    """
    with contextlib.closing(sqlite3.connect(root / "autograder/work/gradebook.db")) as book:
        rows = book.execute(query, [lab]).fetchall()
    return {(student, cell): (by_machine, by_hand) for student, cell, by_machine, by_hand in rows}


def write(file, data):
    """Write JSON, such as a notebook."""
    Path(file).write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
