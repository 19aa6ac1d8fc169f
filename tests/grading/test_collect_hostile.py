"""Hostile and broken downloads: nothing is written outside the course, and the message says why."""

import csv
import os
import zipfile
from pathlib import Path

import pytest

from autograder.__main__ import main
from autograder.grading.collect.collect import collect
from tests.grading.course import LAB
from tests.grading.downloads import canvas_name, lab_bytes, mapping_rows, submitted_file, zip_bytes
from tests.grading.fakes import submitted


def list_files_outside(folder):
    """List the files next to a test's folder; walk skips the paths of other tests that are too long to be opened."""
    walk = os.walk(folder.parent)
    return {
        os.path.join(here, name)
        for here, _, names in walk
        if folder not in [Path(here), *Path(here).parents]
        for name in names
    }


def test_collect_writes_hostile_names_inside_the_course(on_canvas, tmp_path):
    zipped = tmp_path / "evil.zip"
    link = zipfile.ZipInfo(canvas_name("Doe", "Jane", 103, 9003))
    link.external_attr = 0o120777 << 16
    with zipfile.ZipFile(zipped, "w") as archive:
        archive.writestr(f"../../../{canvas_name('Doe', 'Jane', 102, 9002)}", lab_bytes("2"))
        archive.writestr(link, "/etc/passwd")
        archive.writestr(canvas_name("van der Berg", "Bo", 104, 9004, "..\\..\\evil\x1b[2J=cmd.ipynb"), lab_bytes("4"))
        archive.writestr("=HYPERLINK(1)_555_9_lab.ipynb", lab_bytes("5"))
        archive.writestr(canvas_name("Müller-O'Neil", "Zoë", 101, 9001), lab_bytes("1"))
        archive.writestr(
            canvas_name("Müller-O'Neil", "Zoë", 101, 9002, "bomb.csv"), b"0" * (140 << 20), zipfile.ZIP_DEFLATED
        )
    before = list_files_outside(tmp_path)
    done = collect(on_canvas.root, LAB, [zipped])
    assert list_files_outside(tmp_path) == before
    assert submitted_file(on_canvas, "jane") == lab_bytes("2") and not submitted(on_canvas, "jane2").exists()
    assert any("is a link" in note for note in done.notes)
    assert not any(path.is_symlink() for path in (on_canvas.root / "autograder").rglob("*"))
    assert "bomb.csv has 14" in mapping_rows(on_canvas)["mülleroneilzoë_101"]["what"]
    table = (on_canvas.root / f"autograder/work/collected/{LAB}.csv").read_text(encoding="utf-8")
    assert "\x1b" not in table and not any(
        cell.startswith("=") for line in csv.reader(table.splitlines()) for cell in line
    )
    assert all(part.isprintable() for path in submitted(on_canvas, "bo").rglob("*") for part in path.parts)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["nothing.zip"], "does not exist; name the zip or the folder"),
        (["broken.zip"], "is not a zip file, or only a part of one"),
        (["empty.zip"], "the download contains no submission"),
        (["autograder/work/submitted"], "a folder of the course itself"),
        (["--undo"], "nothing of 03_roofline was collected"),
        (["ok.zip", "--timezone", "CET"], "no time zone is called 'CET'"),
        (["ok.zip", "--worksheet", "list.csv"], "which has no grading worksheet"),
        (["ok.zip", "--from", "moodle", "--worksheet", "list.csv"], "not a grading worksheet"),
        (["ok.zip", "--from", "exchange"], "exchange is not a download"),
        (["--from", "exchange"], "the exchange cannot be read"),
    ],
)
def test_collect_refuses_an_unusable_download(on_canvas, monkeypatch, capsys, arguments, says):
    monkeypatch.chdir(on_canvas.root)
    (on_canvas.root / "broken.zip").write_bytes(b"PK\3\4")
    (on_canvas.root / "empty.zip").write_bytes(zip_bytes({}))
    (on_canvas.root / "ok.zip").write_bytes(zip_bytes({canvas_name("Doe", "Jane", 102, 9002): lab_bytes()}))
    (on_canvas.root / "autograder/work/submitted/x").mkdir(parents=True)
    with open(on_canvas.root / "nbgrader_config.py", "a") as config:
        config.write(f"\nc.Exchange.root = {str(on_canvas.root / 'exchange')!r}\n")
    assert main(["collect", LAB, *arguments, "--root", str(on_canvas.root)]) == 2
    assert says in capsys.readouterr().err
    assert not submitted(on_canvas, "jane").exists()
