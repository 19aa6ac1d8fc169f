"""Filmstrip on a page: its data file, and the HTML that is shown until the script has loaded it."""

import gzip
import json
import re
from collections import defaultdict
from dataclasses import asdict
from html import escape
from pathlib import Path

from chip2cluster.explore.script import STYLE

from .film import film
from .strips import ALL, strip_of

FOLDER = "_static/filmstrips"  # as the pages of the book see it
ENDINGS = (
    ".strip",
    ".narrow.strip",
)  # of the wide one and that for phones; not .gz, which some servers announce as an encoding, and then the browser unpacks it first
LONG = 20  # options of a list that can be searched: see list.js
HANDS = ("handles", "sweep", "machine")  # of a picture, besides what is seen
PIECES = re.compile("(?=<)")  # pictures and tables differ in some of their elements
UNMOVED = "The controls of this picture need JavaScript. This is its first state; the notebook has them all."
SILENT = (
    "The controls need a page that came over http. If you opened this one as a file, run "
    "<code>python -m http.server</code> in the folder of the book and open the address that it prints."
)


def html(explorer, folder, whole=True):
    """Write the frames of an explorer to ``folder/<name>.strip``, and those for phones; return the HTML that shows them.

    The HTML holds the present state of the explorer as a still, with its table and
    its sentence. `filmstrip.js` puts the live view in the same place; without it, and
    on paper, the still is what a reader sees. A strip that is not whole has that state alone.
    """
    strip = film(explorer, whole)
    name = file_stem(explorer)
    Path(folder).mkdir(parents=True, exist_ok=True)
    for ending, content in zip(ENDINGS, strip_data(strip), strict=True):
        (Path(folder) / (name + ending)).write_bytes(compressed_json(content))
    still = strip.explorer.set(**strip.values(strip.start)).still(above=_control_placeholders(strip), narrow=True)
    still = still.removeprefix(f"<style>{STYLE}</style>")  # a page has it as explorer.css
    last = f'<p class="c2c-unmoved">{UNMOVED}</p><p class="c2c c2c-fixed">{escape(fixed_controls_sentence(strip))}</p>'
    return f'<div class="c2c-filmstrip" data-filmstrip="{FOLDER}/{name}{ENDINGS[0]}">{still}{last}</div>'


def file_stem(explorer):
    """Return a file name: the class in lower case, and every start value that is not the default."""
    usual = type(explorer)().values
    others = [f"{name} {value}" for name, value in explorer.values.items() if value != usual[name]]
    return re.sub(r"[^a-z0-9.]+", "-", " ".join([type(explorer).__name__, *others]).lower()).strip("-")


def compressed_json(content):
    """Return compact JSON, compressed; the bytes depend on the content alone."""
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    return gzip.compress(text.encode(), mtime=0)


def strip_data(strip):
    """Return the data for the script, wide and narrow; the head of ``filmstrip.js`` has its format."""
    keys, *contents = zip(*strip.frames(), strict=True)
    return [_width_data(strip, zip(keys, each, strict=True)) for each in contents]


def _width_data(strip, frames):
    menus, texts, pieces = _numbering(), _numbering(), _numbering()
    keys, heads, contents = [], [], []
    for key, content in frames:
        picture = content["picture"]
        keys.append(_key_text(key))
        heads.append([menus[tuple(strip.menus[key])], picture["width"], picture["height"]])
        hands = {name: picture[name] for name in HANDS if name in picture}
        texts_shown = [picture["svg"], picture["alt"], content["table"], content["sentence"]]
        shown = [*texts_shown, *(json.dumps(one, separators=(",", ":")) for one in (hands, content["links"]))]
        contents.append([*shown, content["back"]])
    # All pictures, then all tables, ...: the closer texts that are alike, the better gzip does.
    columns = [[texts[text] for text in column] for column in zip(*contents, strict=True)]
    rows = zip(
        columns[-1], *columns[:-1], strict=True
    )  # those behind are few and come last: short numbers for the others
    turns = [
        {_key_text(asked): [_key_text(shown), texts[note]] for asked, (shown, note) in turn.items()}
        for turn in strip.turns.values()
    ]
    idle = {
        _key_text(key): {index: texts[reason] for index, reason in reasons.items()}
        for key in strip.menus
        if (reasons := strip.idle_reasons(key))
    }
    return {
        "title": strip.explorer.title,
        "extent": asdict(strip.explorer.extent),
        "start": _key_text(strip.start),
        "controls": [_control_record(control, strip.options[control.name]) for control in strip.controls],
        "menus": list(menus),
        "frames": {key: [*head, *row] for key, head, row in zip(keys, heads, rows, strict=True)},
        "turns": turns,
        "idle": idle,
        "texts": [[pieces[piece] for piece in PIECES.split(text)] for text in texts],
        "pieces": list(pieces),
    }


def _numbering():
    """Return a dict that numbers its keys in the order in which they are first looked up."""
    numbers = defaultdict()
    numbers.default_factory = numbers.__len__
    return numbers


def fixed_controls_sentence(strip):
    """Describe the controls that a reader of the book cannot move, in one sentence or two."""
    values = {**strip.explorer.values, **strip.values(strip.start)}
    still = [control for control in strip.explorer.controls if control.name not in strip.options]
    options = strip_of(strip.explorer).options
    fewer = [control.label for control in strip.controls if options[control.name] is not ALL]
    sentences = []
    if still:
        states = ", ".join(f"{control.label} ({control.written(values[control.name])})" for control in still)
        sentences.append(f"Fixed here: {states}. In the notebook you can move {'these' if still[1:] else 'this'} too.")
    if fewer:
        listed = " and ".join(filter(None, [", ".join(fewer[:-1]), fewer[-1]]))
        there = "there" if still else "in the notebook"
        sentences.append(f"{listed} {'have' if fewer[1:] else 'has'} more options {there}.")
    return " ".join(sentences)


def _key_text(key):
    return ".".join(map(str, key))


def _control_record(control, values):
    shown = {"name": control.name, "label": control.label, "unit": control.unit, "more": control.more}
    if plays := getattr(control, "plays", 0):
        shown["plays"] = round(1e3 * plays)
    if group := getattr(control, "group", None):
        shown["groups"] = [group(value) for value in values]
    return {"kind": control.kind, **shown, "texts": [control.written(value) for value in values]}


def _control_placeholders(strip):
    """Return hidden controls, which keep the picture in place when the script loads, and a message if it never does."""
    values = {**strip.explorer.values, **strip.values(strip.start)}
    first, more = (
        "".join(
            _placeholder(control, strip, values[control.name]) for control in strip.controls if control.more == late
        )
        for late in (False, True)
    )
    more = more and "<details><summary>More</summary></details>"
    first += _RUN if strip.explorer.current.picture.sweep else ""
    return (
        f'<div class="c2c-waiting"><p class="c2c-silent">{SILENT}</p><div class="c2c-controls">{first}</div>'
        f'<div class="c2c-foot">{more}<button type="button">Reset</button></div></div>'
    )


# What play.js puts round a slider, and what sweep.js adds.
_BUTTONS = '<button type="button" class="c2c-play">Play</button><button type="button" class="c2c-step">Step</button>'
_PLAYS = (
    f'<div class="c2c-entry c2c-playable">{_BUTTONS}<input type="range"><select class="c2c-speed"><option>1 ×</option>'
    "</select></div>"
)
_RUN = f'<div class="c2c-control"><span class="c2c-name">The run</span><div class="c2c-entry">{_BUTTONS}</div></div>'


def _placeholder(control, strip, value):
    box = f'<div class="c2c-control" data-kind="{control.kind}"><div class="c2c-name"><span>{escape(control.label)}</span>'
    if control.kind == "range":
        field = _PLAYS if getattr(control, "plays", 0) else '<input type="range">'
        return f'{box}<span class="c2c-value">{escape(control.written(value))}</span></div>{field}</div>'
    if control.kind == "checkbox":
        return f'{box}</div><input type="checkbox"></div>'
    texts = [control.written(strip.options[control.name][index]) for index in _menu(control, strip)]
    if len(texts) < 2:
        return ""  # explorer.js hides it, too
    find = '<input type="search" class="c2c-find">' if len(texts) >= LONG else ""
    return f"{box}{find}</div><select>{''.join(f'<option>{escape(text)}</option>' for text in texts)}</select></div>"


def _menu(control, strip):
    return strip.menus[strip.start][list(strip.options).index(control.name)]
