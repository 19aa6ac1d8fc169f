"""A class with odd essays, marked by three people by keyboard alone, merged, exported and returned to students.

24 essays in an ordinary run, 120 in `make prove`.
"""

import csv
import os
import shutil

import pytest
from axe_playwright_python.sync_playwright import Axe
from nbgrader.apps import NbGraderAPI

from autograder import __main__ as program
from autograder.grading.gradebook.course import open_course
from autograder.grading.marking.mark_sheet import load_sheet, sheet_file
from tests.grading.course import LAB, Course
from tests.grading.marking import DRAFT, ESSAY, arrive, entry, graded_class, marking_page, press
from tests.grading.odd_essays import ODD, odd_essays
from tests.sampling import ALL, chosen

SIZE, SAMPLE = (120, 12) if chosen() == ALL else (24, 3)
MARKERS = ("Alma", "Ben", "Chen")
# Nothing of an answer makes the page wider, and nothing of it covers the buttons.
WIDER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
COVERED = """() => [...document.querySelectorAll('[data-line], #give')].filter(button => {
    button.scrollIntoView({block: 'center'});
    const box = button.getBoundingClientRect();
    return !button.contains(document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2));
}).map(button => button.outerHTML)"""

# How far the last character of the answer's last paragraph is to the right of its first one, in pixels.
LAST_CHARACTER = """() => {
    const text = [...document.querySelectorAll('#answer p')].pop().firstChild, range = document.createRange();
    const left = place => (range.setStart(text, place), range.setEnd(text, place + 1), range.getBoundingClientRect().x);
    return left(text.length - 1) - left(0);
}"""


@pytest.fixture(scope="module")
def places(registered, tmp_path_factory):
    """The graded course, and a copy for each marker."""
    top = tmp_path_factory.mktemp("class")
    essays = odd_essays(SIZE)
    pasted = [student for student, essay in essays.items() if essay == ODD["picture"]]
    (top / "main").mkdir()
    main = graded_class(registered, top / "main", essays, pasted)
    found = {"main": main}
    for name in MARKERS:
        copied = Course.__new__(Course)
        copied.root, copied.environment = shutil.copytree(main.root, top / name), main.environment
        found[name] = copied
    return found, essays


def sheet(course):
    return load_sheet(sheet_file(course.root, LAB, ESSAY), LAB, ESSAY)


def keys_for(number, marker):
    """Lines that a marker chooses for an answer: some, differing between markers."""
    lines = {1 + (number * 3 + marker) % 6, 1 + number % 6, 7 if number % 9 == 0 else 1}
    return " ".join(f"Digit{line}" for line in sorted(lines))


def mark_share(course, tab, marker):
    """Mark a share by keyboard, and return the points by student; each kind of odd answer is looked at."""
    part, given = MARKERS.index(marker) + 1, {}
    arguments = ("--marker", marker, "--share", f"{part}/3", "--sample", str(SAMPLE))
    with marking_page(course, *arguments) as address:
        tab.goto(address)
        students = sheet(course).share(part, 3)
        students = [student for student in students if student in odd_essays(SIZE)]
        for number, student in enumerate(students, 1):
            arrive(tab, f"Answer {number} of {len(students)}")
            assert tab.evaluate(WIDER) <= 0, student
            assert tab.evaluate(COVERED) == [], student
            press(tab, keys_for(number, part), DRAFT)
            if number == 1:
                press(tab, "c")
                tab.keyboard.type("Which number of yours says so? 1 2 n p u")
                press(tab, "Escape k")
                tab.get_by_role("button", name="Which number of yours").wait_for()
                arrive(tab, f"Answer 1 of {len(students)}")
            elif number % 4 == 0:
                press(tab, "Shift+Digit1")
            given[student] = float(tab.locator("#points").inner_text())
            press(tab, "Enter")
            if number == 2:
                # A slip: taken back, its lines are still there.
                arrive(tab, f"Answer 3 of {len(students)}")
                press(tab, "u", f"Answer 2 of {len(students)}")
                assert tab.locator("[aria-pressed=true][data-line]").count() > 0
                press(tab, "Enter")
        tab.locator("#done").wait_for()
    return given


def test_class_is_marked_merged_exported_and_returned(places, tab, tmp_path, capsys, monkeypatch):
    (courses, essays), given = places, {}
    monkeypatch.setenv("CHIP2CLUSTER_SECRET", "for the tests")
    tab.set_viewport_size({"width": 1440, "height": 900})
    for marker in MARKERS:
        given[marker] = mark_share(courses[marker], tab, marker)
    main = courses["main"]
    here = ["mark", LAB, "--root", str(main.root)]
    files = {marker: str(sheet_file(courses[marker].root, LAB, ESSAY)) for marker in MARKERS}
    # Chen also marked an answer of Ben's, in another way.
    stray = sheet(courses["Ben"]).share(2, 3)[SAMPLE]
    with marking_page(courses["Chen"], "--marker", "Chen", "--share", "2/3", "--sample", str(SAMPLE)) as address:
        tab.goto(address)
        arrive(tab, f"Answer {SAMPLE + 1} of")
        press(tab, "Digit1 Digit2 Digit3 Digit4 Digit5", DRAFT)
        press(tab, "Enter", f"Answer {SAMPLE + 2} of")
    assert program.main([*here, "--merge", files["Alma"], files["Ben"]]) == 0
    before = sheet_file(main.root, LAB, ESSAY).read_bytes()
    capsys.readouterr()
    assert program.main([*here, "--merge", files["Chen"]]) == 2
    said = capsys.readouterr().err
    assert f"{stray}: {given['Ben'][stray]:g} points by Ben, 5 by Chen" in said and "1 answers have two marks" in said
    assert sheet_file(main.root, LAB, ESSAY).read_bytes() == before
    with marking_page(courses["Chen"], "--marker", "Chen", "--share", "2/3", "--sample", str(SAMPLE)) as address:
        tab.goto(address)
        press(tab, "u", f"Answer {SAMPLE + 1} of")
    assert program.main([*here, "--merge", files["Chen"]]) == 0
    # In the sample Alma's marks count, because hers were merged first.
    counted = given["Chen"] | given["Ben"] | given["Alma"]
    assert {student: entry(main, student)[0] for student in essays} == counted
    assert_formgrader_shows(main, counted)
    assert program.main([*here, "--agreement"]) == 0
    assert f"Alma and Ben both marked {SAMPLE} answers. Cohen's kappa" in capsys.readouterr().out
    assert program.main([*here, "--export", str(tmp_path / "lines.csv")]) == 0
    with open(tmp_path / "lines.csv", encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == len(essays) + 2 * SAMPLE
    assert {row["student"]: float(row["gradebook"]) for row in rows} == counted
    assert all(float(row["points"]) == given[row["marker"]][row["student"]] for row in rows)
    assert program.main(["feedback", LAB, "--root", str(main.root)]) == 0
    for student, points in counted.items():
        page = main.feedback(student)
        assert page.count("✓ yes:") >= (points > 0) and "xss(1)</script>" not in page
        assert "What the class often missed" in page and "ikeness" not in page


def assert_formgrader_shows(course, points):
    """Compare with the table that formgrader loads for its page of a notebook."""
    app = open_course(course.root).app
    rows = NbGraderAPI(app.coursedir, parent=app).get_notebook_submissions(LAB, f"lab_{LAB}")
    shown = {row["student"]: row["written_score"] for row in rows if row["student"] in points}
    assert shown == points
    assert not any(row["needs_manual_grade"] for row in rows if row["student"] in points)


@pytest.mark.parametrize("width", [1440, 390])
def test_page_of_each_odd_essay_is_accessible(places, tab, width):
    (courses, essays), seen = places, set()
    tab.set_viewport_size({"width": width, "height": 900})
    shots = os.environ.get("MARKING_SHOTS")
    with marking_page(courses["main"]) as address:
        tab.goto(address)
        base = address.partition("?")[0]
        order = [one for one in sheet(courses["main"]).order if one in essays]
        kinds = {text: kind for kind, text in ODD.items() if text is not None}
        for number, student in enumerate(order, 1):
            kind = kinds.get(essays[student], "ordinary" if essays[student].startswith("I would") else "made")
            if kind in seen:
                continue
            seen.add(kind)
            tab.goto(f"{base}answers/{number}")
            tab.locator("#likeness:not([aria-busy])").wait_for()
            press(tab, "l")
            assert tab.evaluate(WIDER) <= 0 and tab.evaluate(COVERED) == [], kind
            assert [one["id"] for one in Axe().run(tab).response["violations"]] == [], kind
            if kind == "right to left":
                assert tab.evaluate(LAST_CHARACTER) < 0, "the full stop is at the left end of its line"
            elif kind in ("empty", "blank"):
                assert "The answer is empty." in tab.locator("#answer").inner_text()
            if shots:
                tab.screenshot(path=f"{shots}/{width}-{kind.replace(' ', '-')}.png", full_page=width == 390)
    assert seen >= {*kinds.values(), "ordinary", "made"}
