"""The marking page in a real browser, by keyboard alone, and what then stands in the gradebook."""

import json
import shutil
import urllib.error
import urllib.request

import pytest
from axe_playwright_python.sync_playwright import Axe

from autograder.grading.marking.mark_sheet import load_sheet, sheet_file
from autograder.grading.marking.session import MarkingSession
from autograder.grading.reports.feedback import write_feedback
from autograder.grading.result_store import ResultStore
from tests.grading.course import LAB, Course
from tests.grading.marking import (
    DRAFT,
    ESSAY,
    ESSAYS,
    UNTOUCHED,
    arrive,
    entry,
    graded_class,
    marking_page,
    press,
    set_entry,
)


@pytest.fixture(scope="module")
def graded(registered, tmp_path_factory):
    return graded_class(registered, tmp_path_factory.mktemp("marking")).root


@pytest.fixture
def course(graded, tmp_path):
    root = shutil.copytree(graded, tmp_path / "course")
    course = Course.__new__(Course)
    course.root, course.environment = root, {"CHIP2CLUSTER_SECRET": "for the tests"}
    return course


def sheet(course):
    return load_sheet(sheet_file(course.root, LAB, ESSAY), LAB, ESSAY)


def title(tab):
    return tab.locator("h1").inner_text()


def position(course, student):
    order = [one for one in sheet(course).order if one != UNTOUCHED]
    return order.index(student) + 1


def test_page_marks_a_class_by_keyboard(course, tab):
    given = {}
    with marking_page(course) as address:
        tab.goto(address)
        assert title(tab) == "Answer 1 of 6" and "token" not in tab.url
        for number in range(1, 7):
            arrive(tab, f"Answer {number} of 6")
            press(tab, "Digit1 Digit3", DRAFT)
            if number == 1:
                press(tab, "c")
                tab.keyboard.type("Which number of yours says so? 12")
                press(tab, "Escape k")
                tab.get_by_role("button", name="Which number of yours").wait_for()
                arrive(tab, "Answer 1 of 6")
            if number == 2:
                press(tab, "Digit1 Digit4 Shift+Digit1", DRAFT)
            if number == 3:
                press(tab, "Digit2 Digit4 Digit7", DRAFT)
            if number == 4:
                press(tab, "Digit5", DRAFT)
            given[number] = tab.locator("#points").inner_text()
            press(tab, "Enter")
        tab.locator("#done").wait_for()
        assert Axe().run(tab).response["violations"] == []
    # Two lines; two lines by another choice; four lines under a cap of 2.
    assert given == {1: "2", 2: "2", 3: "2", 4: "3", 5: "2", 6: "2"}
    marks = sheet(course).marks
    order = sheet(course).order
    points = {student: float(given[number]) for number, student in enumerate(order, 1)}
    assert {student: entry(course, student)[0] for student in ESSAYS} == points
    assert {student: mark.points for student, mark in marks.items()} == points
    said = "Which number of yours says so? 12"
    assert entry(course, order[0]) == (2.0, said, False) and entry(course, order[1])[1] == said
    assert entry(course, order[2])[1] is None
    assert marks[order[1]].lines == ("intensity-and-ridge", "batch-256")
    assert len(marks[order[2]].lines) == 5
    assert entry(course, UNTOUCHED) == (None, None, False)
    # Students see their lines, and what the class missed; points changed in formgrader count.
    set_entry(course, order[2], 4)
    write_feedback(course.root, LAB)
    pages = [course.feedback(student) for student in order[:3]]
    assert "✓ yes: names two chips" in pages[0] and "○ no: says that memory bandwidth decides" in pages[0]
    assert "limit: An answer that ranks by peak" in pages[2] and "limit:" not in pages[0]
    assert ["changed the points after" in page for page in pages] == [False, False, True]
    # The fifth line was chosen for one of six, the sixth for none.
    common = pages[0].partition("What the class often missed")[2].partition("</details>")[0]
    assert common.count("<li>") == 3 and "100 % of the class did not earn this line: one number to check" in common
    assert "83 % of the class did not earn this line: tokens per joule" in common
    assert "○ no:" not in course.feedback(UNTOUCHED)


def test_page_is_blind_and_shows_picture_table_and_question(course, tab):
    with marking_page(course) as address:
        tab.goto(address)
        for student in ESSAYS:
            tab.goto(f"{address.partition('?')[0]}answers/{position(course, student)}")
            html = tab.content()
            for name in (*ESSAYS, UNTOUCHED, "Diaz", "dora@example.org"):
                assert name not in html and name not in tab.url
            if student == "chen003":
                assert tab.locator("#answer img").evaluate("img => img.naturalWidth") == 1
            if student == "ann017":
                assert tab.locator("#answer td").all_inner_texts() == ["H200", "1892", "H100", "1321"]
            if student == "dora55":
                assert tab.locator("#answer").inner_text().startswith("I, [name] ([name]), would")
                assert "doramaar is somebody else" in html
            assert "Which of these chips would you buy" in tab.locator("#question").text_content()


def test_page_keeps_a_hostile_answer_inert(course, tab):
    with marking_page(course) as address:
        tab.goto(address)
        tab.goto(f"{address.partition('?')[0]}answers/{position(course, 'eve666')}", wait_until="networkidle")
        inside = tab.locator("#answer")
        assert "<script>xss(1)</script>" in inside.inner_text(), "the text is still to be read"
        assert inside.locator("script, iframe, object, form, svg, math, style, [style], [id], [onclick]").count() == 0
        hrefs = inside.locator("a").evaluate_all("all => all.map(a => a.protocol)")
        assert set(hrefs) <= {"http:", "https:", "mailto:"}
        # Nothing of it covers the buttons.
        for button in tab.locator("[data-line]").all():
            button.click(trial=True, timeout=5000)
        assert Axe().run(tab).response["violations"] == []


def test_page_keeps_drafts_and_takes_back_marks(course, tab):
    with marking_page(course) as address:
        tab.goto(address)
        first, second = sheet(course).order[:2]
        press(tab, "Digit2 Digit5", DRAFT)
        press(tab, "n", "Answer 2 of 6")
        press(tab, "p", "Answer 1 of 6")
        assert tab.locator("[aria-pressed=true][data-line]").count() == 2, "a draft stays"
        assert entry(course, first) == (None, None, True)
        press(tab, "Enter", "Answer 2 of 6")
        press(tab, "Digit1", DRAFT)
        press(tab, "Enter", "Answer 3 of 6")
        assert (entry(course, first)[0], entry(course, second)[0]) == (2.0, 1.0)
        press(tab, "u", "Answer 2 of 6")
        assert entry(course, second) == (None, None, True) and second not in sheet(course).marks
        press(tab, "u", "Answer 1 of 6")
        assert entry(course, first) == (None, None, True)
        press(tab, "u", "nothing of yours to undo")
        assert [change.kind for change in sheet(course).history] == ["give", "give", "undo", "undo"]
    # Another start of the page has the drafts.
    with marking_page(course) as address:
        tab.goto(address)
        assert tab.locator("[aria-pressed=true][data-line]").count() == 2


def test_gradebook_wins_over_the_lines_and_is_flagged(course, tab):
    with marking_page(course) as address:
        tab.goto(address)
        first = sheet(course).order[0]
        press(tab, "Digit1", DRAFT)
        press(tab, "Enter", "Answer 2 of 6")
        set_entry(course, first, 4.5)
        press(tab, "p", "The gradebook has 4.5 points, these lines gave 1: the gradebook counts.")
        press(tab, "u", "the gradebook was changed since you gave these points")
        assert entry(course, first)[0] == 4.5


def test_changed_line_shows_what_it_re_scores_first(course, tab):
    with marking_page(course) as address:
        tab.goto(address)
        for number in (2, 3, 4):
            press(tab, "Digit1", DRAFT)
            press(tab, "Enter", f"Answer {number} of 6")
    first, second, third = sheet(course).order[:3]
    set_entry(course, third, 5)
    file = course.root / "solutions" / LAB / f"{ESSAY}.rubric.toml"
    text = (
        file.read_text(encoding="utf-8")
        .replace("points = 1", "points = 0.5", 1)
        .replace("points = 1\n", "points = 1.5\n", 1)
    )
    file.write_text(text, encoding="utf-8")
    with marking_page(course) as address:
        tab.goto(address)
        tab.get_by_text("The rubric has changed since").wait_for()
        rows = [row.inner_text().split("\t") for row in tab.locator("tbody tr").all()]
        assert rows == [
            ["1", "1", "0.5", "is changed"],
            ["2", "1", "0.5", "is changed"],
            ["3", "1", "0.5", "has other points and keeps them"],
        ]
        assert "gives 0.5 instead of 1" in tab.locator("main").inner_text()
        assert [entry(course, one)[0] for one in (first, second, third)] == [1, 1, 5], "nothing before it is asked for"
        assert Axe().run(tab).response["violations"] == []
        press(tab, "Enter", "Answer 4 of 6")
    assert [entry(course, one)[0] for one in (first, second, third)] == [0.5, 0.5, 5]
    assert sheet(course).marks[first].points == 0.5


def test_server_refuses_strangers(course):
    with marking_page(course) as address:
        base, _, token = address.partition("?token=")
        port = base.rstrip("/").rpartition(":")[2]
        cookie = {"Cookie": f"marking-{port}={token}"}
        post = {"Origin": base.rstrip("/"), "Content-Type": "application/json"}

        def status(path="answers/1", data=None, **headers):
            request = urllib.request.Request(
                base + path, data=data, headers={k.replace("_", "-"): v for k, v in headers.items()}
            )
            try:
                with urllib.request.urlopen(request, timeout=20) as answer:
                    return answer.status
            except urllib.error.HTTPError as problem:
                return problem.code

        body = json.dumps({"lines": [], "comment": ""}).encode()
        assert status(**cookie) == 200
        assert status() == status("?token=wrong") == status(Cookie=f"marking-{port}=x") == 403
        assert status(Host="evil.example", **cookie) == 403
        assert status("answers/1/give", body, **cookie) == 403
        assert status("answers/1/give", body, **cookie, **post | {"Origin": "http://evil.example"}) == 403
        assert status("answers/1/give", body, **cookie, **post | {"Content-Type": "text/plain"}) == 403
        assert status("answers/9/give", body, **cookie, **post) == 404
        assert status("answers/1/give", b"[]", **cookie, **post) == 400
        assert entry(course, sheet(course).order[0]) == (None, None, True)
        assert status("answers/1/give", body, **cookie, **post) == 200
        assert entry(course, sheet(course).order[0]) == (0.0, None, False)


def test_page_shows_likeness_without_names(course, tab):
    student, other = sheet_order(course)[:2]
    passage = "Both draw 700 W, dora55 says, so the H200 also gives more tokens per joule than the H100 does here"
    for one, before in ((student, "I think so."), (other, "My own words come first.")):
        result = ResultStore.of(course.root, LAB).get(one)
        for cell in result.notebook["cells"]:
            if cell["id"] == ESSAY:
                cell["source"] = f"{before} {passage} <script>xss(3)</script>. {one} wrote it."
        ResultStore.of(course.root, LAB).put(result)
    with marking_page(course) as address:
        tab.goto(address)
        part = tab.locator("#likeness")
        part.get_by_text("also in answer 2;").wait_for()
        assert (
            part.locator("summary").inner_text().endswith("words") and not part.locator("blockquote").first.is_visible()
        )
        press(tab, "? l")
        assert tab.get_by_text("open or close the alike passages").is_visible()
        shown = part.locator("blockquote").all_inner_texts()
        assert len(shown) == 2 and all("[name] says" in text or "dora55 says" in text for text in shown)
        assert student not in tab.content() and other not in tab.content()
        assert part.locator("script").count() == 0 and "<script>" in shown[0]
        assert Axe().run(tab).response["violations"] == []
        tab.goto(f"{tab.url}?names=yes")
        tab.get_by_text(f"({student})").wait_for()
        part.get_by_text(f"also in {other};").wait_for()
        press(tab, "n", "Answer 2 of 6")
        assert "Names are hidden" in tab.locator("main").inner_text()
        part.get_by_text("also in answer 1;").wait_for()
        # An answer of one's own has nothing to say.
        tab.goto(f"{address.partition('?')[0]}answers/3")
        part.get_by_text("No long passage").wait_for()
    write_feedback(course.root, LAB)
    assert "ikeness" not in course.feedback(student) and "alike" not in course.feedback(student)


def test_page_reads_a_changed_rubric_without_a_restart(course, tab):
    file = course.root / "solutions" / LAB / f"{ESSAY}.rubric.toml"
    text = file.read_text(encoding="utf-8")
    with marking_page(course) as address:
        tab.goto(address)
        press(tab, "Digit1", DRAFT)
        press(tab, "Enter", "Answer 2 of 6")
        file.write_text(text.replace("points = 1", "points = 0.5", 1), encoding="utf-8")
        tab.reload()
        arrive(tab, "sum to 5.5 points, but 'recommendation' gives 6")
        changed = text.replace("points = 1", "points = 0.5", 1).replace("points = 1\n", "points = 1.5\n", 1)
        file.write_text(changed, encoding="utf-8")
        tab.reload()
        arrive(tab, "The rubric has changed since")
        # Taken back before anything was re-scored: as before.
        file.write_text(text, encoding="utf-8")
        tab.goto(address)
        arrive(tab, "Answer 2 of 6")
        press(tab, "Digit1", DRAFT)
        file.write_text(changed, encoding="utf-8")
        press(tab, "Enter", "Not saved: the rubric has changed")
        assert entry(course, sheet(course).order[1]) == (None, None, True)
        tab.goto(address)
        press(tab, "Enter", "Answer 2 of 6")
        assert entry(course, sheet(course).order[0])[0] == 0.5
        assert tab.locator("[aria-pressed=true][data-line]").count() == 1, "the draft is still there"


def test_page_gives_nothing_by_a_second_enter(course, tab):
    with marking_page(course) as address:
        tab.goto(address)
        press(tab, "Digit1", DRAFT)
        press(tab, "Enter", "Answer 2 of 6")
        press(tab, "Enter", "press Enter again to give 0 points")
        second = sheet(course).order[1]
        assert entry(course, second) == (None, None, True)
        press(tab, "Enter", "Answer 3 of 6")
        assert entry(course, second) == (0.0, None, False)


def sheet_order(course):
    """Return the students in the order of the page, before it was ever opened."""
    return MarkingSession(course.root, LAB).students
