"""IPython shell without a kernel: runs cells of a notebook and records their output up to a limit."""

import base64
import io
import re
import signal
import sys
import warnings
from typing import Any

from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from . import stub_modules
from .partial_cells import compilable_definitions
from .statements import defines
from .tolerant_imports import TolerantImports

PICTURES = 8  # a picture may take this many times the bytes of text
OVERHEAD = 100  # bytes that an output takes even if it is empty
SETTING = ("load_ext", "reload_ext", "autoreload", "config", "matplotlib", "store", "pip", "conda", "mamba", "uv")
TIMED = ("time", "capture", "prun")  # cell magics that run the cell and show something about it
INSTALLS = re.compile(r"[^|;&\n]{0,200}?\b(?:pip3?|conda|mamba|uv)\b[^|;&\n]{0,80}?[ ](?:install|add)[ ]")
CUT = "\n[output cut here]\n"


class OutputRecorder:
    """Outputs of one cell in the format of nbformat: only text and PNG, up to ``limit`` bytes."""

    def __init__(self, limit: int) -> None:
        self.outputs: list[dict[str, Any]] = []
        self._text, self._pictures = limit, PICTURES * limit

    def stream(self, name: str, text: object) -> None:
        """Record text of a standard stream."""
        if self._text <= 0 or not text:
            return
        part = self._capped(str(text))
        last = self.outputs[-1] if self.outputs else {}
        if last.get("output_type") == "stream" and last["name"] == name:
            last["text"] += part
        else:
            self._text -= OVERHEAD
            self.outputs.append({"output_type": "stream", "name": name, "text": part})

    def data(self, kind: str, bundle: dict[str, Any]) -> None:
        """Record a MIME bundle as an output of a type (``display_data`` or ``execute_result``)."""
        shown = {}
        if self._text <= 0:
            return
        if isinstance(text := bundle.get("text/plain"), str):
            shown["text/plain"] = self._capped(text)
        picture = bundle.get("image/png")
        picture = base64.b64encode(picture).decode() if isinstance(picture, bytes) else picture
        if isinstance(picture, str) and len(picture) <= self._pictures:
            self._pictures -= len(picture)
            shown["image/png"] = picture
        if shown:
            self._text -= OVERHEAD
            extra = {"execution_count": None} if kind == "execute_result" else {}
            self.outputs.append({"output_type": kind, "data": shown, "metadata": {}, **extra})

    def error(self, name: object, value: object, lines: list[Any]) -> None:
        """Record an exception with its traceback."""
        trace = self._capped("\n".join(map(str, lines))) if self._text > 0 else ""
        words = str(value)[:1000]
        self.outputs.append(
            {"output_type": "error", "ename": str(name), "evalue": words, "traceback": trace.split("\n")}
        )

    def _capped(self, text: str) -> str:
        fits = text[: self._text]
        self._text -= len(fits)
        if len(fits) < len(text):
            self._text = 0
            fits += CUT
        return fits


class _Stream(io.TextIOBase):
    """Standard stream that writes into the recorder of the running cell."""

    encoding = "utf-8"

    def __init__(self, shell: "Shell", name: str) -> None:
        self._shell, self._name = shell, name

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return False

    def write(self, text: str) -> int:
        self._shell.recorder.stream(self._name, text)
        return len(text)


class _Publisher(DisplayPublisher):
    """Records what a cell displays."""

    def publish(self, data, metadata=None, source=None, *, transient=None, update=False, **_):
        Shell.instance().recorder.data("display_data", data)

    def clear_output(self, wait=False):
        Shell.instance().recorder.outputs.clear()


class _DisplayHook(DisplayHook):
    """Records the value of a cell's last expression."""

    def __call__(self, result=None):
        if result is not None and not self.quiet():
            Shell.instance().user_ns["_"] = result
            bundle, _ = self.compute_format_data(result)
            Shell.instance().recorder.data("execute_result", bundle)


class Shell(InteractiveShell):
    """Shell that ``get_ipython()`` returns in the sandbox."""

    display_pub_class = _Publisher
    displayhook_class = _DisplayHook
    recorder = OutputRecorder(0)
    running = 0
    failed = False
    continued = False
    salvaged = False
    # Of the running cell: which statements define something, the number of the next one, and whether only these run.
    _defining: tuple[bool, ...] = ()
    _next = 0
    _only_definitions = False

    @classmethod
    def create(cls) -> "Shell":
        """Create the one shell of this process."""
        settings = Config()
        settings.HistoryManager.enabled = False
        settings.InteractiveShell.colors = "NoColor"
        shell = cls.instance(config=settings)
        shell.compile.get_code_name = lambda *_: f"<cell {shell.running}>"  # type: ignore[method-assign]
        shell.user_module.__name__ = "__main__"
        shell.ast_transformers.append(TolerantImports(shell.show_error))
        sys.stdout, sys.stderr = _Stream(shell, "stdout"), _Stream(shell, "stderr")
        # The modules that a first cell, a first await and a first traceback import are then loaded for all submissions.
        for cell in ("await __import__('asyncio').sleep(0)", "display(1 / 0)"):
            shell.run(cell, 0, 10_000)
        shell.reset(new_session=False)
        return shell

    def enable_gui(self, gui: str | None = None) -> None:
        """Do nothing: the sandbox has no windows."""

    def enable_matplotlib(self, gui: str | None = None) -> Any:
        """Draw inline whatever backend is requested, so that a page that requests widgets goes on."""
        return super().enable_matplotlib("inline")

    def ask_exit(self) -> None:
        """Do nothing: ``exit()`` ends a cell at most."""

    def system(self, cmd: str) -> None:
        """Run a shell command; a command that installs something prints a notice instead."""
        if INSTALLS.match(cmd):
            print("Nothing can be installed while your work is graded.")
            self.user_ns["_exit_code"] = 0
        else:
            super().system(cmd)

    def run_line_magic(self, magic_name: str, line: str, _stack_depth: int = 1) -> Any:
        """Run a magic; if one is missing, or only sets something up, its failure does not end the cell."""
        try:
            return super().run_line_magic(magic_name, line, _stack_depth + 1)
        except Exception as problem:
            if magic_name not in SETTING and not isinstance(problem, UsageError):
                raise
            self.show_error(problem)

    def run_cell_magic(self, magic_name: str, line: str, cell: str) -> Any:
        """Run a cell magic; if it is missing, run the cell without it."""
        if self.find_cell_magic(magic_name) is not None:
            try:
                return super().run_cell_magic(magic_name, line, cell)
            except BaseException as problem:
                if magic_name not in TIMED:
                    raise
                self.show_error(problem)
                return self._run_definitions(cell)
        self.show_error(UsageError(f"Cell magic `%%{magic_name}` not found."))
        self.run_cell(cell, store_history=False)

    def _run_definitions(self, cell: str) -> None:
        """Run the definitions of a cell of which a line has failed, and nothing else."""
        before, self._only_definitions = self._only_definitions, True
        try:
            done = self.run_cell(cell, store_history=False)
            self.continued = True
        finally:
            self._only_definitions = before
        self._salvage(cell, done.error_before_exec)

    def _salvage(self, cell: str, problem: BaseException | None) -> None:
        """Run those definitions of a cell with a syntax error that compile without the rest of it."""
        if isinstance(problem, SyntaxError) and (definitions := compilable_definitions(self.transform_cell(cell))):
            before, self._only_definitions = self._only_definitions, True
            try:
                self.run_cell(definitions, store_history=False)
                self.salvaged = True
            finally:
                self._only_definitions = before

    async def run_ast_nodes(self, nodelist: list[Any], *arguments: Any, **options: Any) -> Any:
        """Run the statements of a cell; see `run_code` for one that fails."""
        outer = self._defining, self._next, self._only_definitions
        self._defining, self._next = tuple(map(defines, nodelist)), 0
        try:
            return await super().run_ast_nodes(nodelist, *arguments, **options)
        finally:
            self._defining, self._next, self._only_definitions = outer

    async def run_code(self, code_obj: Any, result: Any = None, *, async_: bool = False) -> bool:
        """Run one statement. One that fails does not end the cell if a definition follows.

        After a statement that was stopped because it took too long, only definitions run.
        """
        number, self._next = self._next, self._next + 1
        if self._only_definitions and not any(self._defining[number : number + 1]):
            return False
        failed = bool(await super().run_code(code_obj, result, async_=async_))
        if not failed or not any(self._defining[number + 1 :]):
            return failed
        self.failed = self.continued = True
        self._only_definitions |= isinstance(getattr(result, "error_in_exec", None), KeyboardInterrupt)
        return False

    def show_error(self, problem: BaseException) -> None:
        """Show an error that does not end the cell."""
        self.failed = True
        self.recorder.error(type(problem).__name__, problem, [f"{type(problem).__name__}: {problem}"])

    def _showtraceback(self, etype, evalue, stb):
        self.recorder.error(etype.__name__, evalue, stb)

    def run(self, source: str, cell: int, output_bytes: int) -> dict[str, Any]:
        """Run one cell and return its outputs, whether all went well, and three remarks.

        ``refused`` says whether it called a refusing stub, ``continued`` whether lines below a failed one ran, and
        ``salvaged`` whether definitions of a cell with a syntax error were used.
        """
        refusals = stub_modules.refusals
        self.recorder, self.running = OutputRecorder(output_bytes), cell
        self.failed = self.continued = self.salvaged = False
        signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            with warnings.catch_warnings():
                done = self.run_cell(source, store_history=False)
                self._salvage(source, done.error_before_exec)
            ok = bool(done.success) and not self.failed
        except (KeyboardInterrupt, SystemExit, GeneratorExit) as stop:
            self.recorder.error(type(stop).__name__, stop, ["stopped"])
            ok = False
        finally:
            # After the cell an interrupt would stop the sandbox's own code.
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        refused = stub_modules.refusals > refusals
        remarks = {"refused": refused, "continued": self.continued, "salvaged": self.salvaged}
        return {"outputs": self.recorder.outputs, "ok": ok, **remarks}
