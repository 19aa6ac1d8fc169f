"""Notes for the student on cells and functions that behaved differently in grading than on the student's machine."""

import re
from collections.abc import Iterable
from typing import Any

MAX_SENTENCES = 8
_MODULE = re.compile(r"No module named '([A-Za-z_]\w{0,39})[.\w]{0,80}'")
_IMPORTS = r"^[ \t]*(?:import|from|%load_ext)[ \t][^\n#]*\b{}\b"
_RUN = re.compile(r"^[ \t]*%run\b", re.M)
_BACKGROUND = re.compile(r"(?:Executor|Pool|Thread|Process|Client)\(")


class RunNotes:
    """Notes on one run of a notebook, each once."""

    def __init__(self) -> None:
        self._sentences: dict[str, None] = {}
        self._timeouts: dict[str, None] = {}
        self._late: list[str] = []

    def add_failed_cell(self, source: str, outputs: Iterable[Any]) -> None:
        """Explain a failed cell; its outputs are untrusted, so a note quotes only words of the source."""
        for output in outputs:
            match output:
                case {"output_type": "error", "ename": "ModuleNotFoundError", "evalue": str(message)}:
                    name = _MODULE.search(message)
                    if name and re.search(_IMPORTS.format(name[1]), source, re.M):
                        self._add(
                            f"`{name[1]}` is not installed where your work is graded, and was not handed in with the "
                            "notebook: lines that use it did not run. Do without it and hand in again."
                        )
                    else:
                        self._add("A cell stopped because it needs a module that is not installed in grading.")
                case {"output_type": "error", "ename": "FileNotFoundError"}:
                    self._add(
                        "A cell stopped because a file does not exist where your work is graded. Modules and small tables "
                        "that are handed in with the notebook exist there."
                    )
                case {"output_type": "error", "ename": "Exception"} if _RUN.search(source):
                    self._add(
                        "A line with `%run` failed. Where your work is graded, other notebooks do not exist unless you hand "
                        "in small ones with this one. Or copy what you need into this one, or into a module."
                    )
                case {"output_type": "error", "ename": "EOFError"} if "input(" in source:
                    self._add("A line with `input()` failed: nobody can type an answer while your work is graded.")

    def add_stopped_cell(self) -> None:
        """Note that a cell was stopped because it took too long."""
        self._add(
            "A cell was stopped because it took too long where your work is graded. Definitions in cells below it were still used."
        )

    def add_continued_cell(self, functions: Iterable[str]) -> None:
        """Note that a line of a cell failed and that definitions below it were used.

        Parameters
        ----------
        functions : iterable of str
            Names of the graded functions that the cell defines.
        """
        self._add(
            f"A line of {_cell_of(functions)} failed where your work is graded. Definitions below that line were still used."
        )

    def add_salvaged_cell(self, functions: Iterable[str]) -> None:
        """Note that a cell has a syntax error and that its definitions without errors were used.

        Parameters
        ----------
        functions : iterable of str
            Names of the graded functions that the cell defines.
        """
        cell = _cell_of(functions)
        self._add(
            f"{cell[0].upper()}{cell[1:]} has a syntax error. Those of its definitions that have none were still used."
        )

    def add_late_function(self, function: str) -> None:
        """Note that a function counts as it is at the end of the notebook."""
        self._late.append(function)

    def add_timeout(self, function: str, sources: Iterable[str]) -> None:
        """Explain a function that did not end, if the notebook starts threads or processes."""
        if any(_BACKGROUND.search(source) for source in sources):
            sentence = (
                f"`{function}` did not end, and the notebook starts threads or processes: those of another cell do not "
                "exist while a function is graded, so start them inside the function."
            )
            self._timeouts[sentence] = None

    def add_functions(self, other: "RunNotes") -> None:
        """Add what another run notes on functions; what it notes on cells is not taken."""
        self._timeouts |= other._timeouts
        self._late += other._late

    def _add(self, sentence: str) -> None:
        if len(self._sentences) < MAX_SENTENCES:
            self._sentences[sentence] = None

    def sentences(self) -> list[str]:
        """Return all notes, one sentence or two each."""
        sentences = [*self._sentences, *self._timeouts][:MAX_SENTENCES]
        if self._late:
            names = ", ".join(f"`{name}`" for name in self._late)
            sentences.append(
                f"Graded as defined at the end of the notebook, because cells below their checks change them: {names}."
            )
        return sentences


def _cell_of(functions: Iterable[str]) -> str:
    names = " and ".join(f"`{name}`" for name in sorted(functions))
    return f"the cell that defines {names}" if names else "a cell"
