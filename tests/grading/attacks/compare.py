"""What the same files do to stock nbgrader and to this grader, as a table: ``python -m tests.grading.attacks.compare``.

Stock nbgrader runs hostile code with the instructor's rights. Here it does so in a
bubblewrap room of its own, with a copy of the course that it may write to.
"""

import argparse
import os
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

from autograder.grading.submission import grade
from autograder.sandbox import Limits, Sandbox, bubblewrap, bwrap_binary

from . import ATTACKS
from .leaks import MARK
from .model import FULL, LAB, NAME, ROOT, SOLVED, notebook, write

SECONDS = 240
CONFIG = """
c = get_config()
c.CourseDirectory.course_id = "chip2cluster"
c.CourseDirectory.source_directory = "solutions"
c.CourseDirectory.release_directory = "labs"
c.CourseDirectory.ignore = ["INSTRUCTOR.md"]
c.GenerateAssignment.force = True
c.ClearSolutions.code_stub = {"python": "raise NotImplementedError"}
"""
SCORES = """
select student.id, sum(coalesce(grade.manual_score, grade.auto_score, 0)), count(grade.auto_score)
from grade join submitted_notebook on grade.notebook_id = submitted_notebook.id
join submitted_assignment on submitted_notebook.assignment_id = submitted_assignment.id
join student on submitted_assignment.student_id = student.id group by student.id
"""


HEAD = ["| submission | what it tries | stock nbgrader 0.9.6 | here |", "|---|---|---|---|"]
MARKS = "<!-- table -->\n", "<!-- end of table -->"


def main():
    """Run both on every attack and print, or write, the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="only these attacks; in a file the rows of others stay")
    parser.add_argument("--write", type=Path, help="put the table into this Markdown file, between its marks")
    parser.add_argument("--missing", action="store_true", help="only attacks that the file has no row of")
    options = parser.parse_args()
    rows = _rows(options.write) if options.write else {}
    chosen = [attack for attack in ATTACKS if not options.names or attack.name in options.names]
    if options.missing:
        chosen = [attack for attack in chosen if attack.name not in rows]
    with (
        tempfile.TemporaryDirectory() as place,
        Sandbox(LAB, limits=Limits(cell_seconds=5, notebook_seconds=30)) as sandbox,
    ):
        course = _course(Path(place) / "course")
        for attack in chosen:
            rows[attack.name] = (
                f"| {attack.name} | {attack.claim} | {_stock(attack, course)} | {_here(attack, Path(place), sandbox)} |"
            )
            print(rows[attack.name], flush=True)
    if options.write:
        table = "\n".join([*HEAD, *(rows[attack.name] for attack in ATTACKS if attack.name in rows)])
        before, rest = options.write.read_text(encoding="utf-8").split(MARKS[0])
        after = rest.partition(MARKS[1])[2]
        options.write.write_text(f"{before}{MARKS[0]}{table}\n{MARKS[1]}{after}", encoding="utf-8")


def _rows(file):
    """The rows that a file has, by the name of the attack."""
    _, rest = file.read_text(encoding="utf-8").split(MARKS[0])
    lines = rest.partition(MARKS[1])[0].splitlines()[len(HEAD) :]
    return {line.split(" | ")[0].removeprefix("| "): line for line in lines}


def _course(root):
    """A course for stock nbgrader in which Ann's honest lab has been graded."""
    root.mkdir()
    for name in ("solutions", "labs"):
        shutil.copytree(ROOT / name / NAME, root / name / NAME)
    (root / "nbgrader_config.py").write_text(CONFIG)
    honest = root / "submitted" / "ann" / NAME
    honest.mkdir(parents=True)
    write(honest, notebook(base=SOLVED))
    for arguments in (["generate_assignment", NAME], ["autograde", NAME]):
        assert _nbgrader(root, arguments).returncode == 0
    return root


def _stock(attack, clean):
    """What stock nbgrader makes of an attack, in a few words."""
    with tempfile.TemporaryDirectory() as place:
        root = Path(place) / "course"
        shutil.copytree(clean, root)
        folder = root / "submitted" / "mallory" / NAME
        folder.mkdir(parents=True)
        attack.build(folder)
        done = _nbgrader(root, ["autograde", NAME, "--student", "mallory"])
        scores = _scores(root)
        fed_back = done is not None and _nbgrader(root, ["generate_feedback", NAME, "--student", "mallory"]) is not None
        page = root / "feedback" / "mallory" / NAME / f"{NAME}.html"
        text = page.read_text(encoding="utf-8", errors="replace") if fed_back and page.exists() else ""
        found = []
        if done is None:
            found.append(f"still busy after {SECONDS} s, **lost**")
        elif scores.get("mallory") is None or not page.exists():
            found.append("**lost**")
        elif scores["mallory"] > attack.most + 1e-9:
            found.append(f"**{scores['mallory']:g} of {FULL:g} points, {attack.most:g} earned**")
        elif scores["mallory"] < attack.least - 1e-9:
            found.append(f"**{scores['mallory']:g} of {attack.least:g} points that were earned**")
        else:
            found.append(f"{scores['mallory']:g} points")
        if abs((scores.get("ann") or 0) - FULL) > 1e-9:
            found.append("**another student's marks changed**")
        if MARK in text.replace(f"'{MARK}'", "") or "award(" in text:
            found.append("feedback shows what it must not" if MARK in text else "feedback shows the hidden tests")
        if len(text) > 3_000_000:
            found.append(f"{len(text) / 1e6:.0f} MB of feedback")
        return ", ".join(found)


def _here(attack, place, sandbox):
    folder = Path(tempfile.mkdtemp(dir=place)) / NAME
    folder.mkdir()
    attack.build(folder)
    result = grade(folder, "mallory", LAB, sandbox)
    return f"{result.score:g} points, {result.status.replace('_', ' ')}"


def _nbgrader(root, arguments):
    """Run stock nbgrader in a room with the course in it; None when it does not end."""
    (binary, *_), _ = bwrap_binary.find()
    line = bubblewrap.command(
        binary.path, root, [sys.executable, "-m", "nbgrader", *arguments], tmp_bytes=512 << 20, separate=False
    )
    # The course, writable and at its own place, as on an instructor's machine; and the package, which hidden tests import.
    at = line.index("--remount-ro")
    extra = ["--bind", str(root), str(root), "--ro-bind", str(ROOT / "course"), str(ROOT / "course"), "--proc", "/proc"]
    extra += ["--ro-bind", str(ROOT / "autograder"), str(ROOT / "autograder"), "--chdir", str(root)]
    for name, value in {
        "PYTHONPATH": f"{ROOT / 'course'}:{ROOT}",
        "CHIP2CLUSTER_SECRET": "for the table",
        "CHIP2CLUSTER_STUDENT": "s",
    }.items():
        extra += ["--setenv", name, value]
    line = [*line[:at], *extra, *line[at:]]
    first = line.index("--chdir", at + len(extra))
    del line[first : first + 2]
    try:
        return subprocess.run(line, timeout=SECONDS, capture_output=True, preexec_fn=_limits)
    except subprocess.TimeoutExpired:
        return None


def _limits():
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    resource.setrlimit(resource.RLIMIT_FSIZE, (256 << 20, 256 << 20))
    os.nice(5)


def _scores(root):
    with sqlite3.connect(root / "gradebook.db") as book:
        return {student: score if count else None for student, score, count in book.execute(SCORES)}


if __name__ == "__main__":
    main()
