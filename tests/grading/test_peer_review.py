"""Reviews of essays by other students: nobody sees a name or the own answer, and no review is a mark."""

import csv
import json
import re
import shutil
from collections import Counter

import pytest
from axe_playwright_python.sync_playwright import Axe
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder import __main__ as program
from autograder.grading.marking.peer_review import load_plan, make_plan, plan_file
from autograder.grading.marking.session import MarkingSession
from tests.grading.course import LAB, Course
from tests.grading.marking import ESSAY, ESSAYS, entry, graded_class

FIRST, SECOND, CAP = "names-two-chips", "memory-bandwidth-decides", "cap-ranks-by-peak"


@pytest.fixture(scope="module")
def graded(registered, tmp_path_factory):
    return graded_class(registered, tmp_path_factory.mktemp("peers")).root


@pytest.fixture
def course(graded, tmp_path, monkeypatch):
    monkeypatch.setenv("CHIP2CLUSTER_SECRET", "for the tests")
    made = Course.__new__(Course)
    made.root, made.environment = shutil.copytree(graded, tmp_path / "course"), {}
    return made


@pytest.fixture
def peer_review(course, capsys):
    """Run the command; returns exit code, output and errors."""

    def run(*options):
        code = program.main(["peer-review", LAB, "--root", str(course.root), *map(str, options)])
        return code, *capsys.readouterr()

    return run


def plan_of(course):
    return load_plan(plan_file(course.root, LAB, ESSAY))


def save_reviews(folder, plan, choose):
    """Write what each sheet's button saves; ``choose`` gives lines for a reviewer and an author."""
    folder.mkdir()
    for token, codes in plan.answers.items():
        reviewer = plan.sheets[token]
        answers = {code: {"lines": choose(reviewer, author), "comment": "Say why."} for code, author in codes.items()}
        (folder / f"review_{token}.json").write_text(json.dumps({"sheet": token, "answers": answers}))


@given(count=st.integers(2, 40), data=st.data())
@settings(max_examples=50)
def test_each_answer_gets_as_many_reviews_and_none_by_its_author(count, data):
    reviews = data.draw(st.integers(1, count - 1))
    students = [f"s{number}" for number in range(count)]
    plan = make_plan(students, reviews)
    pairs = [(plan.sheets[token], author) for token, codes in plan.answers.items() for author in codes.values()]
    assert len(pairs) == len(set(pairs)) == count * reviews and not any(one == other for one, other in pairs)
    assert set(Counter(author for _, author in pairs).values()) == {reviews}
    codes = [code for one in plan.answers.values() for code in one]
    assert len(set(codes)) == len(codes) and len(plan.sheets) == count


@pytest.mark.parametrize(("count", "reviews"), [(0, 1), (1, 1), (3, 3), (5, 0)])
def test_too_few_students_for_the_reviews_are_refused(count, reviews):
    with pytest.raises(ValueError, match=f"{count} students answered"):
        make_plan([f"s{number}" for number in range(count)], reviews)


def test_sheets_show_other_answers_without_names(course, peer_review, tmp_path):
    code, out, _ = peer_review("--sheets", tmp_path / "sheets", "--reviews", "2")
    assert code == 0 and "6 sheets" in out
    pages = {file.stem: file.read_text(encoding="utf-8") for file in (tmp_path / "sheets").iterdir()}
    assert set(pages) == set(ESSAYS)
    for student, page in pages.items():
        assert not [name for name in ESSAYS if re.search(rf"\b{name}\b", page)]
        assert "Dora" not in page and "Diaz" not in page
        mine = plan_of(course).answers[plan_of(course).token_of(student)]
        assert len(mine) == 2 and student not in mine.values()
        assert set(re.findall(r'data-answer="(\w+)"', page)) == set(mine)
        assert page.count("<script") == 1  # what an essay injects is text
    # The same command later writes the same sheets, into a new folder only.
    assert peer_review("--sheets", tmp_path / "sheets")[0] == 2
    code, _, err = peer_review("--sheets", tmp_path / "again", "--reviews", "5")
    assert code == 2 and "drawn with 2 reviews each" in err and not (tmp_path / "again").exists()
    assert peer_review("--sheets", tmp_path / "again")[0] == 0
    again = (tmp_path / "again/ann017.html").read_text(encoding="utf-8")
    assert set(re.findall(r'data-answer="(\w+)"', again)) == set(re.findall(r'data-answer="(\w+)"', pages["ann017"]))


def test_what_most_reviewers_chose_becomes_a_draft_and_no_mark(course, peer_review, tmp_path):
    peer_review("--sheets", tmp_path / "sheets", "--reviews", "3")
    before = {student: entry(course, student) for student in ESSAYS}
    dissenter = {}

    def choose(reviewer, author):
        # One of three reviewers of each answer chooses only the cap.
        return [CAP] if dissenter.setdefault(author, reviewer) == reviewer else [FIRST, SECOND]

    save_reviews(tmp_path / "reviews", plan_of(course), choose)
    MarkingSession(course.root, LAB).save_draft("bob042", [], "mine")
    MarkingSession(course.root, LAB).give("ann017", [FIRST], "")
    before["ann017"] = entry(course, "ann017")
    code, out, _ = peer_review("--enter", tmp_path / "reviews", "--to", tmp_path / "reviews.csv")
    assert code == 0 and "4 answers have a draft" in out and "2 that a person had marked or begun" in out
    drafts = MarkingSession(course.root, LAB).sheet().drafts[""]
    assert drafts.keys() == ESSAYS.keys() - {"ann017"} and drafts["bob042"] == {"lines": [], "comment": "mine"}
    assert drafts["finn08"]["lines"] == [FIRST, SECOND] and drafts["finn08"]["comment"].count("Another student: ") == 3
    assert {student: entry(course, student) for student in ESSAYS} == before
    assert out.count("Read first") == 4 and "3 reviewers, up to 2 points apart" in out
    assert MarkingSession(course.root, LAB).give("finn08", drafts["finn08"]["lines"], "") == 2
    with open(tmp_path / "reviews.csv", newline="", encoding="utf-8") as stream:
        rows = [*csv.DictReader(stream)]
    assert len(rows) == 18 and {row["author"] for row in rows} == set(ESSAYS)
    assert peer_review("--enter", tmp_path / "reviews", "--to", tmp_path / "reviews.csv")[0] == 2


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[]", "is not a file that a review sheet saved"),
        ("{", "is not a file that a review sheet saved"),
        ("[" * 100_000, "is not a file that a review sheet saved"),
        ('{"sheet": "00", "answers": {}}', "belongs to no sheet"),
        ('{"sheet": ["00"], "answers": {}}', "belongs to no sheet"),
        ('{"sheet": "TOKEN", "answers": {"ffffffff": {"lines": []}}}', "answers that are not on its sheet"),
        ('{"sheet": "TOKEN", "answers": {"CODE": {"lines": ["ten-points"]}}}', "a line that the rubric does not have"),
        ('{"sheet": "TOKEN", "answers": {"CODE": {"lines": "all"}}}', "is not a file that a review sheet saved"),
        ('{"sheet": "TOKEN", "answers": {"CODE": 7}}', "is not a file that a review sheet saved"),
        ("9" * 1_000_001, "is too large"),
    ],
)
def test_unusable_review_is_named_and_the_others_are_entered(course, peer_review, tmp_path, text, words):
    peer_review("--sheets", tmp_path / "sheets", "--reviews", "1")
    plan = plan_of(course)
    save_reviews(tmp_path / "reviews", plan, lambda *_: [FIRST])
    token = plan.token_of("ann017")
    odd = tmp_path / "reviews" / f"review_{token}.json"
    odd.write_text(text.replace("TOKEN", token).replace("CODE", next(iter(plan.answers[token]))))
    code, out, _ = peer_review("--enter", tmp_path / "reviews")
    assert code == 1 and f"Not used, {odd.name}: " in out and words in out
    assert "5 answers have a draft" in out and "No review from: ann017" in out


def test_option_of_the_other_step_is_refused(peer_review, tmp_path):
    for options in (("--sheets", tmp_path / "s", "--to", tmp_path / "t"), ("--enter", tmp_path, "--reviews", "2")):
        code, _, err = peer_review(*options)
        assert code == 2 and "--reviews is for --sheets" in err and not (tmp_path / "s").exists()


def test_reviews_without_sheets_say_what_to_run(peer_review, tmp_path):
    (tmp_path / "reviews").mkdir()
    code, _, err = peer_review("--enter", tmp_path / "reviews")
    assert code == 2 and f"autograder peer-review {LAB} --sheets" in err


def test_sheet_saves_by_keyboard_what_the_command_reads(browser, course, peer_review, tmp_path):
    peer_review("--sheets", tmp_path / "sheets", "--reviews", "2")
    context = browser.new_context(accept_downloads=True, viewport={"width": 390, "height": 844})
    page = context.new_page()
    page.add_init_script("window.ran = []; window.xss = what => window.ran.push(String(what))")
    page.goto((tmp_path / "sheets/finn08.html").as_uri())
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert Axe().run(page).response["violations"] == []
    page.locator(f"input[value={SECOND}]").first.focus()
    page.keyboard.press("Space")
    page.locator("textarea").first.focus()
    page.keyboard.type('Which number says "so"?')
    page.locator("#save").focus()
    with page.expect_download() as download:
        page.keyboard.press("Enter")
    (tmp_path / "reviews").mkdir()
    download.value.save_as(tmp_path / "reviews" / download.value.suggested_filename)
    assert download.value.suggested_filename in page.locator("#status").inner_text()
    assert page.evaluate("window.ran") == []
    context.close()
    code, out, _ = peer_review("--enter", tmp_path / "reviews")
    assert code == 0 and "2 answers have a draft" in out
    plan, drafts = plan_of(course), MarkingSession(course.root, LAB).sheet().drafts[""]
    first, second = plan.answers[plan.token_of("finn08")].values()
    assert drafts[first] == {"lines": [SECOND], "comment": 'Another student: Which number says "so"?'}
    assert drafts[second] == {"lines": [], "comment": ""}
