"""Output of a cell: a live view if there is a kernel, static HTML (a still) everywhere else.

In a notebook the still is an output of its own, right after the live view, which hides it: a notebook that is opened again
without its kernel, exported or printed shows the last state. One small script (``explorer.js``) draws the live view.
"""

import asyncio
import os
import traceback
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import anywidget
import traitlets

from ..draw import typeface
from .script import SCRIPT, STYLE

OPTIONS = "texts", "groups"  # of a control


class View(anywidget.AnyWidget):
    """The only widget: it shows ``frame`` and calls ``answer(message)`` with the reader's action.

    Every message gets exactly one new frame, so that the script can wait for one before it sends the next. A widget sends
    only changed traits, so what seldom changes has its own: ``back``, the layer of the picture behind the other,
    ``options``, the texts of each list and slider, and ``handles``, the places of those options in the picture. So have the
    faces of the typeface, as bytes, because a page that may not load fonts by address may still create them.
    """

    _esm, _css = SCRIPT, STYLE
    frame = traitlets.Dict().tag(sync=True)
    back = traitlets.Unicode().tag(sync=True)
    options = traitlets.Dict().tag(sync=True)
    handles: traitlets.List[Any] = traitlets.List().tag(sync=True)
    typeface = traitlets.Dict().tag(sync=True)

    def __init__(
        self, title: str, still: str, frame: dict[str, Any], answer: Callable[[dict[str, Any]], dict[str, Any]]
    ) -> None:
        self._constant, self._answer = {"title": title, "still": still}, answer
        faces = {"family": typeface.FAMILY, "faces": typeface.packed()} if "picture" in frame else {}
        super().__init__(**self._parts(frame), typeface=faces)
        self.on_msg(self._receive)

    def show(self, frame: dict[str, Any], seq: str = "") -> None:
        """Show a frame; ``seq`` is the number of the message that it answers."""
        with self.hold_sync():  # all changed traits are sent in one message
            for name, value in self._parts(frame, seq).items():
                self.set_trait(name, value)

    def _parts(self, frame: dict[str, Any], seq: str = "") -> dict[str, Any]:
        frame = {**self._constant, **frame, "seq": seq}
        parts = {"back": frame.pop("back", self.back)}
        controls = frame.get("controls", ())
        if any("texts" in one for one in controls):
            parts["options"] = {one["name"]: {part: one[part] for part in OPTIONS if part in one} for one in controls}
            frame["controls"] = [{part: one[part] for part in one if part not in OPTIONS} for one in controls]
        if "handles" in frame.get("picture", ()):
            parts["handles"] = frame["picture"]["handles"]
            frame["picture"] = {name: part for name, part in frame["picture"].items() if name != "handles"}
        return {**parts, "frame": frame}

    def _receive(self, _: object, message: dict[str, Any], buffers: object) -> None:
        if not message:  # sent only so that the last answer is sent at once; see explorer.js
            return
        try:
            frame = self._answer(message)
        except Exception as error:  # the reader must see any error
            traceback.print_exc()
            frame = {**self.frame, "error": f"This did not work, and nothing was changed: {error}"}
        self.show(frame, message.get("seq", ""))


SETTLED = 2.0  # seconds after the last change until the still follows
AGAIN = "As you left it. To use it again, run this cell, and before it the first one of the page."


class Displayable:
    """Base of everything that a cell shows: a live view if there is a kernel, a still everywhere else."""

    title = "Explorer"
    again = AGAIN
    _view: View | None = None
    _name: str | None = None
    _timer: asyncio.TimerHandle | None = None

    def content(self) -> dict[str, Any]:
        """Return the present state as the script needs it."""
        raise NotImplementedError

    def _answer(self, message: dict[str, Any]) -> dict[str, Any]:
        raise NotImplementedError

    def _still_bundle(self) -> dict[str, str]:
        raise NotImplementedError

    @property
    def widget(self) -> View:
        """Widget behind the view, created at the first use."""
        if self._view is None:
            self._name = f"c2c-{uuid4().hex}"
            self._view = View(self.title, self._name, self.content(), self._answered)
        return self._view

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return self._still_bundle()

    def _ipython_display_(self) -> None:
        if os.environ.get("CHIP2CLUSTER_STILL") == "1":
            raise NotImplementedError("shown by its still alone")  # then IPython uses the bundle
        from IPython.display import publish_display_data

        self._refresh()
        live, _ = self.widget._repr_mimebundle_() or ({}, {})
        # A viewer that knows no widgets shows nothing here: the still is next.
        publish_display_data({**live, "text/html": "<!-- live -->", "text/plain": ""}, {})
        # The mark hides the still until the fresh view has arrived; later updates do not have it.
        self._keep_still(fresh=self._later(), update=False)

    def _answered(self, message: dict[str, Any]) -> dict[str, Any]:
        frame = self._answer(message)
        self._later()
        return frame

    def _refresh(self) -> None:
        if self._view is not None:
            self._view.show(self.content())
            self._later()

    def _later(self) -> bool:
        """Schedule an update of the still for when the reader stops; return False if there is no event loop."""
        if self._timer:
            self._timer.cancel()
        try:
            self._timer = asyncio.get_running_loop().call_later(SETTLED, self._keep_still)
        except RuntimeError:
            self._timer = None
        return self._timer is not None

    def _keep_still(self, fresh: bool = False, update: bool = True) -> None:
        """Put the present still into the notebook, in place of the last one."""
        from IPython.display import publish_display_data

        bundle = self._still_bundle()
        mark = "c2c-saved c2c-fresh" if fresh else "c2c-saved"
        again = f'<p class="c2c-again">{self.again}</p>' if self.again else ""
        bundle["text/html"] = f'<div class="{mark}" id="{self._name}">{bundle["text/html"]}{again}</div>'
        publish_display_data(bundle, {}, transient={"display_id": self._name}, update=update)
