"""Where the glossary says that a term can be seen: the explorer, its cell, the controls and their values exist."""

import re

import nbformat
import pytest

from chip2cluster import explore
from tests.book.test_tasks import states, view
from tests.notebooks.test_reference import COURSE, ENTRY, SEARCHED, lines
from tests.tables import every_row

SEEN = re.compile(r"\[explore\.(\w+)\]\((\w+\.ipynb)#cell-id=([\w-]+)\)((?:, [^`]+ `[^`]+`)*)( \(notebook\))?")
SETTING = re.compile(r", ([^`]+) `([^`]+)`")
ENTRIES = lines("glossary.ipynb", ENTRY)
WITH_STATE = [entry for entry in ENTRIES if entry["seen"]]


def place(entry):
    """Explorer, page, cell, pairs of label and option, and whether the state is in the notebook only."""
    match = SEEN.fullmatch(entry["seen"])
    assert match, entry["seen"]
    name, page, cell, settings, only = match.groups()
    return name, page, cell, SETTING.findall(settings), bool(only)


def chosen(name, settings):
    """An explorer with the controls set as the settings say, by the texts that a reader sees."""
    explorer = explore.explorers()[name]()
    controls = {control.label: control for control in explorer.controls}
    for label, text in settings:
        control = controls[label]
        options = control.choices(explorer.values) if hasattr(control, "choices") else (False, True)
        explorer.set(**{control.name: {control.written(option): option for option in options}[text]})
    return explorer


@every_row("entry", WITH_STATE)
def test_a_state_of_the_glossary_exists(entry):
    name, page, cell, settings, _ = place(entry)
    source = {one.id: one.source for one in nbformat.read(COURSE / page, as_version=4).cells}[cell]
    assert f"explore.{name}()" in source
    assert f"]({page})" in entry["links"], f"{page} doesn't teach {entry['term']}"
    explorer = chosen(name, settings)
    written = {control.label: control.written(explorer.values[control.name]) for control in explorer.controls}
    assert {label: written[label] for label, _ in settings} == dict(settings)  # none moved another


@every_row("entry", WITH_STATE)
def test_a_state_that_the_book_lacks_is_marked(entry):
    name, *_, settings, only = place(entry)
    moved = {label: drawn for label, _, drawn, in_film, _ in states(name) if in_film}
    start = {control.label: control.written(view(name).values[control.name]) for control in view(name).controls}
    assert only == any(text not in moved.get(label, {start[label]}) for label, text in settings)


def test_central_terms_have_a_state():
    """Most of the words that readers search can be seen in an explorer."""
    central = [entry for entry in ENTRIES if {entry["term"], *(entry["other"] or "").split(", ")} & set(SEARCHED)]
    assert sum(bool(entry["seen"]) for entry in central) >= 0.7 * len(central)


@pytest.mark.parametrize("settings", [[("Ranks", "7")], [("Rank", "4")]])
def test_a_state_that_no_explorer_has_is_found(settings):
    with pytest.raises(KeyError):
        chosen("ring", settings)
