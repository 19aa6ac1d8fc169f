"""Whose work a file is: the platform's part of its name decides, and what cannot be known is asked."""

import json
import shutil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.__main__ import main
from autograder.exam.exam_file import FILE, exam_folder, load_exam
from autograder.grading.collect.collect import collect
from autograder.grading.collect.download_files import DownloadFile, safe_parts
from autograder.grading.collect.match_students import StudentMatcher
from autograder.grading.collect.student_names import Person
from autograder.grading.intake.submission_reader import read_submission
from autograder.grading.lab import load
from autograder.grading.platforms import find_platform
from autograder.grading.submission import grade
from autograder.sandbox import Sandbox
from course.publish import __main__ as publish
from course.publish import bundle, wheel
from tests.grading.course import LAB, ROOT, STRONG_SECRET
from tests.grading.downloads import (
    CANVAS_GRADEBOOK,
    NOTEBOOK,
    canvas_name,
    import_list,
    lab_bytes,
    mapping_rows,
    submitted_file,
)
from tests.grading.fakes import answers, run, submitted

CLASS = [Person("ann", "Ann", "Lee", number="101"), Person("mallory", "Mallory", "Moe", number="666")]
HOSTILE = ["x_101_text.html", "_101_link-1.html", "_LATE_101_9009_lab.ipynb", "a/x_101_text.html", "a\\leeann_101_9_x"]
PIECES = st.sampled_from(
    [
        "_",
        "101",
        "666",
        "text.html",
        "link",
        "LATE",
        ".ipynb",
        "anon_",
        "/",
        "\\",
        "..",
        "-1",
        " ",
        "_assignsubmission_file_",
        "_attempt_2027-02-01-00-00-00_",
        "ann",
    ]
)


def owner(platform, name):
    """The student that a platform's reader finds for one file of a download."""
    file = DownloadFile(safe_parts(name.replace("\\", "/").split("/")), lambda: b"{}")
    layout = find_platform(platform).submissions
    (submission,), unmatched = layout.group([file], LAB)
    assert not unmatched
    return layout.match(StudentMatcher(CLASS), submission, LAB).student


@pytest.mark.parametrize(
    ("platform", "own_part"),
    [
        ("canvas", "moemallory_666_9004_"),
        ("canvas", "moemallory_LATE_666_9004_"),
        ("moodle", "Mallory Moe_666_assignsubmission_file_"),
        ("moodle", "Mallory Moe_666_assignsubmission_file/"),
        ("folder", "Lab 3_mallory_attempt_2027-01-31-23-59-00_"),
    ],
)
@given(chosen=st.one_of(st.lists(PIECES, min_size=1, max_size=8).map("".join), st.text(min_size=1, max_size=40)))
def test_student_is_never_read_from_the_name_of_a_file(platform, own_part, chosen):
    chosen = f"{chosen}x"  # a name of blanks alone is none
    assert owner(platform, own_part + chosen) == "mallory"


@pytest.mark.parametrize("chosen", HOSTILE)
def test_student_cannot_block_another_ones_submission(course, download, chosen):
    import_list(course, "student,first_name,last_name,lms_user_id\nann,Ann,Lee,101\nmallory,Mallory,Moe,666\n")
    files = {
        canvas_name("Lee", "Ann", 101, 9001): lab_bytes("1"),
        canvas_name("Moe", "Mallory", 666, 9003): lab_bytes("2"),
        f"moemallory_666_9004_{chosen}": b"<p>mine</p>",
    }
    done = collect(course.root, LAB, [download(files)])
    assert not done.unresolved and submitted_file(course, "ann") == lab_bytes("1")
    assert submitted_file(course, "mallory") == lab_bytes("2") and len([*submitted(course, "ann").iterdir()]) == 1


def test_canvas_name_that_ends_in_digits_is_asked():
    assert owner("canvas", "moex_101_666_9004_lab.ipynb") == ""
    assert owner("canvas", "leeann_101_9001_03_roofline.ipynb") == "ann"
    assert owner("canvas", "leeann_101_9001_666_roofline.ipynb") == "ann"


def test_newest_upload_on_canvas_counts(on_canvas, download):
    files = {
        canvas_name("Doe", "Jane", 102, 9002): lab_bytes("old"),
        canvas_name("Doe", "Jane", 102, 9010, f"lab_{LAB}-2.ipynb"): lab_bytes("newest"),
        canvas_name("Doe", "Jane", 102, 9005, f"lab_{LAB}-1.ipynb"): lab_bytes("middle"),
    }
    done = collect(on_canvas.root, LAB, [download(files)])
    assert not done.unresolved and submitted_file(on_canvas, "jane") == lab_bytes("newest")
    assert "Of 3 uploads of the notebook the last counts" in mapping_rows(on_canvas)["doejane_102"]["what"]
    assert len([*submitted(on_canvas, "jane").iterdir()]) == 3, "nothing is dropped"


def test_copies_of_unknown_age_are_asked(course, tmp_path, capsys):
    import_list(course, "student\nann\nbob\ncid\n")
    released = json.dumps(course.notebook("labs")).encode()
    folder = tmp_path / "all"
    for student, copies in {
        "ann": [lab_bytes("1"), lab_bytes("2")],
        "bob": [lab_bytes("3"), lab_bytes("3")],
        "cid": [released, lab_bytes("4")],
    }.items():
        (folder / student).mkdir(parents=True)
        for name, data in zip((NOTEBOOK, f"lab_{LAB} (1).ipynb"), copies, strict=True):
            (folder / student / name).write_bytes(data)
    root = ["--root", str(course.root)]
    assert main(["collect", LAB, str(folder), *root]) == 1
    said = capsys.readouterr().out
    assert "Need you: 2" in said and f"ann: {NOTEBOOK} -> ?" in said and f"ann: lab_{LAB} (1).ipynb -> ?" in said, said
    assert submitted_file(course, "ann") is None and submitted_file(course, "bob") == lab_bytes("3")
    lab = load(course.root, LAB)
    read = read_submission(submitted(course, "cid"), lab.notebook, lab.released)
    assert "(1).ipynb has answers and was graded instead" in " ".join(read.notes)
    table = course.root / f"autograder/work/collected/{LAB}.csv"
    table.write_text(table.read_text().replace(f"ann: {NOTEBOOK},ann,", f"ann: {NOTEBOOK},-,"))
    assert main(["collect", LAB, str(folder), *root]) == 0, capsys.readouterr().out
    assert submitted_file(course, "ann") == lab_bytes("2")


def test_blackboard_attempts_are_one_submission(course, tmp_path):
    import_list(course, "student\nann\nann_b\nbob\n3\n")
    folder = tmp_path / "blackboard"
    folder.mkdir()
    early, late, later = "2027-01-30-10-00-00", "2027-01-31-23-59-00", "2027-02-01-08-00-00"
    for name, data in {
        f"Lab 3_ann_attempt_{early}.txt": b"Name: Ann",
        f"Lab 3_ann_attempt_{early}_{NOTEBOOK}": lab_bytes("1"),
        f"Lab 3_ann_attempt_{late}.txt": b"Name: Ann",
        f"Lab 3_ann_attempt_{late}_lab_{LAB} (1).ipynb": lab_bytes("2"),
        f"Lab 3_ann_attempt_{later}.txt": b"Comments: see my second attempt",
        f"Lab 3_ann_b_attempt_{late}_{NOTEBOOK}": lab_bytes("3"),
        f"Lab 3_ann_b_attempt_{late}_bob_attempt_{later}_helper.py": b"x = 1",
        f"Lab 3_bob_attempt_{late}.txt": b"Name: Bob",
        f"Lab 3_bob_attempt_{late}_Untitled.ipynb": lab_bytes("4"),
    }.items():
        (folder / name).write_bytes(data)
    done = collect(course.root, LAB, [folder])
    assert not done.unresolved and done.absent == ["3"]
    assert [submitted_file(course, one) for one in ("ann", "ann_b")] == [lab_bytes("2"), lab_bytes("3")]
    assert submitted_file(course, "bob", "Untitled.ipynb") == lab_bytes("4")
    assert f"Of 3 attempts the last counts, {late}." in mapping_rows(course)["Lab 3_ann_attempt_"]["what"]


def test_json_suffix_of_safari_is_read(course, tmp_path):
    import_list(course, "student\nann\nbob\n")
    folder = tmp_path / "all"
    folder.mkdir()
    (folder / "ann.json").write_bytes(lab_bytes("1"))
    (folder / "bob.json").write_text('{"cells": [], "name": "settings"}')
    done = collect(course.root, LAB, [folder])
    assert done.unreadable == ["bob"] and "is this lab's notebook and was graded" in mapping_rows(course)["ann"]["what"]
    lab = load(course.root, LAB)
    assert read_submission(submitted(course, "ann"), lab.notebook, lab.released).notebook


@pytest.mark.parametrize("name", [NOTEBOOK, "lab_02_accelerators.ipynb"])
def test_notebook_of_another_lab_gets_no_mark(course, tmp_path, name):
    lab = load(course.root, LAB)
    folder = tmp_path / "handed_in"
    folder.mkdir()
    shutil.copy(ROOT / "solutions/02_accelerators/lab_02_accelerators.ipynb", folder / name)
    read = read_submission(folder, lab.notebook, lab.released, lab.folder.parent)
    assert read.notebook is None and f"{name} is the notebook of 02_accelerators, another lab" in read.problem
    # The right one beside it counts, whatever it is called.
    (folder / "final.ipynb").write_bytes(lab_bytes("1"))
    assert read_submission(folder, lab.notebook, lab.released, lab.folder.parent).notebook


@pytest.mark.parametrize("lab_name", [LAB, "02_accelerators", "16_design"])
def test_own_notebook_is_never_taken_for_another_labs(lab_name, tmp_path):
    """The release, the model answers, and answers pasted into an empty notebook."""
    lab = load(ROOT, lab_name)
    source = ROOT / "solutions" / lab_name / f"lab_{lab_name}.ipynb"
    solved = json.loads(source.read_text(encoding="utf-8"))
    pasted = [cell for cell in solved["cells"] if cell["metadata"].get("nbgrader", {}).get("solution")]
    for cell in pasted:
        cell["metadata"] = {}
    for number, notebook in enumerate((lab.released, solved, solved | {"cells": pasted})):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / f"lab_{lab_name}.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
        assert read_submission(folder, lab.notebook, lab.released, lab.folder.parent).notebook, number


@pytest.mark.sandbox
def test_another_labs_notebook_is_graded_unreadable(tmp_path):
    lab = load(ROOT, LAB)
    (tmp_path / LAB).mkdir()
    shutil.copy(ROOT / "labs/02_accelerators/lab_02_accelerators.ipynb", tmp_path / LAB / NOTEBOOK)
    with Sandbox(lab) as sandbox:
        result = grade(tmp_path / LAB, "ann", lab, sandbox)
    assert result.status == "unreadable" and "is the notebook of 02_accelerators" in result.repairs[0]


def test_roster_reads_excels_separator_line(course, tmp_path, capsys):
    file = tmp_path / "list.csv"
    for first in ("sep=;", '"sep=;"', "SEP=;\r"):
        file.write_text(f"{first}\nstudent;last_name\nann;Lee, A\n", encoding="utf-8-sig")
        assert main(["roster", str(file), "--root", str(course.root)]) == 0, capsys.readouterr().err
    with course.gradebook() as book:
        assert [(one.id, one.last_name) for one in book.students] == [("ann", "Lee, A")]
    file.write_text("sep=;\nstudent;last_name\nann;Lee\nann;Ray\n", encoding="utf-8")
    assert main(["roster", str(file), "--root", str(course.root)]) == 2
    assert "lines 3 and 4 are both ann" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("listed", "says"),
    [
        ("12345", "12345 and 0012345 in the gradebook differ only in zeros that a spreadsheet drops"),
        ("12345.0", "line 2: 12345.0 is a number as a spreadsheet shows it"),
        ("1.23E+05", "line 2: 1.23E+05 is a number as a spreadsheet shows it"),
        ("1,2345E+04", "is a number as"),
        ("ANN050", "ANN050 and ann050 in the gradebook differ only in capital letters"),
    ],
)
def test_roster_refuses_ids_that_a_spreadsheet_changed(course, tmp_path, capsys, listed, says):
    import_list(course, "student\n0012345\nann050\n")
    file = tmp_path / "again.csv"
    file.write_text(f'student\n"{listed}"\n', encoding="utf-8")
    assert main(["roster", str(file), "--root", str(course.root)]) == 2
    said = capsys.readouterr().err
    assert says in said and "Nothing was entered" in said
    with course.gradebook() as book:
        assert sorted(one.id for one in book.students) == ["0012345", "ann050"]
    assert import_list(course, "student\n0012345\nann050\nbob\n").added == ["bob"]


def test_roster_counts_an_added_address_as_a_change(course):
    import_list(course, "student,last_name\nann,Lee\nbob,Ray\n")
    assert import_list(course, "student,last_name,email\nann,Lee,ann@example.org\nbob,Ray,\n").changed == ["ann"]


def test_roster_names_ids_that_differ_in_zeros_alone(course):
    notes = import_list(course, "student\n0012345\n12345\n").notes
    assert notes == ["0012345 and 12345 differ only in leading zeros; if they are one person, keep one of the lines."]


def test_collect_asks_about_ids_that_a_spreadsheet_changed(course, tmp_path, capsys):
    import_list(course, "student\n0012345\n0987654\n")
    folder = tmp_path / "all"
    folder.mkdir()
    (folder / "12345.ipynb").write_bytes(lab_bytes("1"))
    (folder / "9.88E+05.ipynb").write_bytes(lab_bytes("2"))
    root = ["--root", str(course.root)]
    assert main(["collect", LAB, str(folder), *root]) == 1
    said = capsys.readouterr().out
    assert "12345 -> ?: 12345 is not an id on the roster; a spreadsheet can have made it of 0012345." in said
    assert "a spreadsheet can have made it of 0987654." in said and submitted_file(course, "0012345") is None
    table = course.root / f"autograder/work/collected/{LAB}.csv"
    table.write_text(table.read_text().replace("12345,,", "12345,12345,"))
    assert main(["collect", LAB, str(folder), *root]) == 2
    assert "12345, which a spreadsheet can have made of 0012345: correct the table" in capsys.readouterr().err


def test_exam_reads_a_list_as_the_roster_does(course, capsys, monkeypatch):
    """A Canvas export makes papers for students, and without a list the gradebook's class sits the exam."""
    monkeypatch.setenv("CHIP2CLUSTER_SECRET", STRONG_SECRET)
    file = course.root / "canvas.csv"
    file.write_text(CANVAS_GRADEBOOK, encoding="utf-8")
    drawn = ["--topics", "roofline", "--minutes", "20", "--root", str(course.root)]
    assert main(["exam", "first", *drawn]) == 2 and "autograder roster FILE" in capsys.readouterr().err
    assert main(["exam", "first", "--students", str(file), *drawn]) == 0
    assert "Student, Test" in capsys.readouterr().err
    assert [*load_exam(exam_folder(course.root, "first") / FILE).papers] == ["zoe", "jane", "jane2", "bo"]
    assert main(["roster", str(file), "--root", str(course.root)]) == 0
    assert main(["exam", "second", *drawn]) == 0
    assert sorted(load_exam(exam_folder(course.root, "second") / FILE).papers) == ["bo", "jane", "jane2", "zoe"]
    file.write_text("id\nann\nAnn\n", encoding="utf-8")
    assert main(["exam", "third", "--students", str(file), *drawn]) == 2
    assert "differ only in capital letters" in capsys.readouterr().err


def test_release_feedback_skips_pages_without_exchange_files(course, tmp_path, capsys):
    exchange = tmp_path / "exchange"
    exchange.mkdir(mode=0o777)
    exchange.chmod(0o777)
    with open(course.root / "nbgrader_config.py", "a") as config:
        config.write(f"\nc.Exchange.root = {str(exchange)!r}\n")
    for student in ("aaa", "bob", "zoe"):
        course.submit(student, answers(course, 1))
    for student, names in {"bob": ["timestamp.txt", "submission_secret.txt"], "zoe": ["timestamp.txt"]}.items():
        for name in names:
            (submitted(course, student) / name).write_text(
                f"2027-01-31 10:00:00 UTC {student}"[: None if "secret" in name else 23]
            )
    run(course)
    assert main(["feedback", LAB, "--root", str(course.root)]) == 0
    said = capsys.readouterr().out
    assert "These pages cannot go by nbgrader's exchange: aaa, zoe." in said and "--zip canvas" in said, said
    out = course.nbgrader_here("release_feedback", LAB)
    assert "skipped" in out and "aaa, zoe" in out and "Releasing feedback for student 'bob'" in out, out
    assert len([*(exchange / "chip2cluster/feedback").iterdir()]) == 1


def test_bundle_takes_a_list_or_the_gradebooks_class(course, monkeypatch):
    monkeypatch.setenv("CHIP2CLUSTER_SECRET", STRONG_SECRET)
    built = []
    monkeypatch.setattr(bundle, "build", lambda folder, students=None: built.append(students) or folder)
    monkeypatch.setattr(wheel, "ROOT", course.root)
    file = course.root / "canvas.csv"
    file.write_text(CANVAS_GRADEBOOK, encoding="utf-8")

    def publish_bundle(*arguments):
        monkeypatch.setattr("sys.argv", ["publish", "bundle", *arguments])
        publish.main()

    with pytest.raises(SystemExit, match="the gradebook has no students"):
        publish_bundle("--students")
    assert main(["roster", str(file), "--root", str(course.root)]) == 0
    for arguments in ([], ["--students", str(file)], ["--students"]):
        publish_bundle(*arguments)
    assert built == [None, ["zoe", "jane", "jane2", "bo"], ["bo", "jane", "jane2", "zoe"]]
