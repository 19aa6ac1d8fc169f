"""The base of every explorer: controls on one side, a frame on the other.

A subclass names its controls and turns their values into a `Frame`; it contains
no physics and knows nothing of browsers. The base checks values and says how a frame
is shown, live and still.
"""

import re
import sys
from base64 import b64encode
from copy import copy
from dataclasses import replace
from difflib import get_close_matches
from html import escape

from ..draw import palette
from .controls import Control
from .display import STYLE, Shown
from .static_states import Strip


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
        values = self._values
        return {
            "controls": [control.describe(values[control.name], values) for control in self.controls],
            "reset": True,
            **self._picture(self._narrow if narrow is None else narrow),
            **self._words(),
        }

    def both_widths(self):
        """What `content` says of the present state wide and narrow, without the controls; what both share is made once."""
        words = self._words()
        return tuple({**self._picture(narrow), **words} for narrow in (False, True))

    def _picture(self, narrow):
        picture = self.current.picture.narrow if narrow else self.current.picture
        back, front = picture.layers or (palette.BACK, picture.svg)
        return {
            "back": back,
            "picture": {"svg": front, "alt": self.alt, "width": picture.width, "height": picture.height},
        }

    def _words(self):
        return {"table": self.current.table.html(), "sentence": self.sentence}

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
