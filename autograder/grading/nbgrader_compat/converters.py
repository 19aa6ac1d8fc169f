"""nbgrader's converters: which class grades, and what happens before, during and after a conversion."""

import logging
import sys
import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from nbconvert.writers import FilesWriter
from nbgrader.apps import api, autogradeapp
from nbgrader.converters import Autograde, BaseConverter, GenerateAssignment
from nbgrader.converters.base import NbGraderException
from nbgrader.utils import capture_log

__all__ = [
    "Autograde",
    "ConversionErrors",
    "DraftAutograde",
    "GenerateAssignment",
    "NbGraderException",
    "replace_autograde",
    "run_quietly",
    "wrap_conversion",
]


def replace_autograde(converter: type[Autograde]) -> None:
    """Have ``nbgrader autograde`` and formgrader's *Autograde* button use another converter in this process.

    Replaces the name ``Autograde`` in ``nbgrader.apps.autogradeapp`` and ``nbgrader.apps.api``: no option of nbgrader
    names the class.
    """
    autogradeapp.Autograde = api.Autograde = converter


def wrap_conversion(converter: Any, conversion: Callable[[Any, Callable[[], None]], None]) -> None:
    """Have a converter call ``conversion(converter, convert)`` in place of ``convert_notebooks``.

    Replaces that method of one converter, called from the exporter that the configuration names for it: nbgrader makes
    the exporter before it touches any file, and its own hook before a conversion runs after it has deleted the old
    output. ``convert`` does what the class does; an exporter may be made again for the same converter.
    """
    converter.convert_notebooks = partial(conversion, converter, type(converter).convert_notebooks.__get__(converter))


class DraftAutograde(Autograde):
    """nbgrader's autograde converter that writes one notebook, already graded, to a folder that the caller names.

    Relies on the attributes ``writer`` and ``exporter`` that ``BaseConverter.start`` sets, and overrides
    ``BaseConverter._format_dest``, which ``write_single_notebook`` and ``set_permissions`` use: nbgrader's own way
    deletes the old notebook before it knows whether the new one can be written.

    Attributes
    ----------
    draft : Path or None
        Folder to write to; the configured one if None.
    """

    draft: Path | None = None

    def open_exporter(self) -> None:
        """Make the configured writer and exporter, as ``start`` does."""
        self.writer = FilesWriter(parent=self, config=self.config)
        self.exporter = self.exporter_class(parent=self, config=self.config)

    def _format_dest(self, assignment_id: str, student_id: str, escape: bool = False) -> str:
        return str(self.draft) if self.draft else super()._format_dest(assignment_id, student_id, escape=escape)


class ConversionErrors:
    """Context manager that holds back tracebacks and the errors of ``convert_notebooks``, to report each in one sentence.

    Relies on ``convert_notebooks`` logging ``traceback.format_exc()`` while it handles the error of one assignment,
    and on its raising `NbGraderException`: outside every handler if that was all, with a message of its own otherwise.
    No text of a message counts, only the module that logs it and whether it is the traceback of the present error.

    Parameters
    ----------
    log : Logger or LoggerAdapter
        Log of the converter.
    """

    def __init__(self, log: logging.Logger | logging.LoggerAdapter[Any]) -> None:
        # The log of an application is an adapter; filters belong to the logger behind it.
        self._log = log.logger if isinstance(log, logging.LoggerAdapter) else log
        self._problems: list[str] = []
        self._collected: BaseException | None = None  # the error of the last problem
        self._source = BaseConverter.convert_notebooks.__code__.co_filename

    def __enter__(self) -> "ConversionErrors":
        """Begin to hold back errors."""
        self._log.addFilter(self._passes)
        return self

    def __exit__(self, *_: object) -> None:
        """Let errors pass again."""
        self._log.removeFilter(self._passes)

    def convert(self, convert: Callable[[], None]) -> None:
        """Convert; nbgrader's own message about the last error replaces its cause."""
        try:
            convert()
        except NbGraderException as problem:
            if problem.__context__ is not None and problem.__context__ is self._collected:
                self._problems[-1] = str(problem)
            elif problem.__context__ is not None or not self._problems:
                self._problems.append(str(problem))
            raise

    def report(self, outcome: str) -> None:
        """Log what came of one assignment, with the next problem as the cause."""
        problem = self._problems.pop(0) if self._problems else "nbgrader stopped"
        self._log.error("%s: %s", outcome, problem)

    def _passes(self, record: logging.LogRecord) -> bool:
        if record.levelno < logging.ERROR:
            return True
        by_converter = record.pathname == self._source
        problem = sys.exc_info()[1]
        if problem is not None and record.getMessage() == traceback.format_exc():
            if by_converter:
                self._problems.append(_first_cause(problem))
                self._collected = problem
            return False
        return not by_converter


def _first_cause(problem: BaseException) -> str:
    while cause := problem.__cause__ or problem.__context__:
        problem = cause
    return traceback.format_exception_only(problem)[-1].splitlines()[0]


def run_quietly(converter: Any) -> str:
    """Run a converter with nothing on the terminal; return why it failed, or "".

    Takes the handlers from the converter's log and reads the dictionary of ``nbgrader.utils.capture_log``: a converter
    says why it failed in its log alone.
    """
    log = converter.log
    handlers, log.handlers = log.handlers, []
    try:
        done = capture_log(converter)
    finally:
        log.handlers = handlers
    if done["success"]:
        return ""
    lines = done.get("log", "").splitlines()
    return next((line.partition("] ")[2] for line in lines if line.startswith("[ERROR] ")), "nbgrader does not say why")
