"""The base of every explorer: controls on one side, a frame on the other.

A subclass names its controls and turns their values into a `Frame`; it contains
no physics and knows nothing of browsers. The base checks values, shows frames in
a notebook through one small script (``explorer.js``, which knows no physics
either) and gives a still picture wherever there is no kernel.

In a notebook a still is an output of its own, right behind that of the live view, which
hides it: a page that is opened again without its kernel, exported or printed shows what
its reader saw last.
"""

import asyncio
import os
import re
import sys
import traceback
from base64 import b64encode
from copy import copy
from dataclasses import replace
from difflib import get_close_matches
from html import escape
from pathlib import Path
from uuid import uuid4

import anywidget
import traitlets

from ..draw import palette, typeface
from .controls import Control
from .strip import Strip

_HERE = Path(__file__).parent
SCRIPT = (_HERE / "explorer.js").read_text(encoding="utf-8")
STYLE = (_HERE / "explorer.css").read_text(encoding="utf-8")


class View(anywidget.AnyWidget):
    """The only widget: shows ``frame``, calls ``answer(message)`` with what a reader did.

    Every message gets exactly one new frame, so that the script can wait for one
    before it sends the next. ``back``, the layer of the picture that seldom changes,
    lies beside the frame, for a widget sends only what is new; so do the faces of the
    typeface, as bytes: where a page may not load fonts by address, it may still make them.
    """

    _esm, _css = SCRIPT, STYLE
    frame = traitlets.Dict().tag(sync=True)
    back = traitlets.Unicode().tag(sync=True)
    typeface = traitlets.Dict().tag(sync=True)

    def __init__(self, title, still, frame, answer):
        self._constant, self._answer = {"title": title, "still": still}, answer
        faces = {"family": typeface.FAMILY, "faces": typeface.packed()} if "picture" in frame else {}
        super().__init__(**self._parts(frame), typeface=faces)
        self.on_msg(self._receive)

    def show(self, frame, seq=""):
        """Show a frame; ``seq`` says which message it answers."""
        with self.hold_sync():  # what is new travels in one message
            for name, value in self._parts(frame, seq).items():
                self.set_trait(name, value)

    def _parts(self, frame, seq=""):
        frame = {**self._constant, **frame, "seq": seq}
        return {"back": frame.pop("back", self.back), "frame": frame}

    def _receive(self, _, message, buffers):
        if not message:  # sent only so that the last answer travels at once; see explorer.js
            return
        try:
            frame = self._answer(message)
        except Exception as error:  # the reader must see it, whatever it is
            traceback.print_exc()
            frame = {**self.frame, "error": f"This did not work, and nothing was changed: {error}"}
        self.show(frame, message.get("seq", ""))


SETTLED = 2.0  # seconds after the last change until the still follows
AGAIN = "As you left it. To use it again, run this cell, and before it the first one of the page."


class Shown:
    """What can be displayed: a live view where there is a kernel, a still everywhere else."""

    title = "Explorer"
    again = AGAIN
    _view = _name = _timer = None

    @property
    def widget(self):
        """The widget behind the view, made when first asked for."""
        if self._view is None:
            self._name = f"c2c-{uuid4().hex}"
            self._view = View(self.title, self._name, self.content(), self._answered)
        return self._view

    def _repr_mimebundle_(self, include=None, exclude=None):
        return self._still_bundle()

    def _ipython_display_(self):
        if os.environ.get("CHIP2CLUSTER_STILL") == "1":
            raise NotImplementedError("shown by its still alone")  # IPython takes the bundle then
        from IPython.display import publish_display_data

        self._refresh()
        live, _ = self.widget._repr_mimebundle_()
        # A viewer that knows no widgets shows nothing here: the still is next.
        publish_display_data({**live, "text/html": "<!-- live -->", "text/plain": ""}, {})
        # While a fresh view is on its way the still is not shown; the timer's has no such mark.
        self._keep_still(fresh=self._later(), update=False)

    def _answered(self, message):
        frame = self._answer(message)
        self._later()
        return frame

    def _refresh(self):
        if self._view is not None:
            self._view.show(self.content())
            self._later()

    def _later(self):
        """Have the still follow once the reader stops; False where nothing would call back."""
        if self._timer:
            self._timer.cancel()
        try:
            self._timer = asyncio.get_running_loop().call_later(SETTLED, self._keep_still)
        except RuntimeError:
            self._timer = None
        return self._timer is not None

    def _keep_still(self, fresh=False, update=True):
        """Put the present still into the notebook, in the place where the last one lies."""
        from IPython.display import publish_display_data

        bundle = self._still_bundle()
        mark = "c2c-saved c2c-fresh" if fresh else "c2c-saved"
        again = f'<p class="c2c-again">{self.again}</p>' if self.again else ""
        bundle["text/html"] = f'<div class="{mark}" id="{self._name}">{bundle["text/html"]}{again}</div>'
        publish_display_data(bundle, {}, transient={"display_id": self._name}, update=update)


class Explorer(Shown):
    """An interactive view on models. Subclasses define ``title``, ``controls`` and `frame`.

    Values are given by name and checked: ``explorer.set(batch=64)``. What is on the
    screen can be read: ``explorer.table``, ``.sentence``, ``.alt``, ``.values``.

    ``positional`` names the controls whose start values need no name, the first control
    where it is empty. ``strip`` says what of the view moves in the book.
    """

    controls: tuple[Control, ...] = ()
    positional: tuple[str, ...] = ()
    strip: Strip | None = None
    _narrow = False  # whether the place that shows it is

    def __init__(self, *given, **values):
        values = self._named(given, values)
        self._by_name = {control.name: control for control in self.controls}
        self._start = self._settled(values, {})[0]
        self.reset()

    def twin(self):
        """Another explorer that starts as this one stands; moving it leaves this one alone."""
        other = copy(self)
        other._view, other._timer, other._start = None, None, self.values
        return other.reset()

    def frame(self, values):
        """Return the `Frame` of a state."""
        raise NotImplementedError(f"{type(self).__name__} does not say what its frames look like")

    def _named(self, given, values):
        """All start values by name."""
        names = self.positional or tuple(control.name for control in self.controls[:1])
        if len(given) > len(names):
            raise TypeError(
                f"{type(self).__name__} takes {', '.join(names)} without a name, and nothing else; got {given}"
            )
        if twice := [name for name, _ in zip(names, given, strict=False) if name in values]:
            raise TypeError(f"{type(self).__name__} got {twice[0]} twice")
        return dict(zip(names, given, strict=False)) | values

    # -- state --------------------------------------------------------------------------

    @property
    def values(self):
        """The value of every control."""
        return dict(self._values)

    def set(self, **values):
        """Set controls by name; the others keep their values where these still fit."""
        self._values, self._note = self._settled(values, self._values)
        self._shown = None
        self._refresh()
        return self

    def reset(self):
        """Go back to how the explorer was made."""
        self._values, self._note, self._shown = dict(self._start), "", None
        self._refresh()
        return self

    def _settled(self, asked, before):
        """Check what is asked for; let the other controls follow. Returns values and a note."""
        for name in asked:
            if name not in self._by_name:
                near = get_close_matches(name, self._by_name, n=1)
                hint = f" (did you mean {near[0]!r}?)" if near else ""
                raise ValueError(f"there is no control {name!r}{hint}; there are {', '.join(self._by_name)}")
        values, notes = {}, []
        for control in self.controls:
            if control.name in asked:
                values[control.name] = control.check(asked[control.name], values)
            else:
                old = before.get(control.name, control.default)
                values[control.name] = new = control.settle(old, values)
                if new != old and before:
                    reason = control.reason(old, values)
                    why = f" ({reason})" if reason else ""
                    notes.append(
                        f"{control.label}: {control.text(old)} is not offered here{why}, showing {control.text(new)}."
                    )
        return values, " ".join(notes)

    # -- what is shown ------------------------------------------------------------------

    @property
    def current(self):
        """The `Frame` of the present state."""
        if self._shown is None:
            self._shown = self.frame(self.values)
        return self._shown

    @property
    def note(self):
        """What the last change moved besides what was asked for; usually nothing."""
        return self._note

    @property
    def sentence(self):
        """The result in words."""
        return f"{self._note} {self.current.sentence}".strip()

    @property
    def alt(self):
        """The alternative text of the picture."""
        return self.current.alt

    @property
    def table(self):
        """The table as a list of dicts, unrounded."""
        return self.current.table.records()

    def still(self, above="", narrow=False):
        """The present state as HTML that needs no kernel and no script; ``above`` is HTML to go over it.

        With ``narrow`` it brings the picture for phones too.
        """
        return (
            f'<style>{STYLE}</style><div class="c2c c2c-still">{above}<figure class="c2c-body" aria-label="{escape(self.title)}">'
            f'<div class="c2c-picture">{self._image(narrow)}</div>'
            f'<figcaption class="c2c-result"><div class="c2c-table"><table>{self.current.table.html()}</table></div>'
            f'<p class="c2c-sentence">{escape(_unbroken(self.sentence))}</p></figcaption></figure></div>'
        )

    def _image(self, narrow):
        picture = self.current.picture
        return (picture if narrow else replace(picture, slim=None)).images(self.alt)

    def _still_bundle(self):
        still = {"text/plain": self.sentence, "text/html": self.still()}
        # For paper. A kernel in a browser prints nothing, and matplotlib takes seconds to load there.
        if sys.platform != "emscripten":
            still["image/png"] = b64encode(self.current.picture.png()).decode()
        return still

    def content(self, narrow=None):
        """The present state as the script wants it: see the head of ``explorer.js``.

        The picture is the narrow one where ``narrow`` says so, or else the page that shows the explorer.
        """
        frame, values = self.current, self._values
        picture = frame.picture.narrow if (self._narrow if narrow is None else narrow) else frame.picture
        back, front = picture.layers or (palette.BACK, picture.svg)
        return {
            "controls": [control.describe(values[control.name], values) for control in self.controls],
            "reset": True,
            "back": back,
            "picture": {
                "svg": front,
                "alt": self.alt,
                "width": picture.width,
                "height": picture.height,
            },
            "table": frame.table.html(),
            "sentence": self.sentence,
        }

    def _answer(self, message):
        if "narrow" in message:
            self._narrow = bool(message["narrow"])
            if not message["values"] and "action" not in message:
                return self.content()
        before = self._values, self._note, self._shown
        try:
            if message.get("action") == "reset":
                self._values, self._note = dict(self._start), ""
            else:
                asked = {
                    name: self._by_name[name].receive(raw, self._values) for name, raw in message["values"].items()
                }
                self._values, self._note = self._settled(asked, self._values)
            self._shown = None
            return self.content()
        except Exception:
            self._values, self._note, self._shown = before
            raise


def _unbroken(words):
    """No line ends between a number and its percent sign."""
    return re.sub(r"(\d) %", "\\1\N{NO-BREAK SPACE}%", words)
