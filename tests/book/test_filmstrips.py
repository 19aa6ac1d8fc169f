"""Filmstrips: what a reader of the book sees is what the explorer itself would say."""

import http.server
import json
import os
import random
import re
import subprocess
import sys
import threading
from functools import cache, partial
from html import unescape
from pathlib import Path
from tempfile import mkdtemp

import nbformat
import pytest
from axe_playwright_python.sync_playwright import Axe

from chip2cluster import explore
from course.publish import filmstrips
from course.publish.filmstrips import page as making
from course.publish.filmstrips.pack import packed, read
from course.publish.filmstrips.strips import ALL, STRIPS, strip_of

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "course/publish/filmstrips/filmstrip.js", ROOT / "course/chip2cluster/explore/explorer.js"
EXPLORERS = {kind.__name__: kind for kind in STRIPS}
LIMIT = 600_000  # bytes of a strip

# What the prose beside each explorer tells the reader to do.
TOLD = {
    "Machine": [
        *({"message": size} for size in (1, 50_000, 10**12)),
        *({"message": 140 * 10**9, "system": name} for name in ("DGX A100", "DGX B200", "MI300X platform", "TPU v5p host")),
    ],
    "Accelerators": [
        {"precision": "fp8"}, {"precision": "fp8", "count": "with sparsity"}, {"across": "power", "chip": "H100 PCIe"},
        {"across": "power", "chip": "MI350X"}, {"across": "year", "chip": "GB200"}, {"across": "year", "chip": "A100 SXM 80GB"},
    ],
    "Roofline": [{"batch": 512}, {"batch": 160}, {"device": "H100 SXM"}, {"device": "MI300X", "batch": 64}, {"group": 1}],
    "Occupancy": [
        {"threads": 512}, {"threads": 448}, {"threads": 896}, *({"registers": number} for number in (72, 80, 128, 255)),
        {"registers": 32, "shared": 57},
    ],
    "Systolic": [
        *({"cycle": cycle} for cycle in range(15)), {"rows_of_a": 1}, {"rows_of_a": 16},
        {"rows_of_a": 16, "weights": (5, 4)}, {"rows_of_a": 16, "weights": (5, 4), "overlap": True},
    ],
    "Links": [
        {"message": 100}, {"message": 10**9},
        *(
            {"link": "InfiniBand", "message": size, **change}
            for size in (5000, 10**8) for change in ({}, {"bandwidth": 2}, {"latency": 0.5})
        ),
    ],
    "Ring": [
        *({"step": step} for step in range(7)), *({"way": "all-reduce by tree", "step": step} for step in range(5)),
    ],
    "Collectives": [
        {"message": 1000}, {"message": 10**9}, {"ranks": 512}, {"ranks": 512, "message": 10**10}, {"ranks": 12}, {"adding": True},
    ],
    "Bisection": [
        {"oversubscription": 4}, *({"topology": "torus", "size": f"{k} × {k}"} for k in (4, 5, 6)),
        *({"topology": "ring", "size": f"{n} nodes"} for n in (4, 8, 16, 24)),
    ],
    "Utilization": [
        {"micro_batches": 35}, {"recompute": "full"}, *({"loader": rate} for rate in (200, 120, 100, 60)),
    ],
}  # fmt: skip


@cache
def site():
    """A folder like that of the book, with the scripts."""
    folder = Path(mkdtemp(prefix="film"))
    (folder / "_static").mkdir()
    for script in SCRIPTS:
        (folder / "_static" / script.name).write_text(script.read_text(encoding="utf-8"), encoding="utf-8")
    return folder


@cache
def built(name):
    """The HTML of a strip and what is in its file; drawn once by each process."""
    html = filmstrips.html(EXPLORERS[name](), site() / "_static/filmstrips")
    return html, json.loads((site() / "_static/filmstrips" / f"{name.lower()}.json").read_text(encoding="utf-8"))


class Reader:
    """Somebody who reads a film: as the script does, in Python."""

    def __init__(self, film):
        self.film, self.key, self.note = film, film["start"], ""

    @property
    def menu(self):
        """For each control the numbers of the options on offer."""
        return self.film["menus"][self.film["frames"][self.key][0]]

    def asked(self, at, place):
        """The key that a reader asks for who moves a control to a place on its menu."""
        return ".".join([*self.key.split(".")[:at], str(self.menu[at][place]), *self.key.split(".")[at + 1 :]])

    def turns(self):
        """The moves from here to where the other controls do not stay as they are."""
        places = [(at, place) for at, menu in enumerate(self.menu) for place in range(len(menu))]
        return [(at, place) for at, place in places if self.asked(at, place) in self.film["turns"][at]]

    def turn(self, at, place):
        asked = self.asked(at, place)
        self.key, note = self.film["turns"][at].get(asked, [asked, ""])
        self.note = read(self.film["parts"], note)

    def content(self):
        _, width, height, *parts = self.film["frames"][self.key]
        back, svg, alt, table, sentence = (read(self.film["parts"], part) for part in parts)
        return {
            "back": back,
            "picture": {"svg": svg, "alt": alt, "width": width, "height": height},
            "table": table,
            "sentence": f"{self.note} {sentence}".strip(),
        }

    def offered(self):
        """For each control its name, the texts of its options and the one that is chosen."""
        texts = [
            [control["texts"][number] for number in menu] for control, menu in zip(self.film["controls"], self.menu)
        ]
        chosen = [control["texts"][int(at)] for control, at in zip(self.film["controls"], self.key.split("."))]
        return list(zip((control["name"] for control in self.film["controls"]), texts, chosen))


def said(explorer):
    """What an explorer itself says: its content, and all options of each control by name."""
    content = explorer.content()
    texts = {c["name"]: c.get("texts", ["off", "on"]) for c in content["controls"]}
    chosen = {c["name"]: texts[c["name"]][int(c["value"])] for c in content["controls"]}
    return {name: content[name] for name in ("back", "picture", "table", "sentence")}, texts, chosen


def test_every_explorer_of_a_chapter_has_a_strip():
    used = set()
    for path in sorted((ROOT / "course").glob("*.ipynb")):
        for cell in nbformat.read(path, as_version=4).cells:
            if cell.cell_type == "code":
                used.update(re.findall(r"\bexplore\.([a-z_]+)\(", cell.source))
    assert {type(getattr(explore, name)()) for name in used} == set(STRIPS)
    assert TOLD.keys() == EXPLORERS.keys() and len(used) == 10


@pytest.mark.parametrize("name", EXPLORERS)
def test_a_strip_says_what_its_explorer_says(name):
    """Moved at random side by side, the film and the explorer always show the same."""
    film, live = built(name)[1], EXPLORERS[name]()
    reader, chance, noted = Reader(film), random.Random(name), 0
    for step in range(100):
        content, texts, chosen = said(live)
        assert reader.content() == content, (step, reader.key)
        for control, offered, shown in reader.offered():
            assert shown == chosen[control]
            assert offered == [text for text in texts[control] if text in offered]
        at = chance.randrange(len(film["controls"]))
        place = chance.randrange(len(reader.menu[at]))
        if turns := chance.random() < 0.4 and reader.turns():  # where things go wrong first
            at, place = chance.choice(turns)
        if step % 25 == 24:
            live.reset()
            reader = Reader(film)
            continue
        control, offered, _ = reader.offered()[at]
        raw = texts[control].index(offered[place])
        live._answer({"values": {control: bool(raw) if film["controls"][at]["kind"] == "checkbox" else raw}})
        reader.turn(at, place)
        noted += bool(reader.note)
    notes = [note for turns in film["turns"] for _, note in turns.values() if read(film["parts"], note)]
    assert noted or len(notes) < 10, "the walk must meet what is not offered, where that is not rare"


@pytest.mark.parametrize("name", EXPLORERS)
def test_every_option_is_reached_and_the_prose_can_be_followed(name):
    film, explorer = built(name)[1], EXPLORERS[name]()
    reached, waiting = {film["start"]}, [film["start"]]
    while waiting:
        reader = Reader(film)
        reader.key = waiting.pop()
        here = reader.key
        for at, menu in enumerate(reader.menu):
            for place in range(len(menu)):
                reader.key = here
                reader.turn(at, place)
                if reader.key not in reached:
                    reached.add(reader.key)
                    waiting.append(reader.key)
    assert reached == film["frames"].keys()
    names = [control["name"] for control in film["controls"]]
    options = strip_of(explorer).options
    shown = {
        tuple(control["texts"][int(at)] for control, at in zip(film["controls"], key.split(".")))
        for key in film["frames"]
    }
    for at, control in enumerate(film["controls"]):
        travel = {state[at] for state in shown}
        assert travel == set(control["texts"])
        declared = options[control["name"]]
        if declared is not ALL:
            assert {explorer._by_name[control["name"]].written(option) for option in declared} == travel
    for state in TOLD[name]:
        values = explorer.reset().set(**state).values
        assert tuple(explorer._by_name[one].written(values[one]) for one in names) in shown, state


def fixed(html):
    return unescape(re.search(r'<p class="c2c c2c-fixed">(.*?)</p></div>$', html)[1])


@pytest.mark.parametrize("name", EXPLORERS)
def test_the_still_says_the_same_and_names_what_stands_fixed(name):
    html, film = built(name)
    explorer, start = EXPLORERS[name](), Reader(film).content()
    assert f'data-filmstrip="_static/filmstrips/{name.lower()}.json"' in html
    assert (
        start["table"] in html
        and making.escape(start["sentence"]) in html
        and making.escape(start["picture"]["alt"]) in html
    )
    assert "<script" not in html and "http://" not in re.sub(r"data:image[^\"]*|came over http", "", html)
    travelling = {control["name"] for control in film["controls"]}
    for control in explorer.controls:
        if control.name not in travelling:
            assert f"{control.label} ({control.written(explorer.values[control.name])})" in fixed(html)
    assert fixed(html).startswith("Fixed here: ") == (len(travelling) < len(explorer.controls))


@pytest.mark.parametrize("name", EXPLORERS)
def test_a_strip_is_small_and_asks_nobody(name):
    built(name)
    text = (site() / "_static/filmstrips" / f"{name.lower()}.json").read_bytes()
    assert len(text) <= LIMIT
    film = built(name)[1]
    for _, _, _, back, front, *_ in list(film["frames"].values())[::7]:
        document = read(film["parts"], back) + read(film["parts"], front)
        addresses = set(re.findall(r"\w+://[^\s\"')]+", document))
        assert addresses <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}
        for link in re.findall(r'(?:url\(|href=")#([^)"]+)', document):
            assert f'id="{link}"' in document


def test_two_builds_give_the_same_bytes(tmp_path):
    code = (
        "from chip2cluster import explore; from course.publish import filmstrips\n"
        f"for view in (explore.ring(), explore.bisection(), explore.machine()): filmstrips.html(view, {str(tmp_path)!r})"
    )
    environment = {
        **os.environ,
        "PYTHONHASHSEED": "7",
        "PYTHONPATH": os.pathsep.join([str(ROOT / "course"), str(ROOT)]),
    }
    subprocess.run([sys.executable, "-c", code], check=True, env=environment, cwd=ROOT)
    for name in ("Ring", "Bisection", "Machine"):
        built(name)
        file = f"{name.lower()}.json"
        assert (tmp_path / file).read_bytes() == (site() / "_static/filmstrips" / file).read_bytes()


def test_another_start_is_another_strip_even_outside_the_declared_options(tmp_path):
    explorer = explore.mfu(loader=80, kernels=65)
    html = filmstrips.html(explorer, tmp_path)
    (file,) = tmp_path.iterdir()
    assert file.name == "utilization-kernels-65-loader-80.json" and f"/{file.name}" in html
    film = json.loads(file.read_text(encoding="utf-8"))
    assert Reader(film).content()["sentence"] == explorer.sentence and making.escape(explorer.sentence) in html
    offered = {name: texts for name, texts, _ in Reader(film).offered()}
    assert offered["loader"] == [f"{rate} thousand tokens/s" for rate in (60, 80, 100, 120, 200, 500)]
    assert "Kernels reach, of peak (65 %)" in fixed(html)
    assert explorer.values == explore.mfu(loader=80, kernels=65).values


def test_packing_gives_every_text_back():
    chance = random.Random(1)
    texts = [
        "",
        "a",
        "aaaaaaaaaaaaa",
        "<b>1</b>",
        "5.5.5.5.5.5.5 5.5 5.5",
        "é<é>\n\n",
        "no tag > here < there. And: so?",
    ]
    texts += [
        "".join(chance.choice(['<r x="', "1", "2.5", '"/>', "word ", ". ", "\n"]) for _ in range(90)) for _ in range(60)
    ]
    parts, numbers = packed(texts + texts)
    assert {text: read(parts, numbers[text]) for text in texts} == {text: text for text in texts}
    assert len(json.dumps(packed(["<r>1</r>" * 50 + str(n) for n in range(200)])[0])) < 6000 < 200 * 400


def test_the_script_only_picks():
    text = SCRIPTS[0].read_text(encoding="utf-8")
    code = re.sub(r'//.*|"[^"]*"', "", text).replace("text += read", "")  # that joins words
    assert len(text.splitlines()) <= 100 and len(code) > 1000
    assert "Math" not in code and not re.search(r"[*/%]|[-+]=|\+\+|--|[\w)\]] [-+] ", code)


# -- in a browser ---------------------------------------------------------------------------

PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A page</title>
<link rel="icon" href="data:,"><script type="module" src="_static/filmstrip.js"></script></head>
<body><main><h1>A page</h1><div id="gap"></div>{}<p>What follows.</p></main></body></html>"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def served():
    """Gives the address of a page with the strips of the explorers named."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=site()))
    threading.Thread(target=server.serve_forever, daemon=True).start()

    def address(*names):
        file = f"{'-'.join(names).lower()}.html"
        (site() / file).write_text(PAGE.format("".join(built(name)[0] for name in names)), encoding="utf-8")
        return f"http://127.0.0.1:{server.server_port}/{file}"

    yield address
    server.shutdown()


@pytest.fixture
def opened(browser, served):
    """Opens a page of strips; at the end nothing may have gone wrong in it."""
    context = browser.new_context(viewport={"width": 800, "height": 900})
    context.add_init_script(
        "window.shift = 0; new PerformanceObserver((list) => list.getEntries().forEach((one) => { window.shift += one.value; }))"
        ".observe({ type: 'layout-shift', buffered: true })"
    )
    page, wrong = context.new_page(), []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda message: message.type in ("error", "warning") and wrong.append(message.text))

    def show(*names):
        page.goto(served(*names))
        page.locator(".c2c-live").first.wait_for()
        return page, page.locator(".c2c-live").first

    yield show
    context.close()
    assert not wrong


SAME = """(view, { back, picture, table, sentence }) => {
    const image = view.querySelector('[role=img]'), said = new XMLSerializer(), wanted = document.createElement('table');
    wanted.innerHTML = table;
    const drawn = [...image.shadowRoot.querySelectorAll('div > svg')].map((svg) => said.serializeToString(svg));
    const asked = [back, picture.svg].filter(Boolean).map((svg) =>
        said.serializeToString(new DOMParser().parseFromString(svg, 'image/svg+xml').documentElement));
    return { picture: JSON.stringify(drawn) === JSON.stringify(asked), alt: image.getAttribute('aria-label') === picture.alt,
        table: view.querySelector('table').innerHTML === wanted.innerHTML,
        sentence: view.querySelector('[aria-live=polite]').textContent === sentence };
}"""


def same(view, explorer):
    """Whether the page shows what the explorer says, part by part."""
    return {name for name, yes in view.evaluate(SAME, explorer.content()).items() if not yes} == set()


def test_the_keyboard_moves_the_reel_and_everything_follows(opened):
    page, view = opened("Machine")
    explorer = explore.machine()
    reel = view.get_by_role("slider", name=re.compile("Bytes"))
    assert same(view, explorer)
    reel.focus()
    for key, size in (("ArrowRight", 20 * 10**9), ("End", 10**12), ("ArrowLeft", 5 * 10**11), ("Home", 1)):
        page.keyboard.press(key)
        assert same(view, explorer.set(message=size))
        assert reel.get_attribute("aria-valuetext") == explorer._by_name["message"].written(size)
    view.get_by_label("System").select_option("DGX B200")
    assert same(view, explorer.set(system="DGX B200")) and not same(view, explore.machine())
    view.get_by_label("Axis").select_option("time")
    assert same(view, explorer.set(axis="time"))
    view.get_by_role("button", name="Reset").click()
    assert same(view, explorer.reset()) and reel.get_attribute("aria-valuetext") == "16 GB"
    assert view.get_by_label("System").evaluate("(field) => field.selectedOptions[0].text") == "DGX H100"


def test_what_is_not_offered_is_said_as_in_the_notebook(opened):
    page, view = opened("Accelerators")
    explorer = explore.accelerators()
    view.get_by_text("More", exact=True).click()
    view.get_by_label("Peak", exact=True).select_option("with sparsity")
    assert same(view, explorer.set(count="with sparsity"))
    view.get_by_label("Precision", exact=True).select_option("fp4")
    explorer.set(precision="fp4")
    assert "Follow: H100 SXM is not offered here, showing" in explorer.sentence and same(view, explorer)
    texts = view.get_by_label("Follow", exact=True).evaluate(
        "(field) => [...field.options].map((option) => option.text)"
    )
    assert texts == list(explorer._by_name["chip"].choices(explorer.values)) and "H100 SXM" not in texts
    assert "Every chip in the table (off)" in page.locator(".c2c-fixed").inner_text()
    assert view.get_by_label("Every chip in the table").count() == 0


def test_a_checkbox_and_a_reel_that_changes_its_length(opened):
    page, view = opened("Systolic")
    explorer = explore.systolic()
    view.get_by_role("slider", name=re.compile("Cycle")).focus()
    page.keyboard.press("End")
    assert same(view, explorer.set(cycle=14))
    view.get_by_text("More", exact=True).click()
    box = view.get_by_label("Load the next tile while this one computes")
    for checked in (True, False):
        box.set_checked(checked)
        assert same(view, explorer.set(overlap=checked)) and box.is_checked() == checked
    rows = view.get_by_role("slider", name=re.compile("Rows of A"))
    rows.focus()
    page.keyboard.press("Home")
    assert "Cycle: 14 is not offered here, showing 11." in explorer.set(rows_of_a=1).sentence and same(view, explorer)


def test_the_live_view_takes_the_place_of_the_still_without_a_jump(opened):
    for name in ("Ring", "Systolic", "Accelerators"):
        for width in (400, 800, 1300):
            page, view = opened(name)
            page.set_viewport_size({"width": width, "height": 900})
            page.reload()
            view.wait_for()
            page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
            assert page.evaluate("window.shift") == 0
            assert not page.locator(".c2c-still").is_visible()
            assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def test_a_strip_is_fetched_only_when_it_comes_near(opened):
    page, view = opened("Ring", "Bisection")
    page.locator("[data-filmstrip-state=live]").nth(1).wait_for(state="attached")
    page.add_init_script(
        "addEventListener('DOMContentLoaded', () => { document.querySelector('#gap').style.height = '5000px'; })"
    )
    fetched = []
    page.on("request", lambda request: fetched.append(request.url))
    page.reload(wait_until="networkidle")
    assert page.locator("[data-filmstrip-state=waiting]").count() == 2 and not any("json" in url for url in fetched)
    page.locator("[data-filmstrip]").first.scroll_into_view_if_needed()
    view.wait_for()
    # Or as soon as somebody goes by the keyboard, who would step over controls that are not there.
    page.reload(wait_until="networkidle")
    page.keyboard.press("Tab")
    page.locator("[data-filmstrip-state=live]").nth(1).wait_for(state="attached")


def test_on_paper_there_is_the_still(opened):
    page, view = opened("Ring")
    page.emulate_media(media="print")
    assert (
        not view.is_visible()
        and page.locator(".c2c-still img").is_visible()
        and page.locator(".c2c-still table").is_visible()
    )
    assert not page.locator(".c2c-waiting").is_visible()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 1100])
def test_axe_finds_nothing(opened, theme, width):
    page, view = opened("Roofline", "Bisection")
    page.locator(".c2c-live").nth(1).wait_for(state="attached")
    page.set_viewport_size({"width": width, "height": 900})
    if theme == "dark":
        page.add_style_tag(content=":root { --jp-ui-font-color1: #e6e9ee; --jp-ui-font-color2: #aab2c0; "
                           "--jp-layout-color1: #1c2128; --jp-brand-color1: #69a9ff; background: #14181e; color: #e6e9ee; }")  # fmt: skip
    view.get_by_text("More", exact=True).click()
    found = Axe().run(page).response["violations"]
    assert not [(one["id"], [node["html"][:200] for node in one["nodes"]]) for one in found]


def test_without_frames_the_still_stays_and_says_why(browser, served):
    context = browser.new_context()
    page = context.new_page()
    page.route("**/*.json", lambda route: route.abort())
    page.goto(served("Ring"))
    page.get_by_text("The controls could not be loaded").wait_for()
    assert page.locator(".c2c-still img").is_visible() and page.locator(".c2c-still table").is_visible()
    assert not page.locator(".c2c-live").count() and not page.get_by_role("slider").count()
    page.unroute_all()
    page.route("**/*.json", lambda route: route.fulfill(body='{"title": "half a film"}'))
    page.reload()
    page.get_by_text("The controls could not be loaded").wait_for()
    assert page.locator(".c2c-still img").is_visible() and not page.locator(".c2c-live").count()
    context.close()


def test_from_a_file_the_still_stays_and_says_why(browser, served):
    served("Ring")
    context = browser.new_context()
    page = context.new_page()
    page.goto((site() / "ring.html").as_uri())
    page.get_by_text("The controls need a page that came over http").wait_for()
    assert page.locator(".c2c-still img").is_visible() and not page.get_by_role("slider").count()
    context.close()


def test_without_a_script_the_still_and_its_table_are_there(browser, served):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(served("Ring"))
    assert page.locator(".c2c-still img").is_visible() and page.locator(".c2c-still table").is_visible()
    assert explore.ring().sentence in page.locator(".c2c-still").inner_text()
    assert not page.locator(".c2c-waiting").is_visible()
    context.close()
