"""An id may change; nothing that a learner did under the old one is lost."""

import json
from types import SimpleNamespace

import pytest

from autograder import check, given, hint, progress, reveal
from autograder.exercises import UnknownExercise, exercise, exercises
from autograder.grading.result import GRADED, Result
from autograder.grading.student_seeds import secrets_for
from autograder.secret import hidden_key, seed_for, student_seed
from chip2cluster import journal, predict, renamed
from chip2cluster.exercise.verdict_codes import NOT_WRITTEN

PERSONAL = next(one.id for one in exercises().values() if one.constants)


@pytest.fixture(autouse=True)
def own_record(tmp_path, monkeypatch):
    monkeypatch.setenv("CHIP2CLUSTER_HOME", str(tmp_path / "record"))
    monkeypatch.setenv("CHIP2CLUSTER_STUDENT", "reader")


@pytest.fixture
def rename(monkeypatch):
    """Rename twice: first.name became second.name, and that is called as given now."""

    def renamed_to(now, kind="EXERCISES"):
        mapping = getattr(renamed, kind)
        monkeypatch.setitem(mapping, "first.name", "second.name")
        monkeypatch.setitem(mapping, "second.name", now)

    return renamed_to


def entry(**fields):
    return {"attempts": 1, "solved": False, "hints": 0, "revealed": False, "verdict": "wrong", **fields}


def stored(**exercises):
    return {
        "format": 1,
        "predictions": {},
        "exercises": {name.replace("__", "."): row for name, row in exercises.items()},
    }


def write(record):
    journal.path().parent.mkdir(parents=True, exist_ok=True)
    journal.path().write_text(json.dumps(record))


@pytest.mark.parametrize(("mapping", "find"), [("EXERCISES", exercise), ("PREDICTIONS", predict.find)])
def test_every_renamed_id_leads_to_one_in_use(mapping, find):
    for old in getattr(renamed, mapping):
        today = renamed.current(old, getattr(renamed, mapping))
        assert find(old).id == today != old, f"{old} is in use again: take another name, or old records count for it"


def test_an_attempt_under_an_old_id_counts_under_the_new_one(rename):
    write(stored(first__name=entry(attempts=4, solved=True, hints=2)))
    rename("roofline.ridge")
    row = next(row for row in progress().exercises if row["exercise"] == "roofline.ridge")
    assert (row["state"], row["attempts"], row["hints"]) == ("solved", 4, 2)
    journal.attempt("roofline.ridge", "wrong", False)
    kept = json.loads(journal.path().read_text())["exercises"]
    assert list(kept) == ["roofline.ridge"] and kept["roofline.ridge"]["attempts"] == 4  # solved


@pytest.mark.parametrize("old_solved", [True, False])
def test_of_two_entries_the_solved_one_stays(rename, old_solved):
    write(stored(first__name=entry(solved=old_solved), roofline__ridge=entry(solved=not old_solved, attempts=9)))
    rename("roofline.ridge")
    assert journal.read()["exercises"] == {"roofline.ridge": entry(solved=True, attempts=1 if old_solved else 9)}


def test_an_old_export_is_imported_under_the_new_id(rename, tmp_path):
    file = tmp_path / "old.json"
    file.write_text(json.dumps(stored(second__name=entry(solved=True))))
    rename("roofline.ridge")
    assert journal.import_from(file)["exercises"]["roofline.ridge"]["solved"]


def test_an_old_page_still_works(rename):
    rename("roofline.ridge")
    verdict = check("first.name", lambda *_: None)
    assert verdict.exercise == "roofline.ridge"
    assert "Hint 1" in repr(hint("first.name")) and "Hint 2" in repr(hint("roofline.ridge"))
    reveal("second.name")
    (kept,) = journal.read()["exercises"].items()
    assert kept[0] == "roofline.ridge" and kept[1]["hints"] == 2 and kept[1]["revealed"]
    with pytest.raises(UnknownExercise):
        check("third.name", lambda: 0)


def test_seeds_and_numbers_of_ones_own_stay(rename):
    def drawn(name):
        return seed_for(name), hidden_key("reader", name), student_seed("reader", name)

    first = *_, own = drawn("first.name")
    rename(PERSONAL)
    assert drawn(PERSONAL) == first
    assert given("first.name") == given(PERSONAL) == exercise(PERSONAL).given(own)
    in_the_sandbox = secrets_for(
        SimpleNamespace(tasks=[SimpleNamespace(exercise=PERSONAL, definition=exercise(PERSONAL))]), "reader"
    ).given
    assert in_the_sandbox == dict.fromkeys((PERSONAL, "first.name", "second.name"), given(PERSONAL))


def test_the_first_guess_stays_whichever_id_it_was_made_under(rename):
    guesses = {
        "first.name": {"guess": 3.0, "when": "2026-01-01"},
        "roofline.faster_chip": {"guess": 5.0, "when": "2026-02-01"},
    }
    write({"format": 1, "predictions": guesses, "exercises": {}})
    rename("roofline.faster_chip", "PREDICTIONS")
    assert journal.prediction("roofline.faster_chip")["guess"] == 3.0
    assert predict.ask("second.name").question.id == "roofline.faster_chip"
    assert [made.guess for made in predict.calibration()] == [3.0]


def test_a_stored_result_is_read_under_the_new_id(rename):
    row = {"score": 1.0, "max_score": 2.0, "verdict": NOT_WRITTEN, "message": "", "mistake": ""}
    before = Result("lab", "ann", GRADED, "bubblewrap", exercises={"first.name": row}).to_json()
    rename("roofline.ridge")
    assert Result.from_json(before).exercises == {"roofline.ridge": row}


def test_words_of_earlier_notebooks_still_count():
    """The notebook of chapter 12 asked for house words, and asks for the field's now."""
    task = exercise("storage.diagnose")
    namespace = {}
    source = task.solution
    for old, new in task.former_words:
        assert f'"{new}"' in source
        source = source.replace(f'"{new}"', f'"{old}"')
    exec(source, namespace)
    assert check(task.id, namespace["diagnose"]).correct
    exec(source.replace('"names"', '"letters"'), namespace)
    assert not check(task.id, namespace["diagnose"]).correct


def test_former_words_stand_for_present_answers():
    """No former word is an answer today, and each stands for one that is."""
    listed = [task for task in exercises().values() if task.former_words]
    assert listed
    for task in listed:
        answers = {task.expected(case) for seed in (1, 2, 3) for case in task.cases(seed)}
        assert not answers & {old for old, _ in task.former_words} and {new for _, new in task.former_words} <= answers
