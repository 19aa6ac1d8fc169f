"""Predictions in the page: the same words as in Python, frozen, kept in the browser, cleared only when asked twice."""

import json
import random
import shutil
from math import log10
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe

from chip2cluster import predict, renamed
from chip2cluster.explore import script
from course.publish.book import predictions
from tests.serving import served

IDS = ("roofline.faster_chip", "roofline.ops_per_byte")
FORMER = "roofline.former"  # what the second was once called
UNITS = ["tokens/s", "%", "multiply-accumulates", "GB/s", "million FLOP", "µs"]
PLACE = "roofline.explore"
KEY = "chip2cluster.predictions.1"
REFUSING = (
    "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no', 'SecurityError'); } });"
)
SAY = """async (asked) => {
    const { parse, verdict, summary } = await import("./_static/predictions.js");
    const read = ([text, unit]) => { try { return parse(text, unit); } catch (error) { return error.message; } };
    return { read: asked.texts.map(read), said: asked.pairs.map((pair) => verdict(...pair)), sums: asked.orders.map(summary) };
}"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Two pages with forms and a record, as the book has them, on a local server."""
    root = tmp_path_factory.mktemp("site")
    static = root / "_static"
    static.mkdir()
    here = Path(predictions.__file__).parent
    for file in (here / predictions.SCRIPT, here / "cards.css"):
        shutil.copy(file, static)
    script.write(static)
    with pytest.MonkeyPatch.context() as patched:
        patched.setitem(renamed.PREDICTIONS, FORMER, IDS[1])
        (static / predictions.DATA).write_text(predictions.data(), encoding="utf-8")
    notes = f"{predictions.notes(predict.notes(PLACE))}<details><summary>Seen</summary><p>It climbs.</p></details>"
    for name, ids in (("one", IDS), ("two", ("mfu.run",))):
        forms = "".join(predictions.form(predict.ask(question)) for question in ids)
        (root / f"{name}.html").write_text(
            f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{name}</title>'
            '<link rel="stylesheet" href="_static/explorer.css"><link rel="stylesheet" href="_static/cards.css">'
            f'<body><main><h1>{name}</h1>{forms}{notes}{predictions.record()}</main><script type="module" src="_static/predictions.js"></script></body></html>',
            encoding="utf-8",
        )
    with served(root) as address:
        yield address


@pytest.fixture
def visit(browser, site):
    """Open a page of the site in a browser profile of its own; faults in the page fail the test."""
    context, faults = browser.new_context(), []
    context.set_default_timeout(10_000)

    def opened(name="one", script=""):
        page = context.new_page()
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.add_init_script(script)
        page.goto(f"{site}/{name}.html")
        page.locator("[data-predictions] [aria-live]:not(:empty)").wait_for()
        return page

    yield opened
    context.close()
    assert not faults


def form(page, question):
    return page.locator(f'[data-prediction="{question}"]')


def guess(page, question, text, enter=True):
    field = form(page, question).get_by_label("Your guess")
    field.fill(text)
    field.press("Enter") if enter else form(page, question).get_by_role("button", name="Commit").click()


def stored(page):
    return json.loads(page.evaluate(f"localStorage.getItem('{KEY}')") or "{}")


def texts():
    """Guesses as people type them, and invalid input, each with a unit that is asked for."""
    draw = random.Random(7)
    numbers = ["0", "-3", "+7", ".5", "3.", "1e3", "1E-3", "1.2e+5", "1,200", "12,34", "1,5", "1,234,567.5", "1e999", "1e-999", "1e101",
               "1e-101", "1_000", "1.2.3", "e5", "", " ", "nan", "inf", "-inf", "many", "٣", "½", "1 2", "--4", "0x10", "4 0", "$1"]  # fmt: skip
    numbers += [f"{10 ** draw.uniform(-6, 12):.{draw.randrange(1, 7)}g}" for _ in range(60)]
    numbers += [f"{10 ** draw.uniform(3, 12):,.{draw.randrange(0, 3)}f}" for _ in range(30)]
    tails = ["", " ", " GB/s", "%", "tokens / s", " TOKENS/S", "μs", "ＧＢ/s", "\n% ", ", ", " {unit}", " $&", "'"]
    return [(number + draw.choice(tails), draw.choice(UNITS)) for number in numbers for _ in range(4)]


def read(text, unit):
    try:
        return predict.parse(text, unit)
    except ValueError as error:
        return str(error)


def test_the_page_reads_and_says_what_python_does(visit):
    draw = random.Random(11)
    asked = texts()
    truths = [question.truth() for question in predict.QUESTIONS]
    pairs = [
        (read(*text), truth) for text, truth in zip(asked, truths * 40, strict=False) if isinstance(read(*text), float)
    ]
    pairs += [(truth * 10 ** draw.gauss(0, 1), truth) for truth in truths * 10]
    ties = (1, 1.005, 1.125, 1.15, 1.045, 1.055, 1.4, 2.25, 2.5, 4, 8, 12.5, 20, 62.5, 999.5, 1000, 2500.5, 1e6, 1e30)
    pairs += [(8.0 * factor, 8.0) for factor in ties] + [(8.0, 8.0 * factor) for factor in ties]
    orders = [[log10(one / truth) for one, truth in draw.sample(pairs, draw.randrange(1, 9))] for _ in range(200)]
    orders += [[], [0.1], [0.0999], [-0.1], [0.125], [0.375, -0.375], [0.0]]
    assert len(asked) > 400 and len(pairs) > 400 and len({type(read(*one)) for one in asked}) == 2
    found = visit().evaluate(SAY, {"texts": asked, "pairs": pairs, "orders": orders})
    for name, given, python in (
        ("read", asked, [read(*one) for one in asked]),
        ("said", pairs, [predict.verdict(*pair) for pair in pairs]),
        ("sums", orders, [predict.summary(one) for one in orders]),
    ):
        assert [(one, a) for one, a, b in zip(given, found[name], python, strict=True) if a != b] == [], name


def test_form_has_no_buttons_but_its_own(visit):
    buttons = form(visit(), IDS[0]).get_by_role("button")
    assert buttons.all_inner_texts() == ["Commit"]


def test_nothing_is_told_before_the_commit_and_all_of_it_after(visit, tmp_path, monkeypatch):
    monkeypatch.setenv("CHIP2CLUSTER_HOME", str(tmp_path))
    page = visit()
    for name in IDS:
        question = predict.ask(name)
        before = form(page, name).evaluate("node => node.outerHTML")
        assert question.question.text in form(page, name).inner_text()
        assert question.value not in before and question.reason not in before
    guess(page, IDS[0], "120")
    in_python = predict.ask(IDS[0]).commit("120")
    assert form(page, IDS[0]).locator(".c2c-sentence").inner_text().replace("\u00a0", " ") == in_python
    assert predict.ask(IDS[1]).value not in page.locator("main").evaluate("node => node.outerHTML")
    assert "So far: 1 prediction, on average off by a factor of 3.0" in form(page, IDS[0]).inner_text()
    assert stored(page)[IDS[0]]["guess"] == 120


def test_a_guess_that_is_none_is_explained_and_not_kept(visit):
    page = visit()
    guess(page, IDS[0], "40 GB/s", enter=False)
    alert = form(page, IDS[0]).get_by_role("alert")
    assert alert.inner_text() == "Type the number alone: the answer is wanted in tokens/s, not in 'GB/s'."
    assert stored(page) == {} and form(page, IDS[0]).get_by_label("Your guess").input_value() == "40 GB/s"
    guess(page, IDS[0], "40", enter=False)
    assert (
        not form(page, IDS[0]).locator("[role=alert]").text_content()
        and "You were right." in form(page, IDS[0]).inner_text()
    )


def test_the_first_guess_stays_in_every_window(visit):
    page, other = visit(), visit()
    guess(page, IDS[0], "1,200 tokens/s")
    other.locator("text=You were 30 times too high").wait_for()
    page.reload()
    assert form(page, IDS[0]).get_by_label("Your guess").input_value() == "1,200 tokens/s"
    assert form(page, IDS[0]).get_by_label("Your guess").is_disabled()
    assert form(page, IDS[0]).get_by_role("button", name="Committed").is_disabled()
    # Kept meanwhile, and this page has not heard of it yet.
    page.evaluate(f"localStorage.setItem('{KEY}', JSON.stringify({{'{IDS[1]}': {{guess: 5, typed: '5', when: ''}}}}))")
    guess(page, IDS[1], "295")
    assert stored(page)[IDS[1]]["guess"] == 5 and form(page, IDS[1]).get_by_label("Your guess").input_value() == "5"


def test_record_counts_chapters_and_clears_after_confirmation(visit):
    page = visit()
    guess(page, IDS[0], "120")
    page = visit("two")
    guess(page, "mfu.run", "30")
    record = page.locator("[data-predictions-record]")
    orders = [log10(120 / predict.find(IDS[0]).truth()), log10(30 / predict.find("mfu.run").truth())]
    assert predict.summary(orders) in record.inner_text() and "in the notebook" in record.inner_text().lower()
    record.get_by_text("All of them").click()
    assert record.locator("tbody tr").count() == 2 and "40 tokens/s" in record.inner_text()
    for answer, left in (("Keep", 2), ("Clear", 0)):
        record.get_by_role("button", name="Clear my predictions").click()
        dialog = page.get_by_role("dialog")
        assert "all 2 predictions" in dialog.inner_text() and len(stored(page)) == 2
        dialog.get_by_role("button", name=answer, exact=True).click()
        assert len(stored(page)) == left and not dialog.is_visible()
    assert predict.summary([]) in record.inner_text() and record.locator("button:visible").count() == 0
    guess(page, "mfu.run", "41")
    assert stored(page)["mfu.run"]["guess"] == 41


def test_a_browser_that_keeps_nothing_still_answers_and_says_so(visit):
    page = visit(script=REFUSING)
    guess(page, IDS[0], "40")
    guess(page, IDS[1], "295")
    assert "You were right." in form(page, IDS[0]).inner_text()
    for text in (form(page, IDS[1]).inner_text(), page.locator("[data-predictions-record]").inner_text()):
        assert "2 predictions" in text and "until you leave this page" in text


def test_a_damaged_record_is_set_aside_not_lost(visit):
    page = visit()
    for damage in ("{", "[]", '{"roofline.faster_chip": {"guess": -1, "typed": "x"}}', '{"a": null}'):
        page.evaluate(f"text => {{ localStorage.clear(); localStorage.setItem('{KEY}', text); }}", damage)
        page.reload()
        guess(page, IDS[0], "40")
        assert stored(page)[IDS[0]]["guess"] == 40, damage
        assert page.evaluate(f"localStorage.getItem('{KEY}.damaged')") == damage


def test_a_guess_under_a_former_id_stays(visit):
    page = visit()
    page.evaluate(f"localStorage.setItem('{KEY}', JSON.stringify({{'{FORMER}': {{guess: 5, typed: '5', when: ''}}}}))")
    page.reload()
    assert form(page, IDS[1]).get_by_label("Your guess").is_disabled()
    guess(page, IDS[0], "40")
    assert stored(page)[IDS[1]]["guess"] == 5 and FORMER not in stored(page)


def test_words_are_kept_beside_each_other_and_open_the_answer(visit):
    page, other = visit(), visit()
    notes = page.locator("[data-notes]")
    assert not page.get_by_text("It climbs.").is_visible()
    notes.get_by_role("button", name="Keep").click()
    assert "Write what you saw" in notes.get_by_role("alert").inner_text()
    field = notes.get_by_role("textbox")
    field.fill("The <b>first</b> mark\nclimbs.")
    page.reload()  # typed, and not kept
    assert field.input_value() == "The <b>first</b> mark\nclimbs."
    field.press("Control+Enter")
    page.get_by_text("It climbs.").wait_for()
    assert notes.locator("blockquote p").all_inner_texts() == ["The <b>first</b> mark\nclimbs."]
    assert field.input_value() == "" and notes.get_by_role("button", name="Keep").is_enabled()
    # The other window hears of it, and adds to it.
    there = other.locator("[data-notes]")
    there.get_by_text("climbs.").wait_for()
    there.get_by_label("Add to your notes").fill("Others stay.")
    there.get_by_role("button", name="Keep").click()
    notes.get_by_text("Others stay.").wait_for()
    page.reload()
    assert notes.locator("blockquote p").count() == 2
    for damage in ("{", "[]"):
        page.evaluate("text => localStorage.setItem('chip2cluster.notes.1', text)", damage)
        page.reload()
        assert page.evaluate("localStorage.getItem('chip2cluster.notes.1.damaged')") == damage


def test_without_script_the_question_stands_there(browser, site):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{site}/one.html")
    shown = page.locator("main").inner_text()
    assert predict.find(IDS[0]).text in shown and "needs JavaScript" in shown and "in the notebook" in shown.lower()
    assert page.locator("input, button").count() == 0
    context.close()


def test_everybody_can_use_the_forms(visit):
    page = visit()
    rules = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
    for act in (lambda: None, lambda: guess(page, IDS[0], "x"), lambda: guess(page, IDS[0], "30"),
                lambda: page.get_by_text("All of them").click(), lambda: page.get_by_role("button", name="Clear my").click()):  # fmt: skip
        act()
        found = Axe().run(page, options=rules).response["violations"]
        assert [(one["id"], one["nodes"][0]["html"]) for one in found] == []
