"""A review brings back what was solved, three items a day, sooner after a miss, with new numbers and the reason."""

import json
import random
from datetime import date, timedelta

import pytest

from autograder import check, course_pages, progress
from autograder.exercises import exercise
from autograder.student import current_page, review_view
from autograder.student import review as shown
from chip2cluster import journal, review

RIDGE, START = "roofline.ridge", date(2026, 11, 12)
OFF, NEAR = "roofline.faster_chip", "roofline.ops_per_byte"  # their values: 40 tokens/s, 295 FLOP/byte


def day(number):
    return (START + timedelta(number)).isoformat()


@pytest.fixture
def clock(tmp_path, monkeypatch):
    """Set the day of the record; it starts on 12 November."""
    monkeypatch.setenv("CHIP2CLUSTER_HOME", str(tmp_path / "record"))
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    monkeypatch.setitem(current_page._last, "exercise", "")

    def set_to(number):
        monkeypatch.setattr(journal, "_now", lambda: f"{day(number)}T10:00:00+00:00")
        monkeypatch.setattr(review, "today", lambda: day(number))

    set_to(0)
    return set_to


def solution(name):
    task, names = exercise(name), {}
    exec(task.solution, names)
    return names[task.function_name]


def with_sparsity(name):
    right = solution(name)
    return lambda *inputs: 2 * right(*inputs)  # "sparse peak used for dense"


# --- the rule ------------------------------------------------------------------------


def entry(number, **others):
    return {
        "attempts": 1,
        "hints": 0,
        "solved": True,
        "revealed": False,
        "when": f"{day(number)}T10:00:00+00:00",
    } | others


def simulated(exercises, days, is_right):
    """Do every day's review, and return the days on which each item came back."""
    record = {"exercises": exercises, "predictions": {}}
    came = {name: [] for name in exercises}
    for number in range(1, days):
        items = review.draw(review.waiting(record, lambda _: True, {}), day(number))
        assert len(items) <= 3 and all(item.due <= day(number) for item in items)
        for item in items:
            came[item.id].append(number)
            place = review.position(record["exercises"][item.id])
            record["exercises"][item.id]["review"] = review.move(place, is_right(item.id), day(number))._asdict()
    return came


@pytest.mark.parametrize("chance", [0.0, 0.5, 0.9, 1.0])
def test_everything_solved_comes_back(chance):
    draw = random.Random(int(10 * chance))
    exercises = {
        f"a.{number}": entry(
            draw.randrange(20), attempts=draw.randrange(1, 6), mistakes={"m": day(0)} if number % 3 else {}
        )
        for number in range(40)
    }
    came = simulated(exercises, 120, lambda _: draw.random() < chance)
    assert all(came.values())


def test_items_that_are_always_missed_do_not_hold_up_the_others():
    missed = {f"a.{number}": entry(0, mistakes={"m": day(0)}) for number in range(5)}
    came = simulated(missed | {f"b.{number}": entry(0) for number in range(5)}, 60, lambda name: name.startswith("b"))
    assert all(came.values())


def test_intervals_grow_with_success_and_shrink_with_a_miss():
    came = simulated({"a.b": entry(0)}, 400, lambda _: True)["a.b"]
    gaps = [after - before for before, after in zip([0, *came], came, strict=False)]
    assert gaps == sorted(gaps) and gaps[0] < gaps[1] < gaps[2]
    for box in range(1, len(review.INTERVALS)):
        place = review.Position(box, day(0))
        wait = {right: review.due(review.move(place, right, day(0))) for right in (True, False)}
        assert wait[False] < review.due(place) <= wait[True]


def test_slow_answers_and_misses_come_back_sooner():
    fluent, hinted, missed, slow, after_solution = (
        review.due(review.position(entry(0, **how)))
        for how in ({}, {"hints": 1}, {"attempts": 2}, {"attempts": 5}, {"solved_after_reveal": True})
    )
    assert max(slow, after_solution) < min(hinted, missed) and max(hinted, missed) < fluent


def test_named_mistakes_come_first():
    exercises = {"a.first": entry(0), "b.slip": entry(1, mistakes={"bits for bytes": day(0)}), "c.last": entry(1)}
    record = {"exercises": exercises, "predictions": {}}
    assert [item.id for item in review.waiting(record, lambda _: True, {})] == ["b.slip", "a.first", "c.last"]


def test_only_first_guesses_off_by_more_than_two_come_back():
    made = {
        name: {"guess": guess, "when": day(0)}
        for name, guess in (("a.low", 39), ("a.half", 40), ("a.high", 161), ("gone", 9))
    }
    record = {"exercises": {"lab.a": entry(0), "a.open": entry(0, solved=False)}, "predictions": made}
    truths = dict.fromkeys(("a.low", "a.half", "a.high"), 80.0)
    items = review.waiting(record, lambda name: not name.startswith("lab."), truths)
    assert [item.id for item in items] == ["a.high", "a.low"]
    assert items == review.waiting(json.loads(json.dumps(record)), lambda name: not name.startswith("lab."), truths)


# --- the record --------------------------------------------------------------------------


def test_an_early_record_keeps_its_day_when_it_is_checked_again(clock):
    journal.attempt(RIDGE, "correct", True)
    clock(5)
    journal.attempt(RIDGE, "correct", True)
    assert review.position(journal.read()["exercises"][RIDGE]) == (2, day(0))


def test_merging_keeps_the_later_repetition(clock, tmp_path):
    journal.attempt(RIDGE, "correct", True)
    journal.predict(OFF, 3)
    mine = json.loads(journal.export_to(tmp_path / "mine.json").read_text())
    theirs = json.loads(json.dumps(mine))
    mine["exercises"][RIDGE]["review"] = {"box": 3, "day": day(9)}
    mine["predictions"][OFF]["review"] = {"box": 1, "day": day(2)}
    mine["review"] = {"day": day(9), "items": [["exercise", RIDGE]]}
    theirs["predictions"][OFF] |= {"guess": 5, "when": day(4), "review": {"box": 2, "day": day(6)}}
    theirs["exercises"][RIDGE] |= {"attempts": 4, "review": {"box": 0, "day": day(8)}}
    for first, second in ((mine, theirs), (theirs, mine)):
        for name, record in (("progress.json", first), ("theirs.json", second)):
            (journal.path().parent / name).write_text(json.dumps(record))
        merged = journal.import_from(journal.path().parent / "theirs.json")
        assert merged["exercises"][RIDGE]["attempts"] == 4
        assert merged["exercises"][RIDGE]["review"] == {"box": 3, "day": day(9)}
        assert merged["predictions"][OFF]["guess"] == 3.0
        assert merged["predictions"][OFF]["review"] == {"box": 2, "day": day(6)}
        assert merged["review"] == mine["review"]


@pytest.mark.parametrize(
    "stored",
    [{"day": "soon", "items": []}, {"day": "2026-11-12", "items": [["lab", "a"]]}, {"items": []}, [], "x"],
)
def test_an_unusable_review_is_refused_and_nothing_changes(clock, tmp_path, stored):
    (tmp_path / "other.json").write_text(
        json.dumps({"format": 1, "predictions": {}, "exercises": {}, "review": stored or {"day": 3, "items": []}})
    )
    with pytest.raises(ValueError, match="nothing was changed"):
        journal.import_from(tmp_path / "other.json")


def test_a_shared_excerpt_holds_no_review(clock, tmp_path):
    journal.attempt(RIDGE, "correct", True)
    clock(7)
    progress("review")
    check(RIDGE, solution(RIDGE))
    journal.share(tmp_path / "journal.json")
    assert "review" not in (tmp_path / "journal.json").read_text()


# --- what a learner sees ------------------------------------------------------------------


def test_a_review_names_the_mistake_the_place_and_the_day(clock):
    assert str(progress("review")) == review_view.EMPTY
    check(RIDGE, with_sparsity(RIDGE))
    check(RIDGE, solution(RIDGE))
    assert "The next item comes back on 15 November" in str(progress("review"))
    clock(3)
    found = progress("review")
    (item,) = found.items
    (mistake,) = journal.read()["exercises"][RIDGE]["mistakes"]
    assert item.reason == f"the mistake “{mistake}”, which you met in 3.1 on 12 November"
    assert item.reason in str(found) and "def ridge(" in found._repr_html_()


def test_a_check_of_the_review_draws_the_numbers_of_its_day(clock):
    given, right = [], solution(RIDGE)

    def recording(*inputs):
        given.append(inputs)
        return right(*inputs)

    check(RIDGE, recording)
    before = [*given]
    given.clear()
    clock(7)
    check(RIDGE, recording)
    assert given == before  # it was not asked for: a notebook that runs again repeats nothing
    assert "review" not in journal.read()
    progress("review")
    given.clear()
    verdict = check(RIDGE, recording)
    assert verdict.correct and "comes back on 5 December" in verdict.after
    assert (
        given == [tuple(case.inputs.values()) for case in exercise(RIDGE).cases(review.seed(RIDGE, day(7)))] != before
    )


def test_only_the_first_check_of_a_review_counts(clock):
    check(RIDGE, solution(RIDGE))
    clock(7)
    progress("review")
    first, second = check(RIDGE, with_sparsity(RIDGE)), check(RIDGE, solution(RIDGE))
    assert "counts as a miss" in first.after and "20 November" in first.after and "repetition" not in second.after
    assert second.correct and first.case.inputs == check(RIDGE, with_sparsity(RIDGE)).case.inputs
    stored = journal.read()["exercises"][RIDGE]
    assert stored["review"] == {"box": 0, "day": day(7)} and stored["attempts"] == 1 and len(stored["mistakes"]) == 1
    (item,) = progress("review").items
    assert "20 November" in item.answer


def test_a_prediction_comes_back_and_its_guess_stays(clock):
    journal.predict(OFF, 400)
    journal.predict(NEAR, 300)
    clock(1)
    (item,) = progress("review").items
    assert item.id == OFF and "factor of 2" in item.reason and "It is 40" not in str(progress("review"))
    with pytest.raises(ValueError, match=f"its predictions: {OFF}"):
        progress("review", recalled={NEAR: 3})
    with pytest.raises(ValueError, match="number above zero"):
        progress("review", recalled={OFF: -3})
    found = str(progress("review", recalled={OFF: 41}))
    assert "It is 40" in found and "10 times too high" in found and "16 November" in found
    assert journal.prediction(OFF)["guess"] == 400.0


def test_a_review_holds_three_items_all_day(clock):
    names = [RIDGE, "roofline.attainable", "links.transfer_time", "machine.in_flight", "machine.lost_work"]
    names = [name for name in names if shown.returns(name)]
    for name in names:
        journal.attempt(name, "correct", True)
    journal.predict(OFF, 400)
    clock(30)
    first = progress("review")
    assert len(first.items) == 3 and f"{len(names) - 2} more waiting" in first.note
    check(first.items[0].id, solution(first.items[0].id)) if first.items[0].kind == "exercise" else None
    assert [item.id for item in progress("review").items] == [item.id for item in first.items]
    clock(31)
    assert progress("review", day=day(30)).items[1:] == first.items[1:]


def test_page_and_list_give_the_intervals_of_the_rule(clock):
    *others, last = map(str, review.INTERVALS[1:])
    words = f"after {', '.join(others)} and {last} days"
    page = (course_pages.chapters()[0].parent / "review.ipynb").read_text(encoding="utf-8")
    assert words in review_view.RULE and words in page


def test_graded_work_does_not_come_back(clock):
    graded = next(name for name in shown.exercises() if exercise(name).graded)
    journal.attempt(graded, "correct", True)
    clock(50)
    assert str(progress("review")) == review_view.EMPTY
