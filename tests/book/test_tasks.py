"""Every task of an explorer can be done in the book, with the states of its film, or is marked *(notebook)*."""

import re
from functools import cache
from pathlib import Path

import nbformat
import pytest

from chip2cluster import explore
from course.publish.filmstrips.strips import ALL, strip_of

PAGES = sorted((Path(__file__).resolve().parents[2] / "course").glob("*.ipynb"))
STARTED = re.compile(r"^explore\.([a-z]\w*)\(\)", re.M)
ITEM = re.compile(r"^\d+\. (.+)$", re.M)
SENTENCE = re.compile(r"(?<=[.?!])\)? +(?=[A-Z(*])")
MARK = "*(notebook)*"
NAMED = re.compile(r"(?<![*\w])\*(?!\()([^*\n]+)\*(?!\*)|`([^`\n]+)`")
SETTING = re.compile(r"\$([a-z])\$ (\d+(?:,\d{3})*)")
NUMBER = re.compile(r"(?<![\w.,:$-])(\d+(?:,\d{3})*(?:\.\d+)?)(?![\d%])(?: ([A-Za-zµ]+(?:/s)?))?")
# Numbers of a task that no control holds: results, sizes of the machine, what a reader knows.
TOLD = {
    ("explore", "2020"),  # years of chips
    ("explore", "2024"),
    ("explore-footprint-text", "1.1"),  # the run is drawn with it
}


@cache
def view(name):
    return explore.explorers()[name]()


def words(text):
    """A text as it is compared: small letters, without the sign of a formula or of a name in the package."""
    return re.sub(r"[$_`\\]", " ", text).strip(" .,:;?!").casefold()


@cache
def states(name):
    """For each control of an explorer: label, texts of all options, texts of those in the film, behind More or not."""
    explorer, film = view(name), strip_of(view(name)).options
    found = []
    for control in explorer.controls:
        start = explorer.values[control.name]
        options = control.choices(explorer.values) if hasattr(control, "choices") else (False, True)
        every = {control.written(option) for option in options}
        kept = film.get(control.name, ())
        drawn = every if kept is ALL else {control.written(option) for option in kept} | {control.written(start)}
        found.append((control.label, every, drawn, control.name in film, control.more))
    return found


def sentences(text):
    """The sentences of a task that must be possible in the book: those that are not marked."""
    parts = SENTENCE.split(text.replace(f". {MARK}", f" {MARK}.").replace(f"? {MARK}", f" {MARK}?"))
    return [part for part in parts if MARK not in part and "otebook" not in part]


def missing(names, text):
    """What a sentence names that the explorers have and their films lack."""
    controls = [state for name in names for state in states(name)]
    lacking = []
    for one in (a or b for a, b in NAMED.findall(text)):
        if words(one) == "more":
            if not any(moved and more for *_, moved, more in controls):
                lacking.append("*More*")
            continue
        labels = [moved for label, *_, moved, _ in controls if words(label) == words(one)]
        options = [
            words(one) in {words(each) for each in drawn}
            for _, every, drawn, *_ in controls
            if words(one) in {words(each) for each in every}
        ]
        if (labels or options) and not any(labels + options):
            lacking.append(one)
    for letter, value in SETTING.findall(text):
        own = [(drawn, moved) for label, _, drawn, moved, _ in controls if label.endswith(f", {letter}")]
        if own and not any(moved and value in drawn for drawn, moved in own):
            lacking.append(f"{letter} {value}")
    for letter in re.findall(r"(?:Set|Move|and) \$([a-z])\$", text):
        own = [moved for label, *_, moved, _ in controls if label.endswith(f", {letter}")]
        if own and not any(own):
            lacking.append(letter)
    return lacking


def unreached(names, text, cell):
    """Numbers of a sentence that a control holds and its film doesn't.

    With its unit a number must be in all controls of the film that have it; a bare one in any, as two controls may count.
    """
    controls = [state for name in names for state in states(name)]
    first = lambda texts: {each.split(" ")[0] for each in texts}
    lacking = []
    for number, unit in NUMBER.findall(SETTING.sub(" ", NAMED.sub(" ", text))):
        exact = f"{number} {unit}".strip()
        same = [(drawn, moved) for _, every, drawn, moved, _ in controls if unit and exact in every]
        near = [drawn for _, every, drawn, *_ in controls if number in first(every)]
        moving = [drawn for drawn, moved in same if moved] or [drawn for drawn, _ in same]
        if same and not all(exact in drawn for drawn in moving):
            lacking.append(exact)
        elif near and not same and not any(number in first(drawn) for drawn in near) and (cell, number) not in TOLD:
            lacking.append(number)
    return lacking


def tasks():
    """Every page's cell that tells a reader to move an explorer: page, cell, explorers, text, whether it is a list of tasks."""
    for page in PAGES:
        cells = nbformat.read(page, as_version=4).cells
        all_here = [name for cell in cells if cell.cell_type == "code" for name in STARTED.findall(cell.source)]
        for cell, following in zip(cells, [*cells[1:], None], strict=True):
            if cell.cell_type == "markdown" and all_here:
                names = STARTED.findall(following.source) if following and following.cell_type == "code" else []
                yield page.stem, cell.id, tuple(names), tuple(all_here), cell.source


LISTS = [(page, cell, names, text) for page, cell, names, _, text in tasks() if names]


@pytest.mark.parametrize(("page", "cell", "names", "text"), LISTS, ids=[f"{page}-{cell}" for page, cell, *_ in LISTS])
def test_every_task_can_be_done_in_the_book(page, cell, names, text):
    for sentence in sentences(text):
        assert missing(names, sentence) == [], sentence
    for task in ITEM.findall(text):
        for sentence in sentences(task):
            assert unreached(names, sentence, cell) == [], sentence


def test_mentions_of_an_explorer_name_what_its_film_has():
    for page, cell, names, here, text in tasks():
        for sentence in () if names else sentences(text):
            if re.search(r"\bexplorer\b|\*More\*", sentence):
                assert missing(here, sentence) == [], (page, cell, sentence)


def test_a_mark_stands_where_something_is_missing():
    """A task that became possible loses its mark."""
    marked = 0
    for page, cell, names, here, text in tasks():
        for sentence in SENTENCE.split(text.replace(f". {MARK}", f" {MARK}.").replace(f"? {MARK}", f" {MARK}?")):
            if MARK in sentence:
                marked += 1
                plain = sentence.replace(MARK, "")
                assert missing(names or here, plain) + unreached(names or here, plain, cell), (page, cell, sentence)
    assert marked


@pytest.mark.parametrize(
    ("text", "lacks"),
    [
        ("Choose *bf16*, then *fp16*.", ["fp16"]),
        ("Move *Launched until* to 2026.", ["Launched until"]),
        ("Under *More*, switch the peak to *with sparsity*.", []),
    ],
)
def test_what_a_film_lacks_is_found(text, lacks):
    assert missing(["accelerators"], text) == lacks


def test_a_number_that_a_film_lacks_is_found():
    assert unreached(["occupancy"], "Give each block 57 KiB, then 64 KiB of shared memory.", "") == ["64 KiB"]
    assert unreached(["occupancy"], "Set the registers to 32 and look at 227.", "") == ["227"]
    assert sentences("Ask for 3. Then for 4. *(notebook)* And for 5?") == ["Ask for 3.", "And for 5?"]
