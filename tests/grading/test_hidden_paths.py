"""Feedback and formgrader name no folder and no account of the grader's machine."""

import json
import os
import sys

import pytest

from autograder.__main__ import main
from autograder.grading.sanitize.paths import hide_paths
from tests.grading.course import LAB, ROOT
from tests.grading.notebooks import answered, code

PATHS = {
    "File /home/ann.b/course/.venv/lib/python3.11/site-packages/numpy/linalg/_linalg.py:561, in inv(a)": (
        "File .../numpy/linalg/_linalg.py:561, in inv(a)"
    ),
    "File ~/.local/lib/python3.12/site-packages/pandas/core/frame.py:1": "File .../pandas/core/frame.py:1",
    "/usr/lib/python3/dist-packages/yaml/__init__.py": ".../yaml/__init__.py",
    "/usr/lib/python3.11/json/decoder.py:3": ".../json/decoder.py:3",
    r"C:\\Users\\Ann\\venv\\Lib\\site-packages\\numpy\\core.py".replace(r"\\", "\\"): ".../numpy\\core.py",
    "No such file or directory: '/home/ann.b/course/data/t.csv'": "No such file or directory: '.../data/t.csv'",
    "(/Users/ann.b/work/package/file.py)": "(.../package/file.py)",
    "at /root/x.py": "at .../x.py",
    f"{sys.prefix}/share/jupyter/x.json": ".../share/jupyter/x.json",
    f"{ROOT}/autograder/sandbox/inside/loader.py": ".../autograder/sandbox/inside/loader.py",
}
KEPT = [
    "a / b",
    "2/3 of 9/10",
    "https://example.org/home/python3.11/site-packages/",
    "data/t.csv",
    "/data/chips.csv",
    "n//2",
]


@pytest.mark.parametrize("text", PATHS)
def test_paths_keep_the_package_and_the_file(text):
    assert hide_paths(text) == PATHS[text]
    assert hide_paths(PATHS[text]) == PATHS[text]


@pytest.mark.parametrize("text", KEPT)
def test_other_text_with_slashes_stays(text):
    assert hide_paths(text) == text


@pytest.mark.sandbox
def test_pages_show_no_path_of_the_machine(course):
    made = answered(efficiency="def efficiency(*all):\n    import numpy\n    return numpy.linalg.inv([[0.0]])")
    cells = (
        "import numpy as np\nnp.linalg.inv([[0.0]])",
        "import numpy, json, sys, autograder\nprint(numpy.__file__, json.__file__, sys.prefix, autograder.__file__)",
        "numpy.__file__",
        'open(numpy.__file__ + "x")',
        "raise ValueError(numpy.__file__)",
        "import traceback\ntry:\n    np.linalg.inv([[0.0]])\nexcept Exception:\n    print(traceback.format_exc())",
    )
    made["cells"] += map(code, cells)
    folder = course.root / "autograder/work/submitted/ann" / LAB
    folder.mkdir(parents=True)
    (folder / f"lab_{LAB}.ipynb").write_text(json.dumps(made), encoding="utf-8")
    (folder / "page.html").write_text("<p>", encoding="utf-8")
    (course.root / "autograder/work/submitted/bob" / LAB).mkdir(parents=True)
    main(["grade", LAB, "--root", str(course.root)])
    main(["feedback", LAB, "--root", str(course.root)])
    for student in ("ann", "bob"):
        shown = (course.root / f"autograder/work/autograded/{student}/{LAB}/lab_{LAB}.ipynb").read_text(
            encoding="utf-8"
        )
        for page in (shown, course.feedback(student)):
            for folder in (sys.prefix, sys.base_prefix, str(ROOT), str(course.root), "site-packages", os.sep + "home/"):
                assert folder not in page, (student, folder)
    assert ".../numpy/" in shown or ".../numpy/" in course.feedback("ann")
