"""nbgrader's converters with a look before they begin: nothing is lost that they would delete first.

Their exporters are what the configuration can name, and an exporter is made before a converter
touches anything, so these lay hands on the converter that they are made for.
"""

import logging
import os
import shutil
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from nbconvert.exporters import NotebookExporter
from nbgrader.converters.base import NbGraderException
from nbgrader.utils import temp_attrs

from ..lab import Lab, load
from ..releases import keep_released
from .notebook_renames import follow
from .registration import cells_changed, register
from .release import worked_in


class ReleaseExporter(NotebookExporter):
    """What ``GenerateAssignment.exporter_class`` is set to: a release replaces the old one when it is whole."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        guard(self.parent, _release)


class GradeExporter(NotebookExporter):
    """What ``Autograde.exporter_class`` is set to: what cannot be graded is said once, before anything begins."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        guard(self.parent, _autograde)


def guard(converter: Any, steps: Callable[[Any, Callable[[], None]], None]) -> None:
    """Have a converter take ``steps``, which get it and its own conversion of all notebooks."""
    # Of the class: an exporter may be made anew for the same converter.
    converter.convert_notebooks = partial(steps, converter, type(converter).convert_notebooks.__get__(converter))


def _release(converter: Any, convert: Callable[[], None]) -> None:
    """Make the releases in another place, and put those that are whole into theirs."""
    names = {Path(source).name: source for source in converter.assignments}
    places = {name: Path(os.path.normpath(converter._format_dest(name, "."))) for name in names}
    for name, source in names.items():
        if touched := worked_in(places[name]):
            # As an error, or a quiet nbgrader would not say it.
            converter.log.error(
                "%s has been worked in and stays as it is; move it to my_labs/ to release anew.", touched[0]
            )
            del converter.assignments[source], places[name]
        elif not converter.no_database and (problem := cells_changed(converter, name, converter.assignments[source])):
            _refuse(converter, f"{problem}. {places[name]} stays as it was.")
        elif not converter.no_database and len(converter.assignments[source]) == 1:
            follow(converter.coursedir, name, Path(converter.assignments[source][0]).stem)
    for place in places.values():
        keep_released(converter.coursedir.root, place)
    with tempfile.TemporaryDirectory() as folder, temp_attrs(converter.coursedir, release_directory=folder):
        made = {name: Path(os.path.normpath(converter._format_dest(name, "."))) for name in places}
        with _Sentences(converter.log) as said:
            try:
                convert()
            finally:
                # Of several those that went well; nbgrader has removed the others.
                for name, place in sorted(places.items()):
                    if made[name].is_dir():
                        install(made[name], place, whole=converter.coursedir.notebook_id == "*")
                    else:
                        said.report(f"{place} stays as it was" if place.is_dir() else f"{name} is not released")


class _Sentences:
    """While it is open, one sentence stands in a converter's log where nbgrader writes a traceback."""

    def __init__(self, log: logging.Logger | logging.LoggerAdapter[Any]) -> None:
        # An application's log is an adapter; what decides is the logger behind it.
        self._log = log.logger if isinstance(log, logging.LoggerAdapter) else log
        self._problems: list[str] = []

    def __enter__(self) -> "_Sentences":
        self._log.addFilter(self._keep)
        return self

    def __exit__(self, *_: object) -> None:
        self._log.removeFilter(self._keep)

    def report(self, outcome: str) -> None:
        problem = self._problems.pop(0) if self._problems else "nbgrader stopped"
        self._log.error("%s: %s", outcome, problem)

    def _keep(self, record: logging.LogRecord) -> bool:
        text = record.getMessage()
        if text.startswith("Traceback "):
            # Its last part, from the name of the error on.
            self._problems.append(next(line for line in text.splitlines()[1:] if line[:1].strip()))
            return False
        return not text.startswith(("There was an error processing", "Please see the the above"))


def _autograde(converter: Any, convert: Callable[[], None]) -> None:
    """Refuse what cannot be graded here, and let the gradebook have the present points."""

    def convert_registered() -> None:
        for lab in _labs(converter):
            register(converter.coursedir, converter.parent, lab)
        convert()

    only_known(converter, convert_registered)


def only_known(converter: Any, convert: Callable[[], None]) -> None:
    """Convert submissions, but refuse in a sentence what cannot be graded here."""
    try:
        _labs(converter)
        convert()
    except ValueError as problem:
        _refuse(converter, str(problem))


def _labs(converter: Any) -> list[Lab]:
    names = sorted({Path(submitted).name for submitted in converter.assignments})
    return [load(converter.coursedir.root, name) for name in names]


def _refuse(converter: Any, problem: str) -> None:
    converter.log.error(problem)
    raise NbGraderException(problem)


def install(new: Path, old: Path, *, whole: bool) -> None:
    """Put the files of one folder into another: at any moment each is there, old or new.

    Parameters
    ----------
    new, old : Path
    whole : bool
        Remove what ``old`` holds beyond that.

    Raises
    ------
    OSError
        When there is no room for them; ``old`` is as it was then.
    """
    names = [file.relative_to(new) for file in sorted(new.rglob("*")) if file.is_file()]
    drafts = {name: (old / name).with_name(f".{name.name}.{os.getpid()}.new") for name in names}
    try:
        for name, draft in drafts.items():
            draft.parent.mkdir(parents=True, exist_ok=True)
            shutil.copymode((new / name).parent, draft.parent)
            shutil.copy(new / name, draft)
        for name, draft in drafts.items():
            os.replace(draft, old / name)
    finally:
        for draft in drafts.values():
            draft.unlink(missing_ok=True)
    if whole:
        for path in sorted(old.rglob("*"), reverse=True):
            if path.is_dir() and not path.is_symlink():
                if not any(path.iterdir()):
                    path.rmdir()
            elif path.relative_to(old) not in names:
                path.unlink()
