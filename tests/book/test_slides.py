"""Slides from the cells of the chapters: all of them, nothing dropped, nothing written anew."""

import re
from itertools import pairwise

import nbformat
import pytest

from autograder.exercises import exercises
from chip2cluster.predict import QUESTIONS
from course.publish.book import execute
from course.publish.slides import build, deck, markdown_split, speaker
from course.teaching.slide_times import columns

CHAPTERS = build.chapters()
NAMES = [file.stem for file in CHAPTERS]


def read(file):
    return nbformat.read(file, as_version=4)


def words(text):
    """Words without marks, in their order."""
    return re.findall(r"\w+", re.sub(r"<[^>]+>|^#+ .*$|\*\*|\]\([^)]*\)", " ", text, flags=re.M))


@pytest.fixture(scope="module")
def decks(pages):
    return {name: deck.slides(read(pages / f"{name}.ipynb"), pages / "_static") for name in NAMES}


@pytest.mark.parametrize("file", CHAPTERS, ids=NAMES)
def test_a_cut_cell_is_shown_or_said_whole(file):
    for cell in read(file).cells:
        if cell.cell_type == "markdown" and deck.kind(cell) in ("slide", "subslide") and cell.id != "title":
            kept = " ".join(
                text
                for piece in markdown_split.split_cell(cell.source)
                for text in (piece.title, *piece.shown, *piece.notes)
            )
            there = words(kept)
            assert not [word for word in words(cell.source) if word not in there], cell.id
            assert len(there) <= len(words(cell.source)) + 20 * len(
                markdown_split.split_cell(cell.source)
            )  # titles come again


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
        assert kinds >= {"title", "words", "predict", "answer", "strip", "spot-the-error", "takeaway"}, name
        assert any('class="equation"' in slide.html for slide in slides), name
        assert len({slide.name for slide in slides}) == len(slides), name
        assert 20 <= sum(slide.seconds for slide in slides) / 60 <= 90, name


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
                assert "It is" not in slide.html and "It is" in slide.notes[0]
    assert len(truths) > 30


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
    slide = deck.Slide("one", markdown_split.html("# A </section><script>alert(1)</script>"), "words")
    assert "<script>alert" not in build.page("A <script>", [slide])


@pytest.mark.parametrize(
    "text",
    ["First. Second $a. B$ goes. Third.", "A (see this. And that) is one. Two.", "No end at all", "*One. Two.* Three."],
)
def test_a_paragraph_is_cut_between_sentences_only(text):
    for limit in range(3, len(text)):
        for end in (False, True):
            shown, rest = markdown_split.split_paragraph(text, limit, end)
            assert " ".join([*rest, shown] if end else [shown, *rest]) == text
            assert shown.count("$") % 2 == shown.count("*") % 2 == 0 and shown.count("(") == shown.count(")")


def test_a_long_list_goes_on_with_its_number():
    source = "## Title\n\n" + "\n".join(f"{n}. {'word ' * 40}" for n in range(1, 8))
    made = markdown_split.split_cell(source)
    assert len(made) > 1 and all(piece.lines <= markdown_split.LINES and piece.title == "Title" for piece in made)
    assert '<ol start="' in "".join(map(markdown_split.html, made[1].shown))


def test_syllabi_count_the_minutes_of_a_deck_from_its_page_alone(decks):
    for name, slides in decks.items():
        counted = sum(columns(name.partition("_")[2]).values())
        assert abs(counted - sum(slide.seconds for slide in slides) / 60) <= 4, name
