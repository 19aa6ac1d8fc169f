"""Documents beside a notebook, such as a PDF, which may hold a written answer. They are listed and never opened."""

import os
from itertools import islice
from pathlib import Path

SUFFIXES = (
    *(".txt", ".md", ".rtf", ".pdf", ".doc", ".docx", ".odt", ".pages", ".tex", ".html", ".htm"),
    *(".png", ".jpg", ".jpeg", ".heic"),
)
MAX_DOCUMENTS = 5
MAX_SCANNED = 10_000  # entries of the folder
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
    """Return the names of documents in a submitted folder, sorted, at most `MAX_DOCUMENTS`.

    Parameters
    ----------
    folder : path
        The submitted folder; it may contain anything. No link is followed, and no subfolder is entered.
    notebook : str
        Name of the lab's notebook without its suffix; an export of the notebook is not a document of its own.
    """
    if os.path.islink(folder):
        return []
    try:
        with os.scandir(folder) as entries:
            found = [entry.name for entry in islice(entries, MAX_SCANNED) if entry.is_file(follow_symlinks=False)]
    except OSError:
        return []
    return sorted(filter(lambda name: _is_document(name, notebook), found))[:MAX_DOCUMENTS]


def _is_document(name: str, notebook: str) -> bool:
    stem, suffix = os.path.splitext(name.lower())
    # Messages quote these names.
    readable = name.isprintable() and "`" not in name and not name.startswith(".")
    return readable and suffix in SUFFIXES and stem not in _OTHERS and notebook.lower() not in stem
