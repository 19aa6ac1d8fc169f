"""What students hand in and what marks they got is never published by ``git add .``."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
THEIRS = [
    "autograder/work/submitted/ann/03_roofline/lab_03_roofline.ipynb",
    "autograder/work/collected/03_roofline.csv",
    "autograder/work/dates/03_roofline.csv",
    "downloaded/03_roofline/archive/submissions.zip",
    "submissions/doejane_102_9002_lab_03_roofline.ipynb",
    "submissions.zip",
    "03_roofline-canvas.csv",
    "03_roofline-feedback-moodle.zip",
    "students.csv",
    "report.html",
    "report.json",
    "exchange/chip2cluster/inbound/ann+03_roofline/lab_03_roofline.ipynb",
]


@pytest.mark.skipif(shutil.which("git") is None or not (ROOT / ".git").exists(), reason="this is no checkout")
def test_git_passes_over_what_is_students():
    done = subprocess.run(
        ["git", "check-ignore", "--no-index", *THEIRS], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == THEIRS
    # And over nothing that is the course's.
    tracked = subprocess.run(
        ["git", "ls-files", "--cached", "--ignored", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert tracked.stdout == ""
