"""Filmstrips: every frame is what the explorer itself says, and every state that the prose asks for is there."""

import json
import mimetypes
import os
import random
import re
import subprocess
import sys
from html import unescape

import nbformat
import pytest

from chip2cluster import explore, topology
from chip2cluster.draw import style
from course.publish import filmstrips
from course.publish.filmstrips import page as making
from course.publish.filmstrips.strips import ALL, strip_of
from tests.book.strips import EXPLORERS, FILMSTRIP, MOVING, ROOT, read, unpacked

LIMIT = 200_000  # bytes of a strip on its way to the reader

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
    "Warps": [
        *({"warps": warps} for warps in range(1, 17)), {"warps": 4, "loads": 4}, {"warps": 4, "latency": 4, "compute": 0},
    ],
    "Waves": [{"blocks": 131}, {"blocks": 133}, {"blocks": 133, "each": 2}, {"chip": "A100 SXM 80GB", "blocks": 109}],
    "Concurrency": [*({"latency": latency} for latency in (550, 575, 775)), {"kernel": "store"}, {"gpu": "L40", "kernel": "store"}],
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
        *({"protocol": "side by side", "message": size} for size in (5000, 10**6, 10**7)),
    ],
    "FlowControl": [
        {"method": "no flow control"}, {"method": "credits"}, *({"level": level} for level in (50, 800, 900)),
        *({"method": "marks (ECN)", "level": 100, "senders": senders} for senders in (8, 16)),
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
    "Flows": [
        {"flows": 64}, {"flows": 64, "uplinks": 64}, {"routing": "hash of 16 queue pairs"}, {"routing": "spray packets"},
    ],
    "Traffic": [
        {"network": "leaf-spine 4:1"}, {"pattern": "stencil", "network": "torus 8 × 8"},
        {"pattern": "tornado", "network": "torus 8 × 8"},
    ],
    "Reality": [
        *({"place": place} for place in range(1, 11)),
        *({"kind": kind} for kind in ("nodes", "ring", "tuner", "training")),
    ],
    "Stripes": [
        *({"file_size": 9 * 2**20, "stripe_count": count} for count in (1, 2, 4, 8)), {"file_size": 4096, "stripe_count": 8},
        *({"file_size": size * 2**20, "stripe_count": "progressive"} for size in (3, 4, 5)),
    ],
    "Shuffle": [
        *({"buffer": buffer} for buffer in (1, 10, 30)), *({"buffer": size, "order": "in random order"} for size in (1, 10)),
    ],
    "Checkpoint": [
        *({"interval": 60.0 * minutes} for minutes in (1, 10, 15, 20, 30, 60, 120, 720)), {"mtbf": 600.0, "dump": 1200.0},
    ],
    "Utilization": [
        {"micro_batches": 35}, {"recompute": "full"}, *({"loader": rate} for rate in (200, 120, 100, 60)),
    ],
}  # fmt: skip


class Reader:
    """Somebody who reads a film: as the script does, in Python."""

    def __init__(self, film):
        self.film, self.key, self.note = film, film["start"], ""
        self.wishes = self.key.split(".")

    @property
    def menu(self):
        """For each control the numbers of the options on offer."""
        return self.film["menus"][self.film["frames"][self.key][0]]

    def asked(self, number, place):
        """The key that a reader asks for who moves a control to a place on its menu."""
        return ".".join(
            [*self.key.split(".")[:number], str(self.menu[number][place]), *self.key.split(".")[number + 1 :]]
        )

    def turns(self):
        """The moves from here to where the other controls do not stay as they are; those that are told, if there are any."""
        places = [(number, place) for number, menu in enumerate(self.menu) for place in range(len(menu))]
        found = {
            (number, place): self.film["turns"][number].get(self.asked(number, place), ()) for number, place in places
        }
        noted = [move for move, turn in found.items() if turn and read(self.film, *turn[1:])]
        return noted or [move for move, turn in found.items() if turn]

    def turn(self, number, place):
        self.wishes[number] = str(self.menu[number][place])
        self.note = self._turned(number, place)
        shown = self.key
        for one, (control, wish) in enumerate(zip(self.film["controls"], self.wishes, strict=True)):
            if control["kind"] == "select" and wish != self.key.split(".")[one] and int(wish) in self.menu[one]:
                self._turned(one, self.menu[one].index(int(wish)))
        self.note = self.note if self.key == shown else ""

    def _turned(self, number, place):
        asked = self.asked(number, place)
        self.key, *note = self.film["turns"][number].get(asked, [asked])
        return read(self.film, *note) if note else ""

    def content(self):
        _, width, height, *texts = self.film["frames"][self.key]
        back, svg, alt, table, sentence, hands, _ = (read(self.film, number) for number in texts)
        return {
            "back": back,
            "picture": {"svg": svg, "alt": alt, "width": width, "height": height, **json.loads(hands)},
            "table": table,
            "sentence": f"{self.note} {sentence}".strip(),
        }

    def offered(self):
        """For each control its name, the texts of its options and the one that is chosen."""
        texts = [
            [control["texts"][number] for number in menu]
            for control, menu in zip(self.film["controls"], self.menu, strict=True)
        ]
        chosen = [
            control["texts"][int(number)]
            for control, number in zip(self.film["controls"], self.key.split("."), strict=True)
        ]
        return list(zip((control["name"] for control in self.film["controls"]), texts, chosen, strict=True))


def filmed_handles(picture, reader, controls):
    """Leave in a picture what of its handles the film has: its own controls, with the options on their menus."""
    texts = {control["name"]: control.get("texts", ()) for control in controls}
    kept = []
    for handle in picture["handles"]:
        for name, offered, _ in reader.offered():
            if name == handle["control"] and len(offered) > 1:
                points = [handle["points"][texts[name].index(text)] for text in offered]
                kept.append({**handle, "points": points})
    picture["handles"] = kept


def said(explorer, reader):
    """What an explorer itself says: its content, and all options of each control by name."""
    content = explorer.content()
    filmed_handles(content["picture"], reader, content["controls"])
    texts = {c["name"]: c.get("texts", ["off", "on"]) for c in content["controls"]}
    chosen = {c["name"]: texts[c["name"]][int(c["value"])] for c in content["controls"]}
    return {name: content[name] for name in ("back", "picture", "table", "sentence")}, texts, chosen


@pytest.mark.parametrize("name", MOVING)
def test_phone_strip_has_the_same_frames_with_narrow_pictures(name, strips):
    wide, narrow = strips.film(name), strips.film(name, "narrow.strip")
    assert narrow["frames"].keys() == wide["frames"].keys()
    reader, live = Reader(narrow), EXPLORERS[name]()
    said = live.content(narrow=True)
    filmed_handles(said["picture"], reader, said["controls"])
    assert reader.content() == {part: said[part] for part in ("back", "picture", "table", "sentence")}
    assert {frame[1] for frame in narrow["frames"].values()} == {style.NARROW}


def test_every_explorer_of_a_chapter_has_a_strip():
    used = set()
    for path in sorted((ROOT / "course").glob("*.ipynb")):
        for cell in nbformat.read(path, as_version=4).cells:
            if cell.cell_type == "code":
                used.update(re.findall(r"\bexplore\.([a-z][a-z0-9_]*)\(", cell.source))
    assert used == explore.explorers().keys(), "an explorer that no page shows, or a page that shows none"
    assert all(strip_of(explorer) for explorer in EXPLORERS.values())
    assert TOLD.keys() <= EXPLORERS.keys()


def test_missing_strip_error_names_where_to_declare_it():
    class Bare(explore.Explorer):
        pass

    with pytest.raises(LookupError, match=f"Bare; give it a `strip` in {__name__}"):
        strip_of(Bare())


@pytest.mark.parametrize("name", MOVING)
def test_a_strip_says_what_its_explorer_says(name, strips):
    """Moved at random side by side, the film and the explorer always show the same."""
    film, live = strips.film(name), EXPLORERS[name]()
    reader, chance, noted = Reader(film), random.Random(name), 0
    for step in range(100):
        content, texts, chosen = said(live, reader)
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
    notes = [note for turns in film["turns"] for _, note in turns.values() if read(film, note)]
    moves = sum(map(len, film["turns"]))
    assert noted or len(notes) < max(10, moves / 20), "the walk must meet what is not offered, where that is not rare"


@pytest.mark.parametrize("name", MOVING)
def test_every_option_is_reached_and_the_prose_can_be_followed(name, strips):
    film, explorer = strips.film(name), EXPLORERS[name]()
    reached, waiting = {film["start"]}, [film["start"]]
    while waiting:
        reader = Reader(film)
        reader.key = waiting.pop()
        here = reader.key
        for at, menu in enumerate(reader.menu):
            for place in range(len(menu)):
                reader.key, reader.wishes = here, here.split(".")  # as if all of it had been asked for
                reader.turn(at, place)
                if reader.key not in reached:
                    reached.add(reader.key)
                    waiting.append(reader.key)
    assert reached == film["frames"].keys()
    names = [control["name"] for control in film["controls"]]
    options = strip_of(explorer).options
    shown = {
        tuple(control["texts"][int(at)] for control, at in zip(film["controls"], key.split("."), strict=True))
        for key in film["frames"]
    }
    for at, control in enumerate(film["controls"]):
        travel = {state[at] for state in shown}
        assert travel == set(control["texts"])
        declared = options[control["name"]]
        if declared is not ALL:
            assert {explorer._by_name[control["name"]].written(option) for option in declared} == travel
    for state in TOLD.get(name, ()):
        values = explorer.reset().set(**state).values
        assert tuple(explorer._by_name[one].written(values[one]) for one in names) in shown, state


def fixed(html):
    return unescape(re.search(r'<p class="c2c c2c-fixed">(.*?)</p></div>$', html)[1])


@pytest.mark.parametrize("name", MOVING)
def test_the_still_says_the_same_and_names_what_stands_fixed(name, strips):
    html, film = strips.html(name), strips.film(name)
    explorer, start = EXPLORERS[name](), Reader(film).content()
    assert f'data-filmstrip="_static/filmstrips/{name.lower()}.strip"' in html
    assert (
        start["table"] in html
        and making.escape(start["sentence"]) in html.replace("\N{NO-BREAK SPACE}", " ")
        and making.escape(start["picture"]["alt"]) in html
    )
    assert "<script" not in html and "http://" not in re.sub(r"data:image[^\"]*|came over http", "", html)
    travelling = {control["name"] for control in film["controls"]}
    for control in explorer.controls:
        if control.name not in travelling:
            assert f"{control.label} ({control.written(explorer.values[control.name])})" in fixed(html)
    assert "Every chip in the table (off)" in fixed(strips.html("Accelerators"))
    assert fixed(html).startswith("Fixed here: ") == (len(travelling) < len(explorer.controls))


@pytest.mark.parametrize("name", MOVING)
def test_a_strip_is_small_and_asks_nobody(name, strips):
    file = strips.file(name)
    assert file.stat().st_size <= LIMIT and file.with_suffix(".narrow.strip").stat().st_size <= 1.2 * LIMIT
    assert mimetypes.guess_type(file) == (None, None)  # no server may announce what the script unpacks itself
    film = strips.film(name)
    for _, _, _, back, front, *_ in list(film["frames"].values())[::7]:
        document = read(film, back) + read(film, front)
        addresses = set(re.findall(r"\w+://[^\s\"')]+", document))
        assert addresses <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}
        for link in re.findall(r'(?:url\(|href=")#([^)"]+)', document):
            assert f'id="{link}"' in document


def test_two_builds_give_the_same_bytes(tmp_path, strips):
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
        file = strips.file(name)
        assert (tmp_path / file.name).read_bytes() == file.read_bytes()


def test_strip_of_another_start_value_is_separate(tmp_path):
    explorer = explore.mfu(loader=80, kernels=65)
    html = filmstrips.html(explorer, tmp_path)
    narrow, file = sorted(tmp_path.iterdir())
    assert file.name == "utilization-kernels-65-loader-80.strip" and f"/{file.name}" in html
    assert narrow.name == "utilization-kernels-65-loader-80.narrow.strip"
    film = unpacked(file)
    assert Reader(film).content()["sentence"] == explorer.sentence
    assert making.escape(explorer.sentence) in html.replace("\u00a0", " ")
    offered = {name: texts for name, texts, _ in Reader(film).offered()}
    assert offered["loader"] == [f"{rate} thousand tokens/s" for rate in (60, 80, 100, 120, 200, 500)]
    assert "Kernel efficiency, of peak (65 %)" in fixed(html)
    assert explorer.values == explore.mfu(loader=80, kernels=65).values


def test_a_network_of_ones_own_travels_with_its_buffers(tmp_path):
    net = topology.gpu_cluster(16, oversubscription=2, nvlink_bandwidth_one_way=450e9, nic_bandwidth_one_way=50e9)
    explorer = explore.bisection(net)
    html = filmstrips.html(explorer, tmp_path)
    film = unpacked(next(tmp_path.glob("*.strip")))
    assert len(film["frames"]) == 3 and Reader(film).content()["sentence"] == explorer.sentence
    assert f"Topology (yours), Size ({net.name}), Oversubscription (as the network has it)" in fixed(html)
    assert explorer.values == explore.bisection(net).values


def test_the_script_only_picks():
    text = FILMSTRIP.read_text(encoding="utf-8")
    code = re.sub(r'//.*|"[^"]*"', "", text)
    assert len(text.splitlines()) <= 120 and len(code) > 1000
    assert "Math" not in code and not re.search(r"[*/%]|[-+]=|\+\+|--|[\w)\]] [-+] ", code)
