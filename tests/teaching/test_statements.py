"""What the pages for instructors say of tests, places and the course is there."""

import re
from functools import cache
from pathlib import Path

from autograder.exercises import exercises
from chip2cluster.draw import palette
from course.teaching import sections
from tests.pictures.test_colours import contrast
from tests.tables import every_row

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "course/teaching"
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    ROOT / "course/chip2cluster/chapters/GOALS.md",
    *sorted([*FOLDER.glob("*.md"), *FOLDER.glob("*/*.md")]),
]
LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(#[^)\s]*)?\)")
NAMED = re.compile(r"`((?:tests/[\w/]+\.py)?)::(test_\w+)`")
PLACE = re.compile(r"`((?:autograder|course|tests)/[\w/.]+)`")
# Parts of a path that stand for any name.
PLACEHOLDER = re.compile(r"(?<![A-Za-z])(?:TOPIC|NN|NAME)(?![A-Za-z])")


@cache
def text(path):
    return path.read_text(encoding="utf-8")


def anchors(path):
    """The anchors of the headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", text(path), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@every_row("page", PAGES)
def test_links_lead_somewhere(page):
    for address, anchor in LINK.findall(text(page)):
        target = (page.parent / address).resolve() if address else page
        assert target.exists(), address
        assert not anchor or anchor[1:] in anchors(target), (address, anchor)


@every_row("page", PAGES)
def test_every_test_and_every_place_that_is_named_is_there(page):
    last = ""
    for file, name in NAMED.findall(text(page)):
        last = file or last
        assert re.search(rf"^def {name}\(", text(ROOT / last), re.M), f"{last}::{name}"
    for place in PLACE.findall(text(page)):
        exists = (ROOT / place).exists() or place.startswith("autograder/work")
        assert exists or PLACEHOLDER.search(place), place


def test_accessibility_statements_name_their_tests():
    tested = text(FOLDER / "ACCESSIBILITY.md").split("## Tested")[1].split("## Colors")[0]
    rows = [row for row in tested.splitlines() if row.startswith("| ") and not row.startswith("| for whom")]
    assert len(rows) >= 20 and all("::test_" in row for row in rows)


HUES = {"blue": palette.BLUE, "orange": palette.ORANGE, "violet": palette.VIOLET, "plum": palette.PLUM,
        "ink": palette.INK, "grey": palette.GREY, "red": palette.RED, "middle blue": palette.BLUES[2],
        "pale blue": palette.BLUES[1], "faint": palette.FAINT,
        "dark": palette.KINDS[0], "medium": palette.KINDS[1], "light": palette.KINDS[2]}  # fmt: skip


def contrasts(hue):
    """Format the contrasts with the paper, by day and in the dark; in brackets those of a pale hue's edge."""
    both = []
    for look in (str, palette.DARK.get):
        edge = palette.EDGES.get(hue)
        beside = f" ({contrast(look(edge), look(palette.PAPER)):.2f})" if edge else ""
        both.append(f"{contrast(look(hue), look(palette.PAPER)):.2f}{beside}")
    return tuple(both)


def test_table_of_contrasts_is_that_of_the_palette():
    said = text(FOLDER / "ACCESSIBILITY.md").split("## Colors and their contrast")[1].split("## Known")[0]
    rows = [
        tuple(cell.strip() for cell in row.strip("|").split("|")) for row in said.splitlines() if row.startswith("| ")
    ]
    table = {name.split(" (")[0]: (meaning, *numbers) for name, meaning, *numbers in rows[1:]}
    assert table.keys() == HUES.keys()
    for name, (meaning, *numbers) in table.items():
        assert tuple(numbers) == contrasts(HUES[name]), name
        assert meaning == palette.MEANINGS.get(HUES[name], meaning)


def test_labs_with_numbers_of_ones_own_are_those_that_are_named():
    own = {one.id.split(".")[1] for one in exercises().values() if one.constants is not None}
    numbers = sorted(sections.chapter(topic).number for topic in own)
    said = re.search(r"Numbers of one's own\*\* \(labs ([^)]*)\)", text(FOLDER / "POLICIES.md"))[1]
    assert list(map(int, re.findall(r"\d+", said))) == numbers


def test_shares_of_the_marks_add_up():
    said = text(FOLDER / "POLICIES.md").split("## Marks")[1]
    assert sum(map(int, re.findall(r"\| (\d+) % \|", said))) == 100
    assert re.search(r"Labs count 40 %.*class counts 15 %, the exam 45 %", said)
