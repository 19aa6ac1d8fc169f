"""Collecting a download: no student is guessed, no file is overwritten, and every collection can be undone."""

import csv
import os

import pytest

from autograder.__main__ import main
from autograder.grading.collect.collect import collect
from autograder.grading.collect.staging import active_batches, current_keys
from autograder.grading.collect.undo import undo
from autograder.grading.platforms import find_platform
from tests.grading.course import LAB
from tests.grading.downloads import (
    NOTEBOOK,
    canvas_name,
    import_list,
    lab_bytes,
    mapping_rows,
    moodle_path,
    submitted_file,
    zip_bytes,
)
from tests.grading.fakes import run, submitted


def correct_table(course, **students):
    """Write other students into the table of names, as an instructor does."""
    file = course.root / f"autograder/work/collected/{LAB}.csv"
    rows = list(mapping_rows(course).values())
    for row in rows:
        row["student"] = students.get(row["handed_in_as"], row["student"])
    with open(file, "w", encoding="utf-8", newline="") as stream:
        table = csv.DictWriter(stream, rows[0].keys())
        table.writeheader()
        table.writerows(rows)


def read_all_files(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_collect_matches_canvas_files_by_number(on_canvas, download):
    files = {
        canvas_name("Müller-O'Neil", "Zoë", 101, 9001, late=True): lab_bytes("1"),
        canvas_name("Doe", "Jane", 102, 9002, f"lab_{LAB}-3.ipynb"): lab_bytes("2"),
        canvas_name("Doe", "Jane", 103, 9003): lab_bytes("3"),
        canvas_name("Doe", "Jane", 103, 9004, "helper.py"): b"x = 1",
        canvas_name("Nobody", "Known", 555, 9005): lab_bytes("4"),
        "readme.txt": b"not a submission",
        "__MACOSX/._x.ipynb": b"",
    }
    done = collect(on_canvas.root, LAB, [download(files)])
    assert done.platform.name == "canvas" and (done.new, done.same, done.late, done.absent) == (3, 0, ["zoe"], ["bo"])
    assert [submitted_file(on_canvas, student) for student in ("zoe", "jane", "jane2")] == [
        lab_bytes("1"),
        lab_bytes("2"),
        lab_bytes("3"),
    ]
    assert submitted_file(on_canvas, "jane2", "helper.py") == b"x = 1"
    rows = mapping_rows(on_canvas)
    assert rows["bo"]["what"] == "Handed in nothing."
    unknown = rows["nobodyknown_555"]
    assert (unknown["student"], unknown["how"]) == ("", "unknown") and "the number 555" in unknown["what"]
    assert rows["doejane_103"]["answer_to"] == "doejane_103_9003_" and rows["doejane_102"]["how"] == "Canvas number"
    assert done.unresolved[0].handed_in_as == "nobodyknown_555" and any("readme.txt" in note for note in done.notes)
    dates = (on_canvas.root / f"autograder/work/dates/{LAB}.csv").read_text()
    assert "zoe,,,yes" in dates and "jane,,,no" in dates


def test_collect_matches_moodle_files_by_name_or_worksheet(on_moodle, download, tmp_path):
    files = {
        moodle_path("Zoë Müller-O'Neil", 71): lab_bytes("1"),
        moodle_path("Jane Doe", 72, trailing="_"): lab_bytes("2"),
        moodle_path("Jane Doe", 73, "deep/down/Untitled.ipynb"): lab_bytes("3"),
        "Bo van der Berg_74_assignsubmission_onlinetext/onlinetext.html": b"<p>see mail</p>",
    }
    done = collect(on_moodle.root, LAB, [download(files)])
    assert done.platform.name == "moodle" and {row.handed_in_as for row in done.unresolved} == {
        "Jane Doe_72",
        "Jane Doe_73",
    }
    assert "jane2@example.org and jane@example.org" in mapping_rows(on_moodle)["Jane Doe_72"]["what"]
    assert (
        done.unreadable == ["bo@example.org"]
        and "text was typed in" in mapping_rows(on_moodle)["Bo van der Berg_74"]["what"]
    )
    assert submitted_file(on_moodle, "zoe@example.org") == lab_bytes("1")
    sheet = tmp_path / "sheet.csv"
    sheet.write_text(
        "\ufeffIdentifier,Full name,Email address,Status,Last modified (submission)\n"
        'Participant 72,Jane Doe,jane@example.org,Submitted for grading - 3 mins 31 secs late - ,"Sunday, 31 January 2027, 11:59 PM"\n'
        'Participant 73,Jane Doe,jane2@example.org,Submitted for grading,"Sunday, January 31, 2027, 9:00 AM"\n'
        "Participant 75,Away One,away@example.org,No submission,-\n",
        encoding="utf-8",
    )
    root, zipped = ["--root", str(on_moodle.root)], download(files)
    assert main(["collect", LAB, str(zipped), "--worksheet", str(sheet), "--timezone", "Europe/Berlin", *root]) == 1
    rows = mapping_rows(on_moodle)
    assert [rows[key]["student"] for key in ("Jane Doe_72", "Jane Doe_73")] == ["jane@example.org", "jane2@example.org"]
    assert (rows["Jane Doe_72"]["late"], rows["Jane Doe_72"]["received"]) == ("yes", "2027-01-31 22:59 UTC")
    dates = (on_moodle.root / f"autograder/work/dates/{LAB}.csv").read_text()
    assert "jane2@example.org,2027-01-31 08:00 UTC,," in dates


def test_worksheet_times_need_a_time_zone(on_moodle, download, tmp_path):
    sheet = tmp_path / "sheet.csv"
    sheet.write_text(
        "Identifier,Full name,Email address,Status,Last modified (submission)\n"
        'Participant 71,Zoë,zoe@example.org,Submitted for grading,"Sunday, 31 January 2027, 11:59 PM"\n',
        encoding="utf-8",
    )
    zipped = download({moodle_path("Zoë Müller-O'Neil", 71): lab_bytes()})
    done = collect(on_moodle.root, LAB, [zipped], worksheet_file=sheet)
    assert (
        "--timezone Europe/Berlin" in done.notes[0] and not mapping_rows(on_moodle)["Zoë Müller-O'Neil_71"]["received"]
    )

    with pytest.raises(ValueError, match="read as canvas, which has no grading worksheet"):
        collect(on_moodle.root, LAB, [zipped], platform=find_platform("canvas"), worksheet_file=sheet)


def test_collect_matches_a_folder_by_id_or_name(course, tmp_path):
    import_list(
        course,
        "student,first_name,last_name\nann,Ann,Lee\nbob1,Bob,Ray\nbob11,Bo,Roe\ncid,Cid,Li\ndan,Dan,Oh\neve,Eve,Uh\n",
    )
    odd = tmp_path / "odd"
    for path, data in {
        "ann.ipynb": lab_bytes("1"),
        "ann.csv": b"a,b",
        "lab_03_roofline_bob11 (2).ipynb": lab_bytes("2"),
        f"cid/{LAB}/{NOTEBOOK}": lab_bytes("3"),
        "cid/02_chips/lab_02_chips.ipynb": b"another lab",
        "Oh, Dan.zip": zip_bytes({f"mine/{NOTEBOOK}": lab_bytes("4")}),
        "final_FINAL.ipynb": lab_bytes("5"),
        "ann_and_bob1.ipynb": lab_bytes("6"),
        "eve/notes.docx": b"PK",
    }.items():
        (odd / path).parent.mkdir(parents=True, exist_ok=True)
        (odd / path).write_bytes(data)
    done = collect(course.root, LAB, [odd])
    assert done.platform.name == "folder" and {row.handed_in_as for row in done.unresolved} == {
        "final_FINAL",
        "ann_and_bob1",
    }
    assert submitted_file(course, "ann") == lab_bytes("1") and submitted_file(course, "ann", "ann.csv") == b"a,b"
    assert (
        submitted_file(course, "bob11") == lab_bytes("2")
        and submitted_file(course, "bob1") is None
        and submitted_file(course, "cid") == lab_bytes("3")
    )
    assert submitted_file(course, "dan", "Oh, Dan.zip") and done.absent == ["bob1"] and done.unreadable == ["eve"]
    assert {row["how"] for row in mapping_rows(course).values()} >= {"id", "name", "id within the name", "unknown"}
    assert (
        "is not a notebook" in mapping_rows(course)["eve"]["what"]
        or "There is no" in mapping_rows(course)["eve"]["what"]
    )


def test_collect_without_a_roster_takes_folder_names_as_ids(course, tmp_path, download):
    zipped = download({canvas_name("Doe", "Jane", 102, 9002): lab_bytes()})
    with pytest.raises(ValueError, match="autograder roster FILE"):
        collect(course.root, LAB, [zipped])
    assert not (course.root / "autograder/work/collected" / LAB).exists()
    folder = tmp_path / "all"
    (folder / "ann" / LAB).mkdir(parents=True)
    (folder / "ann" / LAB / NOTEBOOK).write_bytes(lab_bytes())
    collect(course.root, LAB, [folder])
    assert submitted_file(course, "ann") == lab_bytes() and mapping_rows(course)["ann"]["how"] == "no roster"


def test_collect_follows_corrections_in_the_table(on_canvas, download):
    zipped = download(
        {
            canvas_name("Doe", "Jane", 102, 9002): lab_bytes("2"),
            canvas_name("Friend", "Some", 555, 9005): lab_bytes("5"),
        }
    )
    collect(on_canvas.root, LAB, [zipped])
    correct_table(on_canvas, friendsome_555="bo", doejane_102="jane2")
    done = collect(on_canvas.root, LAB, [zipped])
    assert (submitted_file(on_canvas, "bo"), submitted_file(on_canvas, "jane2"), submitted_file(on_canvas, "jane")) == (
        lab_bytes("5"),
        lab_bytes("2"),
        None,
    )
    assert "doejane_102 is not jane's any more" in done.notes[0]
    assert collect(on_canvas.root, LAB, [zipped]).same == 2, "what was corrected stays"
    assert mapping_rows(on_canvas)["doejane_102"]["how"] == "by hand"
    correct_table(on_canvas, friendsome_555="nobody-here")
    with pytest.raises(ValueError, match="who is not on the roster"):
        collect(on_canvas.root, LAB, [zipped])


def test_reassigned_work_loses_its_automatic_marks(on_canvas, download):
    zipped = download(
        {canvas_name("Doe", "Jane", number, 9000 + number): lab_bytes(str(number)) for number in (102, 103)}
    )
    collect(on_canvas.root, LAB, [zipped])
    run(on_canvas)
    with on_canvas.gradebook() as book:
        book.find_grade("recommendation", f"lab_{LAB}", LAB, "jane2").manual_score = 3
        book.db.commit()
    correct_table(on_canvas, doejane_102="bo", doejane_103="zoe")
    done = collect(on_canvas.root, LAB, [zipped])
    assert any("no longer in the gradebook: jane." in note for note in done.notes), done.notes
    assert any("since they are yours: jane2." in note for note in done.notes)
    with on_canvas.gradebook() as book:
        assert {one.student_id for one in book.assignment_submissions(LAB)} == {"jane2"}
    assert sorted(run(on_canvas).rows) == ["bo", "zoe"]
    assert list((on_canvas.root / "autograder/work/backup").glob("*.db")), "the gradebook as it was"
    said = " ".join(undo(on_canvas.root, LAB))
    assert "no longer in the gradebook: bo, zoe" in said and submitted_file(on_canvas, "jane") == lab_bytes("102")
    assert "who-undone.csv" in said


def test_two_submissions_of_one_student_stay_unresolved(on_canvas, download, capsys):
    zipped = download(
        {canvas_name("Doe", "Jane", 102, 9002): lab_bytes("2"), canvas_name("Doe", "J", 556, 9009): lab_bytes("9")}
    )
    collect(on_canvas.root, LAB, [zipped])
    correct_table(on_canvas, doej_556="jane")
    before = read_all_files(on_canvas.root / "autograder/work/submitted")
    assert main(["collect", LAB, str(zipped), "--root", str(on_canvas.root)]) == 1
    assert "more than one submission, this and doej_556" in capsys.readouterr().out
    assert read_all_files(on_canvas.root / "autograder/work/submitted") == before
    correct_table(on_canvas, doejane_102="-")
    collect(on_canvas.root, LAB, [zipped])
    assert (
        submitted_file(on_canvas, "jane") == lab_bytes("9") and mapping_rows(on_canvas)["doejane_102"]["student"] == "-"
    )


def test_undo_restores_the_submission_before_a_resubmission(on_canvas, download, capsys):
    name, root = canvas_name("Doe", "Jane", 102, 9002, late=True), ["--root", str(on_canvas.root)]
    first = download({name.replace("LATE_", ""): lab_bytes("1")})
    assert main(["collect", LAB, str(first), *root]) == 0
    after_first = {
        part: read_all_files(on_canvas.root / "autograder/work" / part) for part in ("submitted", "dates")
    } | {"who": mapping_rows(on_canvas)}
    second = download(
        {name.replace("9002", "9010"): lab_bytes("2"), canvas_name("van der Berg", "Bo", 104, 9003): lab_bytes("3")},
        "two.zip",
    )
    assert main(["collect", LAB, str(second), *root]) == 0
    said = capsys.readouterr().out
    assert "It replaced earlier work, which is in autograder/work/collected/03_roofline/2/before" in said
    assert submitted_file(on_canvas, "jane") == lab_bytes("2") and submitted_file(on_canvas, "bo") == lab_bytes("3")
    assert main(["collect", LAB, str(second), *root]) == 0 and "2 unchanged" in capsys.readouterr().out
    assert main(["collect", LAB, "--undo", *root]) == 0
    out = capsys.readouterr().out
    assert "in place again: jane." in out and "dates/03_roofline.csv is as it was" in out
    assert {part: read_all_files(on_canvas.root / "autograder/work" / part) for part in ("submitted", "dates")} | {
        "who": mapping_rows(on_canvas)
    } == after_first
    kept = read_all_files(on_canvas.root / "autograder/work/collected")
    assert lab_bytes("2") in kept.values() and lab_bytes("3") in kept.values(), "what was taken back is not lost"
    assert main(["collect", LAB, "--undo", *root]) == 0 and submitted_file(on_canvas, "jane") is None
    capsys.readouterr()
    assert main(["collect", LAB, "--undo", *root]) == 2 and "nothing of 03_roofline" in capsys.readouterr().err


def test_collect_never_overwrites_a_file_in_submitted(on_canvas, download):
    place = submitted(on_canvas, "jane")
    place.parent.mkdir(parents=True)
    place.write_text("a file where a folder belongs")
    collect(on_canvas.root, LAB, [download({canvas_name("Doe", "Jane", 102, 9002): lab_bytes()})])
    (batch,) = active_batches(on_canvas.root / "autograder/work/collected" / LAB)
    assert (batch.folder / "before/jane").read_text() == "a file where a folder belongs"
    assert submitted_file(on_canvas, "jane") == lab_bytes() and current_keys([batch]) == {"jane": "doejane_102"}


def test_collect_extracts_zips_in_zips(on_canvas, download):
    students = {
        canvas_name("Doe", "Jane", 102, 9002, "lab.zip"): {"all.zip": {f"x/{NOTEBOOK}": lab_bytes("2")}},
        canvas_name("Doe", "Jane", 103, 9003, "lab.zip"): {
            "a.zip": {"b.zip": {"c.zip": {"d.zip": {NOTEBOOK: lab_bytes()}}}}
        },
        canvas_name("van der Berg", "Bo", 104, 9004, "lab.zip"): b"PK\3\4 no zip at all",
    }
    done = collect(on_canvas.root, LAB, [download({"submissions.zip": students})])
    assert done.platform.name == "canvas" and done.new == 3 and sorted(done.unreadable) == ["bo", "jane2"]
    assert "was extracted from lab.zip" in mapping_rows(on_canvas)["doejane_102"]["what"]
    assert (
        submitted_file(on_canvas, "jane", "all.zip") is not None
        and "damaged" in mapping_rows(on_canvas)["vanderbergbo_104"]["what"]
    )


def test_collect_copies_gradebook_extensions_into_the_dates(on_canvas, download):
    on_canvas.submit("jane", {})
    with on_canvas.gradebook() as book:
        book.update_or_create_assignment(LAB, duedate="2030-01-01")
        book.add_submission(LAB, "jane")
        book.grant_extension(LAB, "jane", days=2)
    collect(on_canvas.root, LAB, [download({canvas_name("van der Berg", "Bo", 104, 9003): lab_bytes()})])
    dates = (on_canvas.root / f"autograder/work/dates/{LAB}.csv").read_text()
    assert "jane,,2030-01-03 00:00 UTC," in dates and "bo,,,no" in dates
    run(on_canvas)
    with on_canvas.gradebook() as book:
        assert book.find_submission(LAB, "jane").duedate.day == 3


def test_collect_keeps_dates_that_a_person_entered(on_canvas, download):
    dates = on_canvas.root / f"autograder/work/dates/{LAB}.csv"
    dates.parent.mkdir(parents=True)
    dates.write_text("student,received\njane,2029-12-31 12:00 UTC\n")
    zipped = download(
        {
            canvas_name("Doe", "Jane", 102, 9002, late=True): lab_bytes(),
            canvas_name("Doe", "Jane", 103, 9003): lab_bytes(),
        }
    )
    done = collect(on_canvas.root, LAB, [zipped])
    assert "has other times that you entered; they stay: jane" in done.notes[0]
    assert "jane,2029-12-31 12:00 UTC,," in dates.read_text() and "jane2,,,no" in dates.read_text()


def test_collect_warns_of_late_work_without_a_due_date(on_canvas, download, capsys):
    zipped = download({canvas_name("Doe", "Jane", 102, 9002, late=True): lab_bytes()})
    assert main(["collect", LAB, str(zipped), "--root", str(on_canvas.root)]) == 0
    out = capsys.readouterr().out
    assert "doejane_102 -> jane: late." in out and f"`autograder due {LAB} TIME`" in out


def test_names_that_differ_in_spaces_stay_two_submissions(on_moodle, download):
    zipped = download({moodle_path("Some  One", 1): lab_bytes("1"), moodle_path("Some One", 1): lab_bytes("2")})
    assert {row.handed_in_as for row in collect(on_moodle.root, LAB, [zipped]).unresolved} == {
        "Some One_1",
        "Some One_1 (1)",
    }
    correct_table(on_moodle, **{"Some One_1 (1)": "bo@example.org"})
    collect(on_moodle.root, LAB, [zipped])
    assert submitted_file(on_moodle, "bo@example.org") in (lab_bytes("1"), lab_bytes("2"))


def test_mapping_table_may_use_semicolons(on_canvas, download):
    zipped = download({canvas_name("Some", "One", 555, 1): lab_bytes()})
    collect(on_canvas.root, LAB, [zipped])
    correct_table(on_canvas, someone_555="bo")
    file = on_canvas.root / f"autograder/work/collected/{LAB}.csv"
    with open(file, encoding="utf-8", newline="") as stream:
        rows = list(csv.reader(stream))
    with open(file, "w", encoding="utf-8-sig", newline="") as stream:
        csv.writer(stream, delimiter=";").writerows(rows)
    collect(on_canvas.root, LAB, [zipped])
    assert submitted_file(on_canvas, "bo") == lab_bytes()


def test_dry_run_changes_nothing(on_canvas, download, capsys):
    before = read_all_files(on_canvas.root)
    zipped = download(
        {canvas_name("Doe", "Jane", 102, 9002): lab_bytes(), canvas_name("Some", "One", 555, 1): lab_bytes()}
    )
    assert main(["collect", LAB, str(zipped), "--dry-run", "--root", str(on_canvas.root)]) == 1
    assert "1 submissions would be taken" in capsys.readouterr().out
    after = read_all_files(on_canvas.root)
    assert {name for name in after.keys() - before.keys() if "download" not in name and ".lock" not in name} == set()


def test_collect_reads_nbgraders_exchange(course, tmp_path):
    import_list(course, "student\nann\nbob\ncid\n")
    inbound = tmp_path / "exchange/chip2cluster/inbound"
    # The last is cid's account on The Littlest JupyterHub.
    for name, text in (("ann", "1"), ("ann", "2"), ("eve", "3"), ("jupyter-cid", "1")):
        folder = inbound / f"{name}+{LAB}+2030-01-0{text} 10:00:00 UTC+abc"
        folder.mkdir(parents=True)
        (folder / NOTEBOOK).write_bytes(lab_bytes(text))
        (folder / "timestamp.txt").write_text(f"2030-01-0{text} 10:00:00 UTC")
    with open(course.root / "nbgrader_config.py", "a") as config:
        config.write(f"\nc.Exchange.root = {str(tmp_path / 'exchange')!r}\n")
    with course.gradebook() as book:
        book.update_or_create_assignment(LAB, duedate="2030-01-02")
    done = collect(course.root, LAB)
    assert (done.platform.name, done.new, done.absent, done.late) == ("exchange", 3, ["bob"], ["ann", "eve"])
    assert (
        submitted_file(course, "ann") == lab_bytes("2") and "not on the roster" in mapping_rows(course)["eve"]["what"]
    )
    assert submitted_file(course, "cid") == lab_bytes("1") and mapping_rows(course)["jupyter-cid"]["student"] == "cid"
    assert mapping_rows(course)["ann"]["received"] == "2030-01-02 10:00 UTC"
    assert not (course.root / f"autograder/work/dates/{LAB}.csv").exists(), "a student can have written that time"
    assert os.path.isdir(inbound), "the exchange is only read"
