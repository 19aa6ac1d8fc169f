"""``nbgrader generate_assignment`` without losses: a release replaces the old one only when it is complete.

nbgrader deletes the old release before it makes the new one. The exporter that the configuration names is made before
that, so it wraps the conversion of the converter that it is made for.
"""

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from nbconvert.exporters import NotebookExporter

from ..lab import load
from ..marking.rubric import SUFFIX
from ..nbgrader_compat.converters import ConversionErrors, NbGraderException, wrap_conversion
from ..nbgrader_compat.tools import temporary_traits
from ..releases import store_current_releases
from .notebook_renames import rename_notebook_entries
from .registration import registration_conflict
from .release import edited_in


class ReleaseExporter(NotebookExporter):
    """Value of ``GenerateAssignment.exporter_class``: a release replaces the old one when it is complete."""

    def __init__(self, *args: Any, **traits: Any) -> None:
        """Wrap the conversion of the converter that this exporter is made for."""
        super().__init__(*args, **traits)
        wrap_conversion(self.parent, _release)


def _release(converter: Any, convert: Callable[[], None]) -> None:
    """Make the releases in a temporary folder, and install those that are complete."""
    directory = converter.coursedir
    names = {Path(source).name: source for source in converter.assignments}
    places = {name: _release_folder(directory, name) for name in names}
    for name, source in names.items():
        if edited := edited_in(places[name]):
            # As an error, because `nbgrader --quiet` shows no warning.
            converter.log.error(
                "%s has been worked in and stays as it is; move it to my_labs/ to release anew.", edited[0]
            )
            del converter.assignments[source], places[name]
        elif not converter.no_database and (
            problem := registration_conflict(converter, name, converter.assignments[source])
        ):
            _refuse(converter, f"{problem}. {places[name]} stays as it was.")
        elif not converter.no_database and len(converter.assignments[source]) == 1:
            rename_notebook_entries(directory, name, Path(converter.assignments[source][0]).stem)
    for place in places.values():
        store_current_releases(directory.root, place)
    with tempfile.TemporaryDirectory() as folder, temporary_traits(directory, release_directory=folder):
        drafts = {name: _release_folder(directory, name) for name in places}
        with ConversionErrors(converter.log) as errors:
            try:
                errors.convert(convert)
            finally:
                # nbgrader has removed the drafts that failed.
                for name, place in sorted(places.items()):
                    if drafts[name].is_dir():
                        # A configuration of an earlier version does not list them among the ignored names.
                        for rubric in drafts[name].rglob(f"*{SUFFIX}"):
                            rubric.unlink()
                        install_files(drafts[name], place, complete=directory.notebook_id == "*")
                    else:
                        errors.report(f"{place} stays as it was" if place.is_dir() else f"{name} is not released")


def _release_folder(directory: Any, lab: str) -> Path:
    return Path(os.path.normpath(directory.format_path(directory.release_directory, ".", lab)))


def refuse_unknown_labs(converter: Any, convert: Callable[[], None]) -> None:
    """Convert submissions; a lab that this grader cannot load is refused in one sentence, before any file is touched."""
    try:
        for name in sorted({Path(submitted).name for submitted in converter.assignments}):
            load(converter.coursedir.root, name)
        convert()
    except ValueError as problem:
        _refuse(converter, str(problem))


def _refuse(converter: Any, problem: str) -> None:
    converter.log.error(problem)
    raise NbGraderException(problem)


def install_files(new: Path, old: Path, *, complete: bool) -> None:
    """Put the files of one folder into another; at any moment each file is there, old or new.

    Parameters
    ----------
    new, old : Path
        Folder with the new files, and folder that they are put into.
    complete : bool
        Remove everything else from ``old``.

    Raises
    ------
    OSError
        If there is no room for them; ``old`` is unchanged then.
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
    if complete:
        for path in sorted(old.rglob("*"), reverse=True):
            if path.is_dir() and not path.is_symlink():
                if not any(path.iterdir()):
                    path.rmdir()
            elif path.relative_to(old) not in names:
                path.unlink()
