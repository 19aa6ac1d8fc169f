"""What a cell shows: a live view where there is a kernel, a still everywhere else.

In a notebook the still is an output of its own, right behind that of the live view, which
hides it: a page that is opened again without its kernel, exported or printed shows what
its reader saw last. One small script (``explorer.js``) draws the live view.
"""

import asyncio
import os
import traceback
from pathlib import Path
from uuid import uuid4

import anywidget
import traitlets

from ..draw import typeface

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
