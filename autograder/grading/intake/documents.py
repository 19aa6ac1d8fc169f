"""Documents handed in with a notebook, such as a PDF, which may hold a written answer. They are listed, never opened."""

import os
from pathlib import Path, PurePosixPath

from .notebook_candidates import MAX_ZIPS, UnreadableFile, is_zip, regular_files, zip_names, zip_parts

SUFFIXES = (
    *(".txt", ".md", ".rtf", ".pdf", ".doc", ".docx", ".odt", ".pages", ".tex", ".html", ".htm"),
    *(".png", ".jpg", ".jpeg", ".heic"),
)
MAX_DOCUMENTS = 5
_NOTEBOOK = ".ipynb"
# Files of nbgrader, of learning platforms and of programmers, by their names without the suffix.
_OTHERS = (
    "timestamp",
    "submission_secret",
    "attempt",
    "readme",
    "license",
    "requirements",
    "constraints",
    "environment",
)


def document_names(folder: str | Path, notebook: str) -> list[str]:
    """Return the paths of the documents in a submission, sorted, at most `MAX_DOCUMENTS`.

    Parameters
    ----------
    folder : path
        The submitted folder; it may contain anything. No link is followed.
    notebook : str
        Name of the lab's notebook without its suffix; an export of the notebook is not a document of its own.

    Returns
    -------
    list of str
        Paths below the folder; a document in a zip has the path of the zip in front, as in ``lab.zip/essay.pdf``.
        Another notebook beside the lab's counts as a document.
    """
    folder = Path(folder)
    found = _files(folder)
    zips = [path for path in found if is_zip(path)][:MAX_ZIPS]
    found += [f"{path}/{name}" for path in zips for name in _names_in_zip(folder / path)]
    return _documents(found, notebook)[:MAX_DOCUMENTS]


def document_files(folder: str | Path, notebook: str) -> list[str]:
    """Return the paths of the documents that are files of their own, as `document_names` does."""
    return _documents(_files(Path(folder)), notebook)[:MAX_DOCUMENTS]


def _files(folder: Path) -> list[str]:
    if os.path.islink(folder):
        return []
    try:
        return [*regular_files(folder)]
    except OSError:
        return []


def _names_in_zip(path: Path) -> list[str]:
    try:
        return ["/".join(zip_parts(name)) for name in zip_names(path)]
    except (UnreadableFile, OSError):
        return []


def _documents(paths: list[str], notebook: str) -> list[str]:
    """Choose the documents; the outermost come first, so that they are the ones that a limit leaves."""
    has_lab = any(_is_labs(path, notebook) for path in paths)
    chosen = [path for path in paths if _is_document(path, notebook, has_lab=has_lab)]
    return sorted(chosen, key=lambda path: (path.count("/"), path))


def _is_labs(path: str, notebook: str) -> bool:
    stem, suffix = os.path.splitext(PurePosixPath(path).name.lower())
    return suffix == _NOTEBOOK and notebook.lower() in stem


def is_programmers_file(path: str) -> bool:
    """Return whether a file has the name of one that nbgrader, a learning platform or a programmer writes."""
    return os.path.splitext(PurePosixPath(path).name.lower())[0] in _OTHERS


def _is_document(path: str, notebook: str, *, has_lab: bool) -> bool:
    name = PurePosixPath(path).name
    stem, suffix = os.path.splitext(name.lower())
    # Messages quote these paths.
    is_readable = path.isprintable() and "`" not in path and not name.startswith(".")
    is_document = suffix in SUFFIXES or (suffix == _NOTEBOOK and has_lab)
    return is_readable and is_document and not is_programmers_file(path) and notebook.lower() not in stem
