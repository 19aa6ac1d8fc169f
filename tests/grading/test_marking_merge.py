"""Several markers: shares, files that merge or are refused by name, and their agreement."""

import csv
import math
import shutil

import pytest

from autograder import __main__ as program
from autograder.grading.marking.agreement import agreements, cohen_kappa
from autograder.grading.marking.mark_sheet import MarkSheet, RubricMark, load_sheet
from autograder.grading.marking.merge import MergeConflict, merge_marks
from autograder.grading.marking.session import MarkingSession
from tests.grading.course import LAB, Course
from tests.grading.marking import ESSAY, ESSAYS, entry, graded_class, set_entry
from tests.tables import every_row

FIRST, SECOND, CAP = "names-two-chips", "memory-bandwidth-decides", "cap-ranks-by-peak"


@pytest.fixture(scope="module")
def graded(registered, tmp_path_factory):
    return graded_class(registered, tmp_path_factory.mktemp("marking")).root


@pytest.fixture
def machines(graded, tmp_path, monkeypatch):
    """The course on the instructor's machine and on those of two markers."""
    monkeypatch.setenv("CHIP2CLUSTER_SECRET", "for the tests")
    made = []
    for name in ("main", "alma", "ben"):
        course = Course.__new__(Course)
        course.root, course.environment = shutil.copytree(graded, tmp_path / name), {}
        made.append(course)
    return made


def marking(course, marker, share=1, sample=2):
    return MarkingSession(course.root, LAB, marker=marker, part=share, parts=2, sample=sample)


@every_row(
    "both, first, second, neither, kappa",
    [
        # Tables of two raters with a yes or no each, and the kappa that is printed with them (Wikipedia, Cohen's kappa).
        (20, 5, 10, 15, 0.4),
        (45, 15, 25, 15, 0.1304),
        (25, 35, 5, 35, 0.2593),
        (10, 0, 0, 10, 1.0),
        (0, 10, 10, 0, -1.0),
    ],
)
def test_cohen_kappa_of_published_tables(both, first, second, neither, kappa):
    pairs = [(1, 1)] * both + [(1, 0)] * first + [(0, 1)] * second + [(0, 0)] * neither
    one, other = zip(*pairs, strict=True)
    assert cohen_kappa(one, other) == pytest.approx(kappa, abs=5e-5)
    assert cohen_kappa(other, one) == pytest.approx(cohen_kappa(one, other))


def test_cohen_kappa_refuses_what_it_cannot_compare():
    assert math.isnan(cohen_kappa([3, 3], [3, 3]))
    for one, other in (([], []), ([1], [1, 2])):
        with pytest.raises(ValueError, match="the same items"):
            cohen_kappa(one, other)


def test_shares_cover_the_list_and_stay_when_somebody_is_late():
    sheet = MarkSheet(LAB, ESSAY, sample=3)
    sheet.enter(f"s{number}" for number in range(20))
    shares = [sheet.share(part, 3) for part in (1, 2, 3)]
    assert set.intersection(*map(set, shares)) == set(sheet.order[:3])
    own = [student for share in shares for student in share[3:]]
    assert sorted(own) == sorted(sheet.order[3:]) and max(map(len, shares)) - min(map(len, shares)) <= 1
    assert sheet.order != sorted(sheet.order)
    sheet.enter(["late", *sheet.order])
    assert len(sheet.order) == 21
    assert all(sheet.share(part, 3)[: len(share)] == share for part, share in enumerate(shares, 1))


def test_files_of_two_markers_merge_into_the_gradebook(machines):
    main, alma, ben = machines
    given = {}
    for course, marker, share in ((alma, "Alma", 1), (ben, "Ben", 2)):
        session = marking(course, marker, share)
        for number, student in enumerate(session.students):
            lines = [FIRST, SECOND][: 1 + (number + share) % 2]
            given.setdefault(student, session.give(student, lines, f"by {marker}"))
        session.save_draft(session.students[0], [CAP], "a thought")
    session = marking(main, "")
    first = merge_marks(session, marking(alma, "Alma", 1).file)
    second = merge_marks(session, marking(ben, "Ben", 2).file)
    assert (first.new, first.second, second.new, second.second) == (4, 0, 2, 2)
    # The sample counts as Alma gave it; formgrader's columns have what she and Ben gave.
    assert {student: entry(main, student)[0] for student in ESSAYS} == given
    sheet = session.sheet()
    assert {entry(main, student)[1] for student in sheet.order[:2]} == {"by Alma"}
    assert sheet.drafts["Ben"][sheet.order[0]]["comment"] == "a thought", "no draft is lost"
    # Both files again: nothing changes.
    again = [merge_marks(session, marking(*one).file) for one in ((alma, "Alma", 1), (ben, "Ben", 2))]
    assert [(one.new, one.replaced, one.second) for one in again] == [(0, 0, 0)] * 2
    assert session.sheet() == sheet
    (agreement,) = agreements(sheet)
    assert (agreement.first, agreement.second, agreement.answers) == ("Alma", "Ben", 2)
    # Alma gave 2 and 1 points, Ben 1 and 2: they never agree.
    assert (agreement.points, agreement.lines[SECOND], agreement.mean, agreement.largest) == (-1, -1, 0, 1)
    assert math.isnan(agreement.lines[FIRST])


def test_merge_refuses_conflicts_by_name_and_changes_nothing(machines):
    main, alma, ben = machines
    for course, marker, lines in ((alma, "Alma", [FIRST]), (ben, "Ben", [FIRST, SECOND])):
        session = MarkingSession(course.root, LAB, marker=marker)
        for student in session.students[:3]:
            session.give(student, lines, "")
    session = MarkingSession(main.root, LAB)
    merge_marks(session, MarkingSession(alma.root, LAB, marker="Alma").file)
    before = session.file.read_text(encoding="utf-8")
    with pytest.raises(MergeConflict) as refused:
        merge_marks(session, MarkingSession(ben.root, LAB, marker="Ben").file)
    for student in session.students[:3]:
        assert f"{student}: 1 points by Alma, 2 by Ben" in str(refused.value)
    assert session.file.read_text(encoding="utf-8") == before
    assert [entry(main, student)[0] for student in session.students[:4]] == [1, 1, 1, None]


def test_merge_takes_newer_marks_and_refuses_other_gradebooks(machines):
    main, alma, _ = machines
    theirs, session = MarkingSession(alma.root, LAB, marker="Alma"), MarkingSession(main.root, LAB)
    one, other = theirs.students[:2]
    theirs.give(one, [FIRST], "")
    merge_marks(session, theirs.file)
    theirs.give(one, [FIRST, SECOND], "better")
    assert merge_marks(session, theirs.file).replaced == 1 and entry(main, one) == (2.0, "better", False)
    set_entry(main, other, 3)
    theirs.give(other, [FIRST], "")
    with pytest.raises(MergeConflict, match=f"{other}: 3 points in the gradebook, 1 here"):
        merge_marks(session, theirs.file)
    file = alma.root / "solutions" / LAB / f"{ESSAY}.rubric.toml"
    file.write_text(file.read_text("utf-8").replace("version = 1", "version = 2", 1), encoding="utf-8")
    changed = MarkingSession(alma.root, LAB, marker="Alma")
    changed.rescore()
    with pytest.raises(ValueError, match=f"another version of the line '{FIRST}'"):
        merge_marks(session, changed.file)


def test_second_marker_here_sees_nothing_of_the_first(machines):
    main = machines[0]
    alma, ben = marking(main, "Alma", 1), marking(main, "Ben", 2)
    student = alma.students[0]
    alma.give(student, [FIRST], "fine")
    state = ben.states()[0]
    assert (state.student, state.lines, state.comment, state.points, state.done) == (student, (), "", None, False)
    ben.give(student, [FIRST, SECOND], "very fine")
    assert entry(main, student) == (1.0, "fine", False) and ben.states()[0].points == 2
    ben.undo()
    assert entry(main, student) == (1.0, "fine", False) and not ben.states()[0].done


def test_damaged_file_of_marks_is_refused_and_kept(machines):
    session = MarkingSession(machines[0].root, LAB)
    session.give(session.students[0], [FIRST], "")
    whole = session.file.read_text(encoding="utf-8")
    for text in (whole[:-20], "[]", whole.replace('"format": 1', '"format": 9'), whole.replace(LAB, "04_occupancy")):
        session.file.write_text(text, encoding="utf-8")
        with pytest.raises(ValueError, match="recommendation.json"):
            session.give(session.students[1], [FIRST], "")
        assert session.file.read_text(encoding="utf-8") == text and entry(machines[0], session.students[1])[0] is None
    session.file.write_text(whole, encoding="utf-8")
    mark = load_sheet(session.file, LAB, ESSAY).marks[session.students[0]]
    assert isinstance(mark, RubricMark) and mark.lines == (FIRST,)


def test_mark_command_exports_merges_and_refuses(machines, capsys, tmp_path):
    main, alma, _ = machines
    theirs = MarkingSession(alma.root, LAB, marker="Alma")
    theirs.give(theirs.students[0], [FIRST], "=1+1")
    here = ["mark", LAB, "--root", str(main.root)]
    assert program.main([*here, "--merge", str(theirs.file)]) == 0
    assert program.main([*here, "--export", str(tmp_path / "lines.csv")]) == 0
    with open(tmp_path / "lines.csv", encoding="utf-8", newline="") as stream:
        (row,) = csv.DictReader(stream)
    assert (row["student"], row["marker"], row["points"], row["gradebook"]) == (theirs.students[0], "Alma", "1", "1")
    assert (row[FIRST], row[SECOND], row["comment"]) == ("1", "0", "'=1+1")
    assert program.main([*here, "--export", str(tmp_path / "lines.csv")]) == 2
    assert program.main([*here, "--agreement"]) == 0
    assert program.main([*here, "--merge", str(tmp_path / "none.json")]) == 2
    assert program.main([*here, "--share", "1/3"]) == 2
    assert program.main([*here, "--question", "essay"]) == 2
    said = capsys.readouterr()
    assert "1 new marks" in said.out and "No answer was marked by two people" in said.out
    for text in ("stays as it is", "there is no file", "give each a name with --marker", "no written question 'essay'"):
        assert text in said.err
    for wrong in (["--share", "4/3"], ["--port", "70000"], ["--marker", "a/b"], ["--sample", "-1"]):
        with pytest.raises(SystemExit):
            program.main([*here, *wrong])
