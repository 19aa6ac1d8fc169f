"""Slides from the cells of the chapters: few words for the audience, all prose for the speaker, nothing lost."""

import re
from html import unescape
from itertools import pairwise
from pathlib import Path

import nbformat
import pytest

from autograder.exercises import exercises
from chip2cluster.predict import QUESTIONS
from chip2cluster.predict.form import Form
from course.publish.book import execute
from course.publish.slides import build, deck, markdown_blocks, speaker, votes
from course.teaching.slide_times import columns

ROOT = Path(__file__).resolve().parents[2]
CHAPTERS = build.chapters()
NAMES = [file.stem for file in CHAPTERS]


def read(file):
    return nbformat.read(file, as_version=4)


def words(html):
    """Words that an audience reads; a formula is one, tables, pictures and ranges to vote on are none."""
    html = re.sub(r'<p class="unit">.*?</p>', " ", html)  # says that there is a vote
    text = re.sub(r"<(style|table|svg|ul class=.votes.).*?</(style|table|svg|ul)>", " ", html, flags=re.S)
    text = re.sub(
        r"<math.*?</math>",
        " x ",
        re.sub(r'<div class="math block">.*?</math>\s*</div>', " ", text, flags=re.S),
        flags=re.S,
    )
    return re.findall(r"\S*\w\S*", re.sub(r"<[^>]+>", " ", text))


@pytest.fixture(scope="module")
def decks(pages):
    return {name: deck.slides(read(pages / f"{name}.ipynb"), pages / "_static") for name in NAMES}


@pytest.mark.parametrize("name", NAMES)
def test_prose_of_a_shown_cell_is_said_whole(name, decks):
    """Paragraph by paragraph: none is cut, none is lost, none is said twice."""
    said = [note for slide in decks[name] for note in slide.notes]
    for cell in read(ROOT / f"course/{name}.ipynb").cells:
        if cell.cell_type == "markdown" and deck.kind(cell):
            for block in markdown_blocks.blocks(cell.source):
                if block.kind == "prose" and deck.kind(cell) != "notes":
                    assert said.count(markdown_blocks.notes_html(block.text)) == 1, (cell.id, block.text[:60])


@pytest.mark.parametrize("name", NAMES)
def test_formulas_and_tables_of_a_shown_cell_are_on_a_slide(name, decks):
    for cell in read(ROOT / f"course/{name}.ipynb").cells:
        if cell.cell_type == "markdown" and deck.kind(cell) in ("slide", "subslide"):
            shown = "".join(
                slide.html for slide in decks[name] if re.fullmatch(rf"{re.escape(cell.id)}(-\d+)?", slide.name)
            )
            for block in markdown_blocks.blocks(cell.source):
                assert not block.is_shown or markdown_blocks.html(block.text) in shown, (cell.id, block.text[:60])


@pytest.mark.parametrize("name", NAMES)
def test_a_slide_has_at_most_40_words_and_a_title_of_its_own(name, decks):
    titles = [slide.title for slide in decks[name] if slide.title]
    assert len({title.casefold() for title in titles}) == len(titles)
    for slide in decks[name]:
        title = markdown_blocks.inline_html(slide.title)
        # A picture or explorer has words of its own; what to watch is the title above it.
        below = "" if slide.kind in ("strip", "picture") else slide.html
        assert len(words(f"{title} {below}")) <= 40, slide.name
        assert slide.title or slide.kind in ("strip", "picture"), slide.name
        for text in (title, *re.findall(r"<(?:p|li)>(.*?)</(?:p|li)>", below, re.S)):
            assert not re.sub(r"<[^>]+>", "", text).strip().endswith(":"), slide.name


@pytest.mark.parametrize("file", CHAPTERS, ids=NAMES)
def test_metadata_says_of_each_kind_of_cell_that_it_is_a_slide(file):
    cells = read(file).cells
    asked = [cell for cell in cells if cell.source.startswith("predict.ask(")]
    boxes = [cell for cell in cells if re.search(r"^> \*\*(Takeaway|Spot the error|Watch out)", cell.source, re.M)]
    explorers = [cell for cell in cells if re.match(r"explore\.\w+\(", cell.source)]
    formulas = [cell for cell in cells if cell.cell_type == "markdown" and "$$" in cell.source]
    for cell in asked + boxes + explorers + formulas:
        exercise = cell.id.startswith("ex-")
        assert exercise or deck.kind(cell) in ("slide", "subslide"), cell.id
    for cell in cells:
        assert cell.metadata.get("slideshow", {"slide_type": "notes"})["slide_type"] in deck.TYPES, cell.id
        assert not execute.CHECK.match(cell.source) or deck.kind(cell) == "notes", cell.id


def test_slides_of_each_chapter_have_all_kinds_of_section(decks):
    for name, slides in decks.items():
        kinds = {slide.kind.split()[0] for slide in slides}
        assert kinds >= {"title", "formula", "predict", "answer", "strip", "takeaway"}, name
        assert any('class="equation"' in slide.html for slide in slides), name
        assert len({slide.name for slide in slides}) == len(slides), name
        assert 20 <= sum(slide.seconds for slide in slides) / 60 <= 110, name


@pytest.mark.parametrize("name", NAMES)
def test_the_table_above_that_a_slide_speaks_of_is_a_slide_too(name, pages, decks):
    """The nearest one on the page."""
    cells = read(pages / f"{name}.ipynb").cells
    tables = [place for place, cell in enumerate(cells) if holds_table(cell)]
    for place, cell in enumerate(cells):
        shown = " ".join(
            slide.html for slide in decks[name] if re.fullmatch(rf"{re.escape(cell.id)}(-\d+)?", slide.name)
        )
        if re.search(r"\btable\s+above\b", re.sub(r"<[^>]+>", " ", shown), re.I):
            above = cells[max(table for table in tables if table < place)]
            assert deck.kind(above) in ("slide", "subslide"), (cell.id, above.id)


def holds_table(cell):
    if cell.cell_type == "markdown":
        return re.search(r"^\|.*\|$", cell.source, re.M) is not None
    return any("<table" in output.get("data", {}).get("text/html", "") for output in cell.get("outputs", ()))


def test_slide_answers_follow_questions_except_for_the_speaker(decks):
    truths = {question.text: question for question in QUESTIONS}
    for slides in decks.values():
        for slide, behind in pairwise(slides):
            if slide.kind == "predict":
                assert behind.name == f"{slide.name}-answer" and behind.kind == "answer"
                answer = behind.title.partition(": it is ")[2].removesuffix(".")
                assert answer not in slide.html and f"It is {answer}".replace("\\", "") in unescape(
                    "".join(slide.notes)
                )
                letter = behind.title[0]
                assert behind.title[1:].startswith(": it is ") and f"<strong>{letter}</strong>" in slide.html
    assert len(truths) > 30


def test_short_answers_have_the_numbers_of_the_whole_ones():
    questions = {question.id: question for question in QUESTIONS}
    found = 0
    for file in CHAPTERS:
        for cell in read(file).cells:
            answer = dict(cell.metadata.get("slide") or {}).get("answer") if cell.cell_type == "code" else None
            if answer is not None:
                question = questions[re.search(r'ask\("(.+?)"\)', cell.source)[1]]
                whole = f"{question.text} {Form(question).value} {Form(question).reason}"
                numbers = re.findall(r"\d[\d,.]*(?<![,.])", answer)
                assert not [number for number in numbers if number not in whole], cell.id
                found += 1
    assert found > 30


def test_the_notes_name_the_mistakes_that_the_checks_know(decks):
    said = "".join(note for slides in decks.values() for slide in slides for note in slide.notes)
    on_pages = {name for file in CHAPTERS for cell in read(file).cells for name in execute.CHECK.findall(cell.source)}
    for name in on_pages:
        assert speaker.mistakes(name) in said, name
    first = exercises()["roofline.ridge"].mistakes[0]
    assert first.name in speaker.mistakes("roofline.ridge")


def test_all_that_a_deck_needs_lies_beside_it(slides):
    assert {file.stem for file in slides.glob("*.html")} == {*NAMES, "index"}
    shipped = slides / "_static/reveal"
    assert "MIT" in (shipped / "dist/reveal.js").read_text(encoding="utf-8")[:200]
    assert "Permission is hereby granted" in (shipped / "LICENSE").read_text(encoding="utf-8")


def test_a_folder_with_other_things_is_refused(tmp_path):
    (tmp_path / "thesis.html").write_text("mine")
    with pytest.raises(SystemExit, match="no slides; name another"):
        build.build(tmp_path, executed=tmp_path)
    assert (tmp_path / "thesis.html").read_text() == "mine"


@pytest.mark.parametrize(
    "says, answer",
    [
        ("fragment", "cell one has the slide type 'fragment'; give it slide, subslide, notes or skip"),
        ("notes", "make it a slide, or skip it"),
    ],
)
def test_a_cell_that_says_what_nobody_understands_is_named(says, answer, tmp_path):
    cell = nbformat.v4.new_markdown_cell("Words.", id="one", metadata={"slideshow": {"slide_type": says}})
    with pytest.raises(deck.UnknownSlideType, match=answer):
        deck.slides(nbformat.v4.new_notebook(cells=[cell]), tmp_path)


def test_what_a_cell_holds_is_harmless_in_a_deck():
    evil = "A </section><script>alert(1)</script>"
    slide = deck.Slide("one", evil, markdown_blocks.html(f"# {evil}"), "words")
    assert "<script>alert" not in build.page("A <script>", [slide])


def cell(source, **metadata):
    return nbformat.v4.new_markdown_cell(source, id="one", metadata={"slideshow": {"slide_type": "slide"}, **metadata})


def made(*cells):
    return deck.slides(nbformat.v4.new_notebook(cells=list(cells)), None)


def test_prose_without_slide_text_is_for_the_speaker_alone():
    (slide,) = made(cell("## A heading\n\nA sentence, and a colon:\n\n- a point"))
    assert slide.title == "A heading" and slide.html == ""
    assert "A sentence" in "".join(slide.notes) and "a point" in "".join(slide.notes)


def test_slide_texts_are_shown_and_prose_is_said_in_its_order():
    source = "## A heading\n\nFirst.\n\n$$ a = b \\tag{3.1} $$\n\nSecond.\n\n$$ c = d \\tag{3.2} $$\n\nThird."
    texts = [{"title": "One", "shows": [1]}, {"title": "Two", "text": "Few words.", "shows": [2]}]
    one, two = made(cell(source, slide=texts))
    assert (one.title, two.title) == ("One", "Two") and "Few words." in two.html
    assert "3.1" in one.html and "3.2" in two.html and "3.2" not in one.html
    assert ["First" in "".join(slide.notes) for slide in (one, two)] == [True, False]
    assert ["Third" in "".join(slide.notes) for slide in (one, two)] == [False, True]


def test_an_empty_list_of_slide_texts_is_no_slide_but_notes():
    silent = cell("## Explore\n\nLook here.", slide=[])
    shown = nbformat.v4.new_markdown_cell("## Next", id="two", metadata={"slideshow": {"slide_type": "subslide"}})
    (slide,) = made(silent, shown)
    assert slide.column == "one" and slide.title == "Next" and "Look here." in slide.notes[0]


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.id)
def test_exactly_one_range_of_a_vote_holds_the_answer(question):
    truth = question.truth()
    ranges, place = votes.choices(question.id, truth, question.unit)
    holds = []
    for text in ranges:
        numbers = [float(number.replace(",", "")) for number in re.findall(r"[\d.,]+", text)]
        low, high = {"less": (0, *numbers), "more": (*numbers, float("inf"))}.get(text.split()[0], numbers)
        holds.append(low < truth < high)
    assert len(ranges) == 4 and holds.count(True) == 1 and holds.index(True) == place
    assert (ranges, place) == votes.choices(question.id, truth, question.unit)


def test_syllabi_count_the_minutes_of_a_deck_from_its_page_alone(decks):
    for name, slides in decks.items():
        counted = sum(columns(name.partition("_")[2]).values())
        assert abs(counted - sum(slide.seconds for slide in slides) / 60) <= 4, name
