"""While a control moves, an explorer keeps its height, so that nothing jumps below it."""

import pytest

from chip2cluster import explore
from chip2cluster.explore import display
from tests.sampling import sampled

EXPLORERS = explore.explorers()
# Their control asks for a longer table or for one with more columns, which takes its room when it comes.
LENGTHENS = {
    ("accelerators", "every"),
    ("axes", "list_layouts"),
    ("priority", "shown"),
    ("reality", "kind"),
    ("roofline", "compare"),
    ("serve", "seen"),
}
OPTIONS = 6  # of each control
LINE = 25  # px: one line of the sentence
# Of a notebook at 1440 px beside the file list, and of a phone.
WIDTHS = 1100, 358
PAGE = f"""<!doctype html><html lang="en"><title>Explorer</title><style>{display.STYLE} body {{ margin: 0; }}</style>
<div class="c2c-room" id="room"></div><script type="module">{display.SCRIPT.replace("export default { render };", "")}
window.start = (width) => {{
    const room = document.getElementById("room");
    room.style.width = `${{width}}px`;
    room.replaceChildren(document.createElement("div"));
    window.view = mount(room.firstChild, () => {{}});
}};</script>"""
SHOW = """async ([frame, control]) => {
    view.show(frame);
    if (control) document.querySelector(`[data-name="${control}"] :is(input, select)`)?.focus();
    for (let n = 0; n < 2; n++) await new Promise(requestAnimationFrame);
    return document.querySelector(".c2c").getBoundingClientRect().height;
}"""


@pytest.fixture(scope="module")
def page(browser):
    page = browser.new_page(viewport={"width": 1200, "height": 900})
    page.set_content(PAGE)
    page.wait_for_function("window.start !== undefined")
    yield page
    page.close()


def heights(page, explorer, control, narrow):
    """The heights over the options of a control, from the moment that the hand is on it."""
    choices = control.choices(explorer.reset().values)
    some = [choices[round(n * (len(choices) - 1) / (OPTIONS - 1))] for n in range(OPTIONS)]
    for choice in (None, *dict.fromkeys(some)):
        try:
            explorer.reset().set(**({} if choice is None else {control.name: choice}))
        except ValueError:  # does not go together with the others
            continue
        frame = {"title": explorer.title, **explorer.content(narrow=narrow)}
        yield page.evaluate(SHOW, [frame, control.name])


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", sampled(EXPLORERS, 6))
def test_explorer_keeps_its_height(page, name, width):
    explorer, jumps = EXPLORERS[name](), {}
    page.evaluate("width => window.start(width)", width)
    page.evaluate(SHOW, [{"title": explorer.title, **explorer.content(narrow=width == WIDTHS[1])}, None])
    for control in explorer.controls:
        seen = list(heights(page, explorer, control, width == WIDTHS[1]))
        if (name, control.name) not in LENGTHENS and max(seen) - min(seen) > LINE:
            jumps[control.name] = seen
    assert not jumps, f"{name}: give it a larger extent"


def test_sentence_of_the_cluster_is_on_one_screen(page):
    """900 px less the bars of JupyterLab: controls, picture and the sentence with the answer."""
    explorer = explore.cluster()
    page.evaluate("start", WIDTHS[0])
    for part in explorer._by_name["part"].options:
        page.evaluate(SHOW, [{"title": explorer.title, **explorer.set(part=part).content(narrow=False)}, "part"])
        end = page.evaluate("document.querySelector('.c2c-sentence').getBoundingClientRect().bottom")
        assert end - page.evaluate("document.querySelector('.c2c').getBoundingClientRect().top") <= 780, part


def test_no_room_is_held_for_rows_that_never_come(page):
    """Under the ring's table, while its steps are played; only the number of ranks makes it longer."""
    explorer = EXPLORERS["ring"]()
    page.evaluate("width => window.start(width)", WIDTHS[0])
    empty = "() => document.querySelector('.c2c-table').offsetHeight - document.querySelector('table').offsetHeight"
    steps, ranks = (next(one for one in explorer.controls if one.name == name) for name in ("step", "ranks"))
    seen = list(heights(page, explorer, steps, narrow=False))
    assert page.evaluate(empty) < LINE and max(seen) - min(seen[1:]) <= LINE
    list(heights(page, explorer, ranks, narrow=False))
    explorer.reset()
    page.evaluate(SHOW, [{"title": explorer.title, **explorer.content(narrow=False)}, "ranks"])
    assert page.evaluate(empty) > LINE, "while a hand is on the ranks, their rows have room"
