"""IPython without a kernel: runs cells of a notebook and keeps what they show, capped."""

import base64
import io
import signal
import sys
import warnings

from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

PICTURES = 8  # a picture may take this many times the bytes of text
WRAPPING = 100  # bytes that an output takes however little is in it
CUT = "\n[output cut here]\n"


class Recorder:
    """The outputs of one cell in nbformat's shape, text and PNG alone, up to ``limit`` bytes."""

    def __init__(self, limit):
        self.outputs, self._text, self._pictures = [], limit, PICTURES * limit

    def stream(self, name, text):
        if self._text <= 0 or not text:
            return
        text = self._capped(str(text))
        last = self.outputs[-1] if self.outputs else {}
        if last.get("output_type") == "stream" and last["name"] == name:
            last["text"] += text
        else:
            self._text -= WRAPPING
            self.outputs.append({"output_type": "stream", "name": name, "text": text})

    def data(self, kind, bundle):
        kept = {}
        if self._text <= 0:
            return
        if isinstance(text := bundle.get("text/plain"), str):
            kept["text/plain"] = self._capped(text)
        picture = bundle.get("image/png")
        picture = base64.b64encode(picture).decode() if isinstance(picture, bytes) else picture
        if isinstance(picture, str) and len(picture) <= self._pictures:
            self._pictures -= len(picture)
            kept["image/png"] = picture
        if kept:
            self._text -= WRAPPING
            extra = {"execution_count": None} if kind == "execute_result" else {}
            self.outputs.append({"output_type": kind, "data": kept, "metadata": {}, **extra})

    def error(self, name, value, lines):
        lines = self._capped("\n".join(map(str, lines))) if self._text > 0 else ""
        value = str(value)[:1000]
        self.outputs.append(
            {"output_type": "error", "ename": str(name), "evalue": value, "traceback": lines.split("\n")}
        )

    def _capped(self, text):
        kept = text[: self._text]
        self._text -= len(kept)
        if len(kept) < len(text):
            self._text = 0
            kept += CUT
        return kept


class _Stream(io.TextIOBase):
    """A standard stream that writes into the recorder of the running cell."""

    def __init__(self, shell, name):
        self._shell, self._name = shell, name

    encoding = "utf-8"

    def writable(self):
        return True

    def isatty(self):
        return False

    def write(self, text):
        self._shell.recorder.stream(self._name, text)
        return len(text)


class _Publisher(DisplayPublisher):
    def publish(self, data, metadata=None, source=None, *, transient=None, update=False, **_):
        self.shell.recorder.data("display_data", data)

    def clear_output(self, wait=False):
        self.shell.recorder.outputs.clear()


class _Hook(DisplayHook):
    """Shows the value of a cell's last expression."""

    def __call__(self, result=None):
        if result is not None and not self.quiet():
            self.shell.user_ns["_"] = result
            bundle, _ = self.compute_format_data(result)
            self.shell.recorder.data("execute_result", bundle)


class Shell(InteractiveShell):
    """What ``get_ipython()`` is in the box."""

    display_pub_class = _Publisher
    displayhook_class = _Hook
    recorder = Recorder(0)
    running = 0

    @classmethod
    def fresh(cls):
        """Make the one shell of this process."""
        settings = Config()
        settings.HistoryManager.enabled = False
        settings.InteractiveShell.colors = "NoColor"
        shell = cls.instance(config=settings)
        shell.compile.get_code_name = lambda *_: f"<cell {shell.running}>"
        shell.user_module.__name__ = "__main__"
        sys.stdout, sys.stderr = _Stream(shell, "stdout"), _Stream(shell, "stderr")
        # What a first cell, a first await and a first traceback import is then here for all.
        for cell in ("await __import__('asyncio').sleep(0)", "display(1 / 0)"):
            shell.run(cell, 0, 10_000)
        shell.reset(new_session=False)
        return shell

    def enable_gui(self, gui=None):
        """There is no window to open; ``%matplotlib inline`` asks for none."""

    def _showtraceback(self, etype, evalue, stb):
        self.recorder.error(etype.__name__, evalue, stb)

    def run(self, source, cell, output_bytes):
        """Run one cell and return ``{"outputs", "ok"}``."""
        self.recorder, self.running = Recorder(output_bytes), cell
        signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            with warnings.catch_warnings():
                done = self.run_cell(source, store_history=False)
            ok = bool(done.success)
        except (KeyboardInterrupt, SystemExit, GeneratorExit) as stop:
            self.recorder.error(type(stop).__name__, stop, ["stopped"])
            ok = False
        finally:
            # From here on an interrupt would hit the grader's own lines.
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        return {"outputs": self.recorder.outputs, "ok": ok}
