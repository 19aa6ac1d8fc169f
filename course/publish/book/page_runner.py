"""Runner of pages: each page runs in a forked process of its own, which starts at once.

Starting a kernel and importing the packages takes longer than most pages run. So one process imports them and forks
for each page, and no page sees names, records or settings of another.
"""

import base64
import faulthandler
import gc
import io
import json
import os
import subprocess
import sys
import traceback
from pathlib import Path

import pandas
from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

OUTPUTS = "outputs.jsonl"  # a line for each cell that has ended
MANY = "many"  # the word for a process of many pages


class CellError(Exception):
    """A cell failed. ``place`` is its number among the cells, from 0."""

    def __init__(self, place, text):
        super().__init__(text)
        self.place = place


class Runner:
    """Runs pages, one after another, each in a fresh process with this environment. A context manager.

    A cell may take ``limit`` seconds by the clock, of which a busy machine needs many. For ``many`` pages what nearly all
    of them load is loaded before the first one.
    """

    def __init__(self, environment, limit=600, many=False):
        self._environment, self._limit, self._many, self._process = environment, limit, many, None

    def __enter__(self):
        """Return the kernel itself."""
        return self

    def __exit__(self, *_):
        """End the process."""
        self._end()

    def run(self, cells, folder, environment):
        """Return the outputs of each cell, as nbformat has them.

        Parameters
        ----------
        cells : list of str
            Sources, run in this order up to the first that fails.
        folder : path
            An empty folder to run in.
        environment : dict
            Variables of this page alone.

        Raises
        ------
        CellError
            If a cell fails, takes too long or ends its process; with its traceback.
        """
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", __name__, *[MANY] * self._many],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                encoding="utf-8",
                env=self._environment,
            )
        task = {"cells": cells, "folder": str(folder), "environment": environment, "limit": self._limit}
        self._process.stdin.write(json.dumps(task) + "\n")
        self._process.stdin.flush()
        self._process.stdout.readline()  # the page has ended, well or not
        if not hasattr(os, "fork"):
            self._end()
        file = Path(folder, OUTPUTS)
        ended = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] if file.exists() else []
        if ended and "error" in ended[-1]:
            raise CellError(len(ended) - 1, ended[-1]["error"])
        if len(ended) < len(cells):
            raise CellError(len(ended), f"its process ended, or the cell took longer than {self._limit} s")
        return [cell["outputs"] for cell in ended]

    def _end(self):
        if self._process is not None:
            self._process.communicate()  # it ends where its input does
            self._process = None


class _Publisher(DisplayPublisher):
    def publish(self, data, metadata=None, source=None, *, transient=None, update=False, **_):
        self.shell.outputs.append({"output_type": "display_data", "data": data, "metadata": metadata or {}})

    def clear_output(self, wait=False):
        self.shell.outputs.clear()


class _Hook(DisplayHook):
    """Keeps the value of a cell's last expression, as it is shown."""

    def write_output_prompt(self):
        """There is no terminal."""

    def write_format_data(self, format_dict, md_dict=None):
        result = {"output_type": "execute_result", "data": format_dict, "metadata": md_dict or {}}
        self.shell.outputs.append({**result, "execution_count": None})


class _Stream(io.TextIOBase):
    """A standard stream of a cell."""

    encoding = "utf-8"

    def __init__(self, shell, name):
        self._shell, self._name = shell, name

    def writable(self):
        return True

    def write(self, text):
        outputs = self._shell.outputs
        if not text:
            return 0
        if not (outputs and outputs[-1].get("name") == self._name):
            outputs.append({"output_type": "stream", "name": self._name, "text": ""})
        outputs[-1]["text"] += text
        return len(text)


class _Shell(InteractiveShell):
    """What ``get_ipython()`` is on a page; ``outputs`` are those of the cell that runs."""

    display_pub_class = _Publisher
    displayhook_class = _Hook
    outputs, error = [], ""

    def _showtraceback(self, etype, evalue, stb):
        self.error = "\n".join(stb)

    def enable_gui(self, gui=None):
        """There is no window to open."""

    def ended(self, source, limit):
        """Run a cell and return what is kept of it."""
        self.outputs, self.error = [], ""
        faulthandler.dump_traceback_later(limit, exit=True, file=sys.__stderr__)
        done = self.run_cell(source, store_history=True)
        faulthandler.cancel_dump_traceback_later()
        return {"outputs": self.outputs} if done.success else {"error": self.error or repr(done.error_in_exec)}


def _page(cells, folder, environment, limit):
    """Run a page in this process and write what each cell put out as soon as it has ended."""
    os.chdir(folder)
    os.environ.update(environment)
    settings = Config()
    settings.HistoryManager.enabled = False
    settings.InteractiveShell.colors = "NoColor"
    shell = _Shell.instance(config=settings)
    shell.user_module.__name__ = "__main__"
    pandas.set_option("display.max_columns", 20)  # without a kernel it thinks of a terminal
    sys.stdout, sys.stderr = _Stream(shell, "stdout"), _Stream(shell, "stderr")
    with Path(OUTPUTS).open("w", encoding="utf-8") as file:
        for source in cells:
            ended = shell.ended(source, limit)
            file.write(json.dumps(ended, default=lambda data: base64.b64encode(data).decode()) + "\n")
            file.flush()
            if "error" in ended:
                break


def main():
    """Run the page of each line of the standard input, and answer with a line when it has ended."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a page's own processes say is none of the answers
    from . import formatters  # noqa: F401  with all that pages need

    if MANY in sys.argv:
        from . import preload  # noqa: F401

    gc.freeze()
    for line in sys.stdin:
        task = json.loads(line)
        if hasattr(os, "fork"):
            process = os.fork()
            if not process:
                try:
                    _page(**task)
                except BaseException:
                    traceback.print_exc(file=sys.__stderr__)
                finally:
                    os._exit(0)
            os.waitpid(process, 0)
        else:
            _page(**task)
        print("ended", file=answers, flush=True)


if __name__ == "__main__":
    main()
