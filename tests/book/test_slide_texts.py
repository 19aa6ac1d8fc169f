"""What the doctor refuses of the texts that cells have for slides."""

import json

import pytest

from autograder import course_pages, slide_texts
from chip2cluster import predict

QUESTION = {"roofline.ridge_guess": "How many FLOP for each byte?"}
GOOD = {"title": "The ridge decides", "text": "It is at 295 FLOP/byte."}


def cell(slide, source="The ridge of an H100 is at 295 FLOP/byte.", name="one"):
    return {"id": name, "cell_type": "markdown", "source": [source], "metadata": {"slide": slide}}


def problems(*cells):
    return list(slide_texts.problems(cells, QUESTION))


@pytest.mark.parametrize(
    "slide, says",
    [
        ({"title": "The ridge is:"}, "ends in a colon"),
        ({**GOOD, "text": "To say that with **symbols:**"}, "ends in a colon"),
        ({**GOOD, "text": "word " * 38}, "has 41 words, and an audience reads at most 40"),
        ({"text": "Words."}, "has no title"),
        ({**GOOD, "text": "It is at 296 FLOP/byte."}, "says 296, which the page does not"),
        ({**GOOD, "texts": "Words."}, "it may have title, text, box, shows, answer"),
        ({**GOOD, "box": "takaway"}, "there are takeaway, spot-the-error, watch-out"),
        (["The ridge decides"], "or a list of these"),
    ],
)
def test_slide_texts_that_a_class_cannot_be_shown_are_named(slide, says):
    (line,) = problems(cell(slide))
    assert says in line and line.startswith("the slide of cell one")


def test_a_title_that_stands_twice_is_named():
    (line,) = problems(cell(GOOD), cell({"title": "The  Ridge decides"}, name="two"))
    assert line.startswith("the slide of cell two has a title that stood before")


@pytest.mark.parametrize("slide", [GOOD, [GOOD, {**GOOD, "title": "Another"}], [], {**GOOD, "text": "word " * 37}])
def test_good_slide_texts_have_no_problem(slide):
    assert problems(cell(slide)) == []


def test_formulas_and_tables_count_no_words():
    assert slide_texts.words("Two words. $$ a = b + c \\tag{3.1} $$\n\n| a | b |\n|---|---|\n| c | d |") == 2


def test_a_long_question_needs_fewer_words_on_its_slide():
    ask = {"id": "ask", "cell_type": "code", "source": ['predict.ask("roofline.ridge_guess")'], "metadata": {}}
    (line,) = slide_texts.problems([ask], {"roofline.ridge_guess": "word " * 41})
    assert "41 words" in line
    short = {**ask, "metadata": {"slide": {"text": "How many?"}}}
    assert not list(slide_texts.problems([short], {"roofline.ridge_guess": "word " * 41}))


def test_the_slide_texts_of_all_chapters_can_be_shown():
    questions = {question.id: question.text for question in predict.QUESTIONS}
    for page in course_pages.chapters():
        cells = json.loads(page.read_text(encoding="utf-8"))["cells"]
        assert not list(slide_texts.problems(cells, questions)), page.name
