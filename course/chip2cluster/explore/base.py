"""Base class of all explorers.

A subclass lists its controls and turns their values into a `Frame`; it contains no physics and knows nothing of browsers.
The base class checks values, and shows a frame live or as static HTML.
"""

import re
import sys
from base64 import b64encode
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import asdict, replace
from difflib import get_close_matches
from html import escape
from typing import Any, Self

from ..draw import palette
from .controls import Control, idle_reason
from .display import Displayable
from .frame import Extent, Frame
from .script import STYLE
from .static_states import Strip


class Explorer(Displayable):
    """An interactive view on models. Subclasses define ``title``, ``controls`` and `frame`.

    Values are given by name and checked: ``explorer.set(batch=64)``. The state on the screen can be read:
    ``explorer.table``, ``.sentence``, ``.alt``, ``.values``.

    ``positional`` lists the controls whose start values may be given without a name; by default it is the first control.
    ``strip`` lists the states that can be reached in the book. ``extent`` has the sizes of the longest sentence and
    table, so that the view can hold room for them.
    """

    controls: tuple[Control, ...] = ()
    positional: tuple[str, ...] = ()
    strip: Strip | None = None
    extent = Extent()
    _narrow = False  # whether it is shown in a narrow place
    _values: dict[str, Any]
    _wishes: dict[str, Any]  # what was last asked for, or given at the start
    _note: str
    _frame: Frame | None

    def __init__(self, *given: Any, **values: Any) -> None:
        values = self._named(given, values)
        self._by_name = {control.name: control for control in self.controls}
        self._wishes = {}
        self._start = self._settled(values, {})[0]
        self.reset()

    def twin(self) -> Self:
        """Return another explorer that starts in the present state; moving it does not move this one."""
        other = copy(self)
        other._view, other._timer, other._start = None, None, self.values
        return other.reset()

    def frame(self, values: dict[str, Any]) -> Frame:
        """Return the `Frame` of a state."""
        raise NotImplementedError(f"{type(self).__name__} does not define frame(values)")

    def _named(self, given: tuple[Any, ...], values: dict[str, Any]) -> dict[str, Any]:
        """Return all start values by name."""
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
    def values(self) -> dict[str, Any]:
        """Value of every control by name."""
        return dict(self._values)

    def set(self, **values: Any) -> Self:
        """Set controls by name; the others keep their values if these are still allowed."""
        self._change(values)
        self._frame = None
        self._refresh()
        return self

    def _change(self, asked: dict[str, Any]) -> None:
        self._values, self._note = self._settled(asked, self._values)
        self._wishes = {**self._wishes, **{name: self._values[name] for name in asked}}

    def reset(self) -> Self:
        """Go back to the start values."""
        self._restart()
        self._frame = None
        self._refresh()
        return self

    def _restart(self) -> None:
        self._values, self._wishes, self._note = dict(self._start), dict(self._start), ""

    def _settled(self, asked: dict[str, Any], before: dict[str, Any]) -> tuple[dict[str, Any], str]:
        """Check requested values and let the other controls follow; return all values, and a note on those that moved."""
        for name in asked:
            if name not in self._by_name:
                near = get_close_matches(name, self._by_name, n=1)
                hint = f" (did you mean {near[0]!r}?)" if near else ""
                raise ValueError(f"there is no control {name!r}{hint}; there are {', '.join(self._by_name)}")
        values: dict[str, Any] = {}
        notes = []
        for control in self.controls:
            if control.name in asked:
                values[control.name] = control.check(asked[control.name], values)
            else:
                old = before.get(control.name, control.default)
                values[control.name] = new = control.settle(old, values)
                if control.recalls(self._wishes, values):
                    values[control.name] = self._wishes[control.name]
                if new != old and before and new == values[control.name]:
                    reason = control.reason(old, values)
                    why = f" ({reason})" if reason else ""
                    notes.append(
                        f"{control.label}: {control.text(old)} is not offered here{why}, showing {control.text(new)}."
                    )
        return values, " ".join(notes)

    # -- what is shown ------------------------------------------------------------------

    @property
    def current(self) -> Frame:
        """`Frame` of the present state."""
        if self._frame is None:
            self._frame = self.frame(self.values)
        return self._frame

    @property
    def note(self) -> str:
        """Note on controls that the last change moved besides the requested ones; usually empty."""
        return self._note

    @property
    def sentence(self) -> str:
        """Result in words."""
        return f"{self._note} {self.current.sentence}".strip()

    @property
    def alt(self) -> str:
        """Alternative text of the picture."""
        return self.current.alt

    @property
    def table(self) -> list[dict[str, Any]]:
        """Table as a list of dicts, unrounded."""
        return self.current.table.records()

    def still(self, above: str = "", narrow: bool = False) -> str:
        """Return the present state as HTML that needs no kernel and no script; ``above`` is HTML to put above it.

        With ``narrow`` it also holds the picture for phones.
        """
        return (
            f'<style>{STYLE}</style><div class="c2c c2c-still">{above}<div class="c2c-body">'
            f'<figure class="c2c-shown" aria-label="{escape(self.title)}"><div class="c2c-picture">{self._image(narrow)}</div>'
            f'<figcaption class="c2c-sentence">{self._state()}{escape(_unbroken(self.sentence))}</figcaption></figure>'
            f'<div class="c2c-result"><div class="c2c-table"><table>{self.current.table.html()}</table></div></div></div></div>'
        )

    def _state(self) -> str:
        caption = self.current.table.caption
        return f'<span class="c2c-state">{escape(caption)}</span> ' if caption else ""

    def _image(self, narrow: bool) -> str:
        picture = self.current.picture
        return (picture if narrow else replace(picture, slim=None)).images(self.alt)

    def _still_bundle(self) -> dict[str, str]:
        still = {"text/plain": self.sentence, "text/html": self.still()}
        # The PNG is for print. A kernel in a browser prints nothing, and matplotlib takes seconds to load there.
        if sys.platform != "emscripten":
            still["image/png"] = b64encode(self.current.picture.png()).decode()
        return still

    def content(self, narrow: bool | None = None) -> dict[str, Any]:
        """Return the present state as the script needs it: see the head of ``explorer.js``.

        ``narrow`` chooses the narrow picture; by default the page that shows the explorer chooses.
        """
        values = self._values
        return {
            "controls": [
                {**control.describe(values[control.name], values), **idle_reason(control, values)}
                for control in self.controls
            ],
            "reset": True,
            "extent": asdict(self.extent),
            **self._picture(self._narrow if narrow is None else narrow),
            **self._words(),
        }

    def _choices(self, name, values):
        """Return the options that a list or slider offers in this state."""
        control: Any = self._by_name[name]
        return control.choices(values)

    def both_widths(self, offered: Mapping[str, Sequence[int]]) -> tuple[dict[str, Any], ...]:
        """Return `content` of the present state for a wide and a narrow page, without the controls.

        ``offered`` has the numbers of the options of each control that can be moved there.
        """
        words = self._words()
        return tuple({**self._picture(narrow, offered), **words} for narrow in (False, True))

    def _picture(self, narrow: bool, offered: Mapping[str, Sequence[int]] | None = None) -> dict[str, Any]:
        picture = self.current.picture.narrow if narrow else self.current.picture
        back, front = picture.layers or (palette.BACK, picture.svg)
        shown = {"svg": front, "alt": self.alt, "width": picture.width, "height": picture.height}
        shown["handles"] = [
            handle.described(picture, None if offered is None else offered[handle.control])
            for handle in self.current.handles
            if offered is None or len(offered.get(handle.control, ())) > 1
        ]
        if picture.sweep:
            left, bottom, right, top = picture.sweep
            shown["sweep"] = [left, picture.height - top, right, picture.height - bottom]
        if machine := self.current.machine:
            shown["machine"] = {"rows": dict(machine), "lit": machine.get(self.current.table.chosen or "", "")}
        return {"back": back, "picture": shown}

    def _words(self) -> dict[str, Any]:
        table, sentence = self.current.table, self.sentence
        return {
            "table": table.html(),
            "sentence": sentence,
            "links": [*self.current.words.items(), *table.links(sentence)],
        }

    def _answer(self, message: dict[str, Any]) -> dict[str, Any]:
        if "narrow" in message:
            self._narrow = bool(message["narrow"])
            if not message["values"] and "action" not in message:
                return self.content()
        before = self._values, self._wishes, self._note, self._frame
        try:
            if message.get("action") == "reset":
                self._restart()
            else:
                raw = message["values"]
                self._change({name: self._by_name[name].receive(raw[name], self._values) for name in raw})
            self._frame = None
            return self.content()
        except Exception:
            self._values, self._wishes, self._note, self._frame = before
            raise


def _unbroken(words: str) -> str:
    """Return a text in which no line ends between a number and its percent sign."""
    return re.sub(r"(\d) %", "\\1\N{NO-BREAK SPACE}%", words)
