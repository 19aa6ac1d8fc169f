"""Sentences on what of a submission could not be seen or run as it was at home, and why."""

import re
from collections.abc import Iterable
from typing import Any

MOST = 8  # sentences; who needs more has other troubles
_MODULE = re.compile(r"No module named '([A-Za-z_]\w{0,39})[.\w]{0,80}'")
_IMPORTS = r"^[ \t]*(?:import|from|%load_ext)[ \t][^\n#]*\b{}\b"
_RUN = re.compile(r"^[ \t]*%run\b", re.M)
_BACKGROUND = re.compile(r"(?:Executor|Pool|Thread|Process|Client)\(")


class Notes:
    """Collects them, each once."""

    def __init__(self) -> None:
        self._sentences: dict[str, None] = {}
        self._late: list[str] = []

    def failed(self, source: str, outputs: Iterable[Any]) -> None:
        """A cell failed; its outputs come from a place that must not be trusted, so only words of its source are said."""
        for output in outputs:
            match output:
                case {"output_type": "error", "ename": "ModuleNotFoundError", "evalue": str(words)}:
                    named = _MODULE.search(words)
                    if named and re.search(_IMPORTS.format(named[1]), source, re.M):
                        self._say(
                            f"`{named[1]}` is not installed where your work is graded, and was not handed in beside the "
                            "notebook: lines that use it did not run. Do without it and hand in again."
                        )
                    else:
                        self._say(
                            "A cell stopped because a module that it needs is not there where your work is graded."
                        )
                case {"output_type": "error", "ename": "FileNotFoundError"}:
                    self._say(
                        "A cell stopped because a file is not there where your work is graded. Modules and small tables "
                        "that are handed in beside the notebook are there."
                    )
                case {"output_type": "error", "ename": "Exception"} if _RUN.search(source):
                    self._say(
                        "A cell stopped at `%run`: other notebooks are not there where your work is graded. Put what you "
                        "need of them into this one, or into a module beside it."
                    )
                case {"output_type": "error", "ename": "EOFError"} if "input(" in source:
                    self._say(
                        "A cell stopped at `input()`: nobody is there to type an answer while your work is graded."
                    )

    def late(self, function: str) -> None:
        """A function counts as it is at the end of the notebook."""
        self._late.append(function)

    def slow(self, function: str, sources: Iterable[str]) -> None:
        """A function did not end in time; where the notebook starts helpers, that may be why."""
        if any(_BACKGROUND.search(source) for source in sources):
            self._say(
                f"`{function}` did not end, and the notebook starts threads or processes: those of another cell are not "
                "there while a function is asked, so start them inside of the function."
            )

    def _say(self, sentence: str) -> None:
        if len(self._sentences) < MOST:
            self._sentences[sentence] = None

    def sentences(self) -> list[str]:
        told = [*self._sentences]
        if self._late:
            names = ", ".join(f"`{name}`" for name in self._late)
            told.append(
                f"Counted as the whole notebook has left them, since cells below their checks define what they need: {names}."
            )
        return told
