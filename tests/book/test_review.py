"""The review in the page: the rule and the words of Python, today's three with links, counted when a reader says so."""

import json
import random
import shutil
from datetime import date, timedelta
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe

from autograder.exercises import exercises
from autograder.student import review as shown
from autograder.student import review_view
from chip2cluster import journal, predict
from chip2cluster import review as rule
from chip2cluster.explore import script
from course.publish.book import live_exercises, predictions, review
from tests.serving import served

RIDGE, OFF = "roofline.ridge", "roofline.faster_chip"
APPLY = """async (cases) => {
    const rule = await import("./_static/review.js"), { default: data } = await import("./_static/review-data.js");
    return cases.map(({ record, day, truths, known }) => {
        const items = rule.waiting(record, (id) => known.includes(id), truths);
        const entries = Object.values(record.exercises);
        return {
            waiting: items.map(({ kind, id, due }) => [kind, id, due]),
            drawn: rule.draw(items, day).map(({ id }) => id),
            open: Object.keys(record.exercises).filter((id) => rule.isOpen(record, "exercise", id)),
            moved: entries.map((entry) => [true, false].map((right) => rule.move(rule.position(entry), right, day))),
            due: entries.map((entry) => rule.due(rule.position(entry))),
            said: entries.map((entry) => rule.reason("exercise", entry, "1.3", data.words)),
            guessed: Object.values(record.predictions).map((entry) => rule.reason("prediction", entry, "chapter 3", data.words)),
            sound: rule.isSound(record),
        };
    });
}"""
MERGE = """async ({ mine, theirs }) => {
    const { exported, imported } = await import("./_static/record.js");
    for (const part of ["exercises", "predictions", "notes", "review"]) localStorage.setItem(`chip2cluster.${part}.1`, "{}");
    imported(JSON.stringify(mine));
    imported(JSON.stringify(theirs));
    return exported();
}"""


def day(number):
    return (date(2026, 11, 1) + timedelta(number)).isoformat()


def records(count):
    """Records at random, with all that an entry may hold or lack, each with a day, truths and known exercises."""
    draw = random.Random(43)
    when = lambda: f"{day(draw.randrange(80))}T{draw.randrange(10, 24)}:00:00+00:00"
    stored = lambda: {"box": draw.randrange(6), "day": day(draw.randrange(80))}

    def entry():
        made = {
            "attempts": draw.randrange(6),
            "solved": draw.random() < 0.8,
            "hints": draw.randrange(3),
            "revealed": False,
        }
        made |= {"when": when()} if draw.random() < 0.9 else {}
        made |= {"solved_after_reveal": draw.random() < 0.3} if made["solved"] else {}
        made |= (
            {"mistakes": {f"m{number}": when() for number in range(draw.randrange(3))}} if draw.random() < 0.6 else {}
        )
        return made | ({"review": stored()} if draw.random() < 0.5 else {})

    for _ in range(count):
        names = [f"{topic}.{number}" for topic in "ab" for number in range(draw.randrange(1, 8))]
        guesses = {
            name: {"guess": draw.choice([39, 40, 79.0, 160, 161]), "when": when()}
            | ({"review": stored()} if draw.random() < 0.5 else {})
            for name in draw.sample(names, len(names) // 2)
        }
        record = {"format": 1, "exercises": {name: entry() for name in names}, "predictions": guesses, "notes": {}}
        if draw.random() < 0.8:
            record["review"] = {"day": day(draw.randrange(80)), "items": [["exercise", name] for name in names[:3]]}
        known = [name for name in names if draw.random() < 0.9]
        yield {
            "record": record,
            "day": day(draw.randrange(200)),
            "truths": dict.fromkeys(names[1:], 80.0),
            "known": known,
        }


def applied(record, day, truths, known):
    """What Python's rule says of a record."""
    items = rule.waiting(record, known.__contains__, truths)
    entries = record["exercises"].values()
    return {
        "waiting": [[*item] for item in items],
        "drawn": [item.id for item in rule.draw(items, day)],
        "open": [name for name in record["exercises"] if rule.is_open(record, rule.EXERCISE, name)],
        "moved": [
            [rule.move(rule.position(entry), right, day)._asdict() for right in (True, False)] for entry in entries
        ],
        "due": [rule.due(rule.position(entry)) for entry in entries],
        "said": [review_view.reason(rule.EXERCISE, entry, "1.3") for entry in entries],
        "guessed": [
            review_view.reason(rule.PREDICTION, entry, "chapter 3") for entry in record["predictions"].values()
        ],
        "sound": True,
    }


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The page of the review and its scripts on a local server."""
    root = tmp_path_factory.mktemp("site")
    static = root / "_static"
    static.mkdir()
    here = Path(review.__file__).parent
    files = [here / predictions.SCRIPT, here / "cards.css"]
    for file in files:
        shutil.copy(file, static)
    script.write(static)
    live_exercises.write(static)
    (static / predictions.DATA).write_text(predictions.data(), encoding="utf-8")
    (static / review.DATA).write_text(review.data(), encoding="utf-8")
    (root / "review.html").write_text(
        '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Review</title>'
        '<link rel="stylesheet" href="_static/explorer.css"><link rel="stylesheet" href="_static/cards.css">'
        f"<body><main><h1>Review</h1><h2>Today</h2>{review.html()}</main>",
        encoding="utf-8",
    )
    with served(root) as address:
        yield address


@pytest.fixture
def visit(browser, site):
    """Open the review with a record, on a day; faults in the page fail the test."""
    context, faults = browser.new_context(viewport={"width": 390, "height": 844}), []
    context.set_default_timeout(10_000)

    def opened(record=None, number=0):
        page = context.new_page()
        page.clock.set_fixed_time(f"{day(number)}T12:00:00Z")
        page.on("pageerror", lambda error: faults.append(str(error)))
        for part, entries in (record or {}).items():
            page.add_init_script(
                f"localStorage.getItem('chip2cluster.{part}.1') ?? localStorage.setItem('chip2cluster.{part}.1', {json.dumps(json.dumps(entries))})"
            )
        page.goto(f"{site}/review.html")
        return page

    yield opened
    context.close()
    assert not faults


def solved(number, **others):
    return {
        "attempts": 1,
        "solved": True,
        "hints": 0,
        "revealed": False,
        "when": f"{day(number)}T10:00:00.000Z",
    } | others


def test_the_page_applies_the_rule_of_python(visit):
    cases = [*records(300)]
    found = visit().evaluate(APPLY, cases)
    assert len({len(one["drawn"]) for one in found}) == 4  # 0 to 3
    for case, one in zip(cases, found, strict=True):
        assert one == applied(**case)


def test_the_page_merges_reviews_as_python_does(visit, tmp_path, monkeypatch):
    monkeypatch.setenv("CHIP2CLUSTER_HOME", str(tmp_path))
    cases, page = [*records(40)], visit()
    for first, second in zip(cases[::2], cases[1::2], strict=True):
        for record in (first["record"], second["record"]):
            for entry in record["predictions"].values():
                entry["typed"] = str(entry["guess"])
        journal.path().write_text(json.dumps(first["record"]))
        (tmp_path / "theirs.json").write_text(json.dumps(second["record"]))
        expected = journal.import_from(tmp_path / "theirs.json")
        found = page.evaluate(MERGE, {"mine": first["record"], "theirs": second["record"]})
        reviews = lambda record, part: {name: entry.get("review") for name, entry in record[part].items()}
        assert [reviews(found, part) for part in rule.PARTS.values()] == [
            reviews(expected, part) for part in rule.PARTS.values()
        ]
        assert found.get("review") == expected.get("review")


def test_an_unusable_review_is_refused(visit):
    page = visit()
    wrong = [
        {"day": "soon", "items": []},
        {"day": day(0), "items": [["lab", "a"]]},
        {"items": []},
        [],
        "x",
        {"day": day(0)},
    ]
    for review_ in wrong:
        refused = page.evaluate(
            """async (text) => { const { imported } = await import("./_static/record.js");
            try { imported(text); return ""; } catch (error) { return error.message; } }""",
            json.dumps({"format": 1, "predictions": {}, "exercises": {}, "review": review_}),
        )
        assert "nothing was changed" in refused, review_


def test_a_run_of_a_drawn_exercise_counts_once(visit):
    page = visit({"exercises": {RIDGE: solved(0)}}, 7)
    page.locator("ol a").wait_for()
    counted = page.evaluate(
        """async (id) => {
            const { attempt, entry, repeat } = await import("./_static/record.js");
            const found = { heading: "wrong", correct: false, mistake: "bits for bytes" };
            attempt(id, found);
            return [repeat("exercise", id, false, found.mistake)?.review, repeat("exercise", id, true), entry(id)];
        }""",
        RIDGE,
    )
    assert counted[0] == {"box": 0, "day": day(7)} and counted[1] is None
    assert counted[2]["attempts"] == 1 and counted[2]["solved"] and [*counted[2]["mistakes"]] == ["bits for bytes"]


def test_a_later_run_does_not_postpone_the_review(visit):
    page = visit({"exercises": {RIDGE: solved(0)}}, 5)
    kept = page.evaluate(
        """async (id) => {
            const { attempt, entry } = await import("./_static/record.js");
            attempt(id, { heading: "correct", correct: true, mistake: "" });
            return entry(id);
        }""",
        RIDGE,
    )
    assert kept["when"].startswith(day(5)) and kept["review"] == {"box": 2, "day": day(0)}


def test_a_reader_without_script_is_told_what_the_page_is(site, browser):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{site}/review.html")
    assert 'progress("review")' in page.locator("main").inner_text()
    context.close()


def test_the_page_lists_three_with_links_and_reasons(visit):
    names = [name for name in exercises() if shown.returns(name)][:4]
    record = {
        "exercises": {name: solved(0) for name in names}
        | {RIDGE: solved(2, attempts=2, mistakes={"GB for GiB": f"{day(2)}T10:00:00Z"})}
    }
    page = visit(record, 12)
    links = page.locator("ol a")
    assert links.count() == 3
    assert links.first.get_attribute("href") == "03_roofline.html#exercise-roofline-ridge"
    assert links.first.inner_text() == "3.1 · " + exercises()[RIDGE].title
    text = page.locator("main").inner_text()
    assert "the mistake “GB for GiB”, which you met in 3.1 on 3 November" in text
    assert "2 more waiting" in text and "at once, on 1 November" in text
    axe = Axe().run(page)
    assert axe.violations_count == 0, axe.generate_report()


def test_a_reader_says_what_was_known(visit):
    made = {OFF: {"guess": 400, "typed": "400", "when": f"{day(0)}T10:00:00Z"}}
    page = visit({"predictions": made, "exercises": {RIDGE: solved(0)}}, 20)
    item = page.locator("li").filter(has_text="three times")
    assert not item.get_by_text("It is 40").is_visible()
    item.get_by_text("Show the value").click()
    assert item.get_by_text("It is 40").is_visible()
    item.get_by_role("button", name="I knew it").click()
    assert page.evaluate("document.activeElement.textContent") == "✓ Comes back on 24 November."
    page.get_by_role("button", name="Not yet").click()  # the exercise: this site has no Python
    assert page.get_by_role("button").count() == 0
    assert Axe().run(page).violations_count == 0
    found = {
        part: json.loads(page.evaluate(f"localStorage.getItem('chip2cluster.{part}.1')"))
        for part in ("predictions", "exercises")
    }
    assert found["predictions"][OFF] == made[OFF] | {"review": {"box": 1, "day": day(20)}}
    assert found["exercises"][RIDGE]["review"] == {"box": 0, "day": day(20)}
    page.reload()
    assert page.locator("li").count() == 2 and page.get_by_role("button").count() == 0
    assert "Comes back on 22 November" in page.locator("main").inner_text()


def test_nothing_due_is_said_with_the_next_day(visit):
    assert review_view.EMPTY in visit().locator("main").inner_text()
    page = visit({"exercises": {RIDGE: solved(0)}}, 3)
    assert "The next item comes back on 8 November" in page.locator("main").inner_text()


def test_every_link_of_the_review_has_its_question_and_exercise():
    data = json.loads(review.data().removeprefix("export default ").removesuffix(";\n"))
    assert {*data["exercises"]} == {name for name, task in exercises().items() if not task.graded}
    assert {*data["pages"]} == {question.id for question in predict.QUESTIONS}
