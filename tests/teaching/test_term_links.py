"""A term's first use on a chapter's page shows its definition when the pointer or the keyboard reaches it."""

import json
import re

import pytest

from autograder import course_pages
from course.teaching import term_links
from tests.notebooks.claims import problems

TOOLTIP = re.compile(r'\[([^\[\]]+)\]\(glossary\.ipynb#([^)\s]+) "([^"]*)"\)')


def texts(path):
    return [
        "".join(cell["source"])
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]
        if cell["cell_type"] == "markdown"
    ]


def found(path):
    return [match for text in texts(path) for match in TOOLTIP.findall(text)]


def test_links_of_terms_are_up_to_date():
    assert term_links.outdated() == [], "run python -m course.teaching"


def test_sixty_terms_say_sentence_number_chapters_and_practice():
    entries = [
        entry
        for entry in term_links.ENTRY.finditer("\n".join(texts(term_links.GLOSSARY)))
        if re.search(r"\d", entry["text"])
    ]
    assert len(entries) >= 60
    assert len(term_links.terms()) >= len(entries)


@pytest.mark.parametrize("path", course_pages.chapters(), ids=lambda path: path.stem)
def test_a_term_is_linked_once_with_the_words_of_the_glossary(path):
    entries = {term.anchor: term.tooltip for term in term_links.terms()}
    links = found(path)
    assert len(links) >= 3
    assert len({anchor for _, anchor, _ in links}) == len(links)
    for _, anchor, tooltip in links:
        assert tooltip == entries[anchor]
        assert not re.search(r"[\[\]()*`$\"]|\.ipynb", tooltip) and 20 < len(tooltip) < 350


def page(text, **metadata):
    return [{"cell_type": "markdown", "id": "a", "metadata": metadata, "source": [text]}]


def source(cells):
    return "".join(cells[0]["source"])


def test_first_use_outside_code_and_headings_is_linked():
    text = "## NIC\n\n1. Look at the NIC.\n\n`NIC`, $NIC$, *NIC*, [NIC](06_links.ipynb). The **NIC** sends. A NIC receives.\n"
    result = source(term_links.linked(page(text), 6))
    assert result.replace(TOOLTIP.search(result)[0], "NIC") == text
    assert re.search(r"The \*\*\[NIC\]\(glossary", result) and len(TOOLTIP.findall(result)) == 1


def test_a_link_is_made_anew_and_not_twice():
    text = 'The [NIC](glossary.ipynb#nic "an old sentence") sends. A NIC receives.\n'
    once = term_links.linked(page(text), 6)
    assert "an old sentence" not in source(once) and source(once).count("glossary.ipynb") == 1
    assert term_links.linked(once, 6) == once


def test_an_everyday_word_is_linked_only_where_it_is_taught():
    text = "The ring has four ranks.\n"
    assert "glossary" in source(term_links.linked(page(text), 7))
    assert source(term_links.linked(page(text), 12)) == text


def test_a_claim_keeps_its_words():
    text = "With 8 NICs of 50 GB/s a node sends; a NIC fails.\n"
    claims = {"8 NICs": {"given": "an example"}, "50 GB/s": {"given": "an example"}}
    cells = term_links.linked(page(text, claims=claims), 6)
    assert "8 NICs of" in source(cells) and "a [NIC](" in source(cells)
    assert problems(cells[0]) == []


def test_exercises_stay_as_they_are():
    cells = page("### Exercise 1 · A NIC\n\nReturn the seconds of a NIC.\n")
    assert source(term_links.linked(cells, 6)) == source(cells)
