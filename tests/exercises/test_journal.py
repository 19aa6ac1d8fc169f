"""The learner's record is frozen where it must be, and never lost."""

import json
import os
from concurrent.futures import ProcessPoolExecutor

import pytest

from chip2cluster import journal

pytestmark = pytest.mark.usefixtures("own_record")


def test_the_first_prediction_stays():
    assert journal.prediction("q") is None
    first = journal.predict("q", 3)
    assert journal.predict("q", 4) == first and journal.prediction("q")["guess"] == 3.0


@pytest.mark.parametrize(
    "text",
    [
        "{oops",
        "",
        "[]",
        '{"format": 1}',
        '{"format": 1, "predictions": {"q": {}}, "exercises": {}}',
        "\x00\xff",
    ],
)
def test_a_damaged_file_is_set_aside_and_reported(text):
    journal.predict("q", 3)
    journal.path().write_bytes(text.encode("latin-1"))
    with pytest.warns(journal.JournalWarning, match="renamed to"):
        assert journal.read()["predictions"] == {}
    journal.predict("q", 5)
    (aside,) = journal.path().parent.glob("progress.damaged-*.json")
    assert aside.read_bytes() == text.encode("latin-1")
    journal.path().write_text("{again")
    with pytest.warns(journal.JournalWarning):
        journal.read()
    assert len(list(journal.path().parent.glob("progress.damaged-*.json"))) == 2


def test_record_without_notes_is_read_and_keeps_new_fields(tmp_path):
    known = {"q": {"guess": 3.0, "when": "2020-01-01T00:00:00+00:00", "mood": "sure"}}
    journal.path().parent.mkdir()
    journal.path().write_text(json.dumps({"format": 1, "predictions": known, "exercises": {}, "streak": {"days": 7}}))
    assert journal.notes("a.b") == [] and journal.read()["notes"] == {}
    journal.note("a.b", "Steep.")
    journal.predict("other", 4)
    record = json.loads(journal.path().read_text())
    assert record["streak"] == {"days": 7} and record["predictions"]["q"]["mood"] == "sure"
    assert [entry["text"] for entry in record["notes"]["a.b"]] == ["Steep."]
    assert json.loads(journal.export_to(tmp_path / "mine.json").read_text()) == record


def test_merging_keeps_the_notes_of_both(tmp_path):
    journal.note("a.b", "Mine.")
    other = {"format": 1, "predictions": {}, "exercises": {}, "theirs": 1,
             "notes": {"a.b": [{"text": "Older.", "when": "2020-01-01T00:00:00+00:00"}], "c.d": []}}  # fmt: skip
    (tmp_path / "other.json").write_text(json.dumps(other))
    for _ in range(2):  # twice is once
        merged = journal.import_from(tmp_path / "other.json")
    assert [entry["text"] for entry in merged["notes"]["a.b"]] == ["Older.", "Mine."] and merged["theirs"] == 1


def test_a_record_of_a_format_to_come_is_left_alone(tmp_path):
    usual = journal.path()
    usual.parent.mkdir()
    later = json.dumps({"format": 2, "guesses": {"q": 3}})
    usual.write_text(later)
    with pytest.warns(journal.JournalWarning, match="newer version of the course"):
        journal.predict("q", 5)
    with pytest.warns(journal.JournalWarning, match="stays as it is"):
        assert journal.prediction("q")["guess"] == 5
    assert usual.read_text() == later and usual.with_name("progress.format-1.json").exists()


def test_a_crash_while_writing_loses_nothing(monkeypatch):
    journal.predict("q", 3)
    before = journal.path().read_bytes()

    def crash(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", crash)
    with pytest.raises(KeyboardInterrupt):
        journal.predict("other", 4)
    assert journal.path().read_bytes() == before
    assert not list(journal.path().parent.glob("*.tmp"))


def _many_attempts(number):
    for turn in range(10):
        journal.attempt(f"exercise-{number}-{turn}", "correct", True)


def test_two_notebooks_at_once_lose_nothing():
    with ProcessPoolExecutor(4) as pool:
        list(pool.map(_many_attempts, range(4)))
    assert len(journal.read()["exercises"]) == 40


def test_merge_keeps_earlier_prediction_and_better_exercise(tmp_path):
    journal.predict("q", 3)
    journal.attempt("x", "wrong value", False)
    other = {
        "format": 1,
        "predictions": {
            "q": {"guess": 9.0, "when": "2020-01-01T00:00:00+00:00"},
            "new": {"guess": 1.0, "when": "2021-01-01T00:00:00+00:00"},
        },
        "exercises": {"x": {"attempts": 1, "solved": True, "hints": 2, "revealed": False}},
    }
    file = tmp_path / "other.json"
    file.write_text(json.dumps(other))
    merged = journal.import_from(file)
    assert merged["predictions"]["q"]["guess"] == 9.0 and "new" in merged["predictions"]
    assert merged["exercises"]["x"]["solved"]


def test_a_folder_that_cannot_be_made_is_a_clear_error(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("CHIP2CLUSTER_HOME", str(tmp_path / "file" / "below"))
    with pytest.raises(OSError, match="set CHIP2CLUSTER_HOME"):
        journal.read()


def test_browser_kernel_keeps_the_record_with_its_files(tmp_path, monkeypatch):
    monkeypatch.delenv("CHIP2CLUSTER_HOME")
    usual = journal.path()
    monkeypatch.setattr(journal, "BROWSER_DRIVE", tmp_path / "drive")
    assert journal.path() == usual  # a server, whatever folders it has
    monkeypatch.setattr("sys.platform", "emscripten")
    assert journal.path() == usual  # a browser that keeps no files
    (tmp_path / "drive").mkdir()
    assert journal.path() == tmp_path / "drive/progress/progress.json"
    monkeypatch.setenv("CHIP2CLUSTER_HOME", str(tmp_path / "own"))
    assert journal.path() == tmp_path / "own/progress.json"


def test_a_page_closed_while_writing_locks_no_browser_out(monkeypatch):
    monkeypatch.setattr("sys.platform", "emscripten")
    journal.predict("q", 3)
    assert [file.name for file in journal.path().parent.iterdir()] == ["progress.json"]  # no lock to be left behind
    journal.path().with_name("progress.lock").touch()
    journal.path().with_name("progress-half.tmp").write_text("{")
    assert journal.prediction("q")["guess"] == 3.0
    journal.attempt("e", "correct", True)
    assert journal.read()["exercises"]["e"]["solved"]
