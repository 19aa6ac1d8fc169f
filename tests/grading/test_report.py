"""The lab report for instructors."""

import re
import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest
from axe_playwright_python.sync_playwright import Axe

from autograder.grading.gradebook.marks import Mark, Marks
from autograder.grading.lab import load
from autograder.grading.reports.histogram import histogram
from autograder.grading.reports.report import build_report, report_on_lab, write_report
from autograder.grading.result import GRADED, UNREADABLE, Result
from autograder.grading.result_store import ResultStore
from chip2cluster.exercise.verdict_codes import MISCONCEPTION
from tests.grading.course import LAB, ROOT
from tests.grading.samples import ESSAY, TIME, correct, graded, lab, reference
from tests.grading.test_feedback import EVIL, EVIL_NAME, Seen
from tests.grading.test_similarity import COPIED, DISGUISED, honest

PEAK = (0.0, MISCONCEPTION, "You divided by the peak.", "share of the peak")
EFFICIENCY = "lab.roofline.efficiency"


def a_class():
    right = correct()
    results = [graded(f"s{n:02}", reference() | {"rank_chips": honest(n)}, right, seconds=1.0) for n in range(20)]
    results += [
        graded(f"p{n}", reference() | {"rank_chips": honest(50 + n)}, right | {EFFICIENCY: PEAK}) for n in range(4)
    ]
    results.append(graded("untouched", repairs=["A cell was put back.", "Another one."]))
    results.append(graded("broken", status=UNREADABLE, seconds=42.0, sandbox="unsandboxed"))
    results += [graded("yan", {"rank_chips": DISGUISED}), graded("zoe", {"rank_chips": COPIED})]
    return results


def test_the_report_counts_what_was_met():
    found = build_report(a_class(), lab())
    row = found.mistakes.iloc[0]
    assert (row["mistake"], row["count"], row["students"]) == ("share of the peak", 4, ["p0", "p1", "p2", "p3"])
    rows = found.exercises.set_index("exercise")
    assert (
        rows.loc["Measured against possible", "correct"] == "71%"
        and rows.loc["Measured against possible", "not started"] == "14%"
    )
    assert len(found.scores) == 28 and found.scores["s00"] == lab().max_score and found.scores["untouched"] == 0
    assert list(found.slowest.student) == ["broken"] and found.unreadable == ["broken"]
    assert found.repaired.to_dict("records") == [
        {"student": "untouched", "repairs": 2, "first": "A cell was put back."}
    ]
    assert "broken" not in found.waiting and len(found.waiting) == 27
    assert (found.pairs[0].first, found.pairs[0].second) == ("yan", "zoe")


def test_hand_marks_and_penalties_count():
    marks = {
        "s00": Marks({ESSAY: Mark(5, None, 5, False), "shortest_time-check": Mark(3, 3, None, False)}, late_penalty=1)
    }
    found = build_report(a_class()[:2], lab(), marks)
    assert found.scores["s00"] == 7 and found.waiting == ["s01"] and found.outdated == []
    assert found.max_score == lab().max_score + 6


def test_everybody_who_needs_a_person_is_named():
    marks = {
        f"s{n:02}": Marks({ESSAY: Mark(4, None, 4, True) if n < 2 else Mark(0, None, None, True)}) for n in range(20)
    }
    text = build_report(a_class()[:20], lab(), marks).text()
    assert f"Not yet marked by hand (20): {', '.join(sorted(marks))}" in text
    assert "the old mark counts until it is marked again (2): s00, s01" in text


def test_nobody_graded_names_the_command():
    with pytest.raises(ValueError, match=f"autograder grade {LAB}"):
        build_report([], lab())


def test_the_terminal_gets_everything_but_control_characters():
    evil = graded("bad\x1b[2J\x07", repairs=["\x1b]0;owned\x07put back"])
    text = build_report([*a_class(), evil], lab()).text()
    assert "\x1b" not in text and "\x07" not in text and "UNSANDBOXED" in text
    for part in ("share of the peak", "yan and zoe", "not proof", "Unreadable (1): broken", "middle half"):
        assert part in text


def test_the_page_stands_alone_and_holds_no_students_markup(tmp_path):
    results = [*a_class(), graded(EVIL_NAME, verdicts={TIME: (0.0, "raises", EVIL, EVIL)}, repairs=[EVIL])]
    write_report(build_report(results, lab()), tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    seen = Seen(text)
    assert {tag for tag, _ in seen.tags}.isdisjoint({"script", "img", "iframe", "link"})
    assert "src=" not in re.sub("&lt;.*?&gt;", "", text) and "onload" not in str([one for _, one in seen.tags])
    assert "default-src 'none'" in text and "not proof" in seen.text and "Unsandboxed." in seen.text
    levels = [int(tag[1]) for tag, _ in seen.tags if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1 and all(after - before <= 1 for before, after in pairwise(levels))
    assert not re.search(r"<p[ >](?:(?!</p>).)*<details", text, re.DOTALL), "a fold would end the paragraph"


def test_page_of_a_class_is_accessible(browser, tmp_path):
    write_report(build_report(a_class(), lab()), tmp_path / "report.html")
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.goto((tmp_path / "report.html").as_uri())
    found = [(one["id"], one["nodes"][0]["html"]) for one in Axe().run(page).response["violations"]]
    assert not found and page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.close()


def test_a_sandboxed_class_is_not_called_unsandboxed():
    found = build_report(a_class()[:5], lab())
    assert "UNSANDBOXED" not in found.text() and "Unsandboxed" not in found.html()
    assert found.pairs == [] and "Similar answers" not in found.html()


@pytest.mark.parametrize("scores", [[], [0], [22.0], [30.0, 0.0], [1.9, 2.0, 21.99] * 100])
def test_the_histogram_counts_everyone_once(scores):
    drawing = ET.fromstring(str(histogram(scores, 22.0)))
    told = drawing.find("desc").text or ""
    assert sum(int(part.rsplit(": ", 1)[1]) for part in told.split("; ") if part) == len(scores)
    assert drawing.get("role") == "img" and drawing.find("title").text
    for bar in drawing.iter("rect"):
        assert float(bar.get("y")) >= 0 and float(bar.get("x")) + float(bar.get("width")) <= 640


def test_it_reads_the_store_and_the_gradebook(marked_course):
    found = report_on_lab(marked_course, LAB)
    assert found.scores["ann"] == 5.35 and found.waiting == ["bob"]
    assert found.absent == ["zoë"] and "No submission (1): zoë" in found.text() and "No submission" in found.html()
    ResultStore.of(marked_course, LAB).put(graded("zoe"))
    assert len(report_on_lab(marked_course, LAB).scores) == 3


def test_while_essays_wait_only_the_machines_points_are_compared():
    results = a_class()[:4]
    marks = {
        one.student: Marks({ESSAY: Mark(0, None, None, True), "shortest_time-check": Mark(1, 3, 1, False)})
        for one in results
    }
    found = build_report(results, lab(), marks)
    most = lab().max_score
    # One check cell was changed by hand, from 3 points to 1.
    assert (
        f"autograded: median {most - 2:g} of {most:g} points" in found.summary
        and "4 not yet marked by hand" in found.text()
    )
    assert f"{most + 6:g}" not in found.summary
    marked = {who: Marks(one.cells | {ESSAY: Mark(6, None, 6, False)}) for who, one in marks.items()}
    assert f"of {most + 6:g} points" in build_report(results, lab(), marked).summary


def test_everybody_who_waits_is_named_with_their_number():
    text = build_report([graded(f"s{n:02}") for n in range(60)], lab()).text()
    assert f"Not yet marked by hand (60): {', '.join(f's{n:02}' for n in range(60))}" in text and "more" not in text


def test_a_class_that_copied_one_text_is_one_line():
    essay = (
        "I would buy the chip with the highest bandwidth since decoding reads all of the weights for every token " * 2
    )
    copied = [graded(f"c{n:02}", {ESSAY: essay.upper() if n % 2 else essay}) for n in range(50)]
    short = [graded(f"d{n}", {ESSAY: "I do not know."}) for n in range(5)]
    found = build_report([*copied, *short], lab())
    assert [len(group.students) for group in found.same] == [50] and found.pairs == []
    assert "50 identical answers" in found.text() and "50 identical answers" in found.html()


def test_two_names_that_look_the_same_stay_two_students():
    found = build_report([graded("bad\x07"), graded("bad\x08")], lab())
    assert list(found.scores.index) == ["bad?", "bad? (2)"]


def test_a_board_shows_where_a_class_stands_and_nobody_by_name():
    design = load(ROOT, "16_design")
    spots = [[1.0, 1.0], [2.4, 1.01], [1.3, 1.6], [1e300, 5e9]]
    results = [Result(design.name, f"secret-{n}", GRADED, None) for n in range(5)]
    for result, place in zip(results, spots, strict=False):
        marked = {
            "score": 1.0,
            "max_score": 6.0,
            "verdict": MISCONCEPTION,
            "message": "",
            "mistake": "",
            "place": place,
        }
        result.exercises["lab.design.near"] = marked
    (board,) = build_report(results, design).boards
    assert board.count == "4 answers, 2 of them on the line"
    root = ET.fromstring(board.picture)
    dots = [(float(dot.get("cx")), float(dot.get("cy"))) for dot in root.iter("circle")]
    assert len(dots) == 4 and dots == sorted(dots) and all(0 < x < 640 and 0 < y < 320 for x, y in dots)
    page = build_report(results, design).html()
    assert (
        board.picture in page and "secret" not in board.picture and board.title in build_report(results, design).text()
    )


def test_a_lab_without_a_board_has_none():
    assert build_report(a_class(), lab()).boards == []
