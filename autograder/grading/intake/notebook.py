"""Parse a notebook file: untrusted JSON of any shape becomes a clean notebook of one shape."""

import codecs
import json
import re
from collections.abc import Sequence
from typing import Any

from ..sanitize.pictures import clean_attachments
from .embedded_texts import MAX_TEXT, MAX_TEXTS, attached_texts, html_text, is_course_page, typed_texts
from .prose import is_prose

MAX_CELLS = 5_000
MAX_CHARACTERS = 4_000_000  # characters in all cells together
CELL_TYPES = ("code", "markdown", "raw")
MAX_PRINTED = 400_000  # characters of outputs that are searched for sentences
MAX_PAGES = 4_000_000  # characters of HTML that are searched
MIN_PRINTED = 60  # characters; fewer are never 20 words
_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")
RELEASE_STAMP = "chip2cluster_release"  # metadata key of a released notebook: a checksum of its cells
_INDENT = re.compile(r"^[ \t\u00a0]*\u00a0[ \t\u00a0]*", re.MULTILINE)
_STAMP = re.compile(r"[0-9a-f]{64}")


class NotANotebook(ValueError):
    """Not a notebook; the message is a sentence without its subject and its full stop."""


def parse_notebook(data: bytes) -> tuple[dict[str, Any], list[str]]:
    """Parse the bytes of a notebook file; return the cleaned notebook and notes on how it was read.

    Raises
    ------
    NotANotebook
        If the bytes are not JSON, the JSON is not a notebook, or it has more than
        `MAX_CELLS` cells or `MAX_CHARACTERS` characters.
    """
    notes: list[str] = []
    data = _without_padding(data)
    if not data.strip():
        raise NotANotebook("is empty; save the notebook and hand it in again")
    try:
        text = data.decode(json.detect_encoding(data), "surrogatepass")
    except UnicodeDecodeError:
        text = data.decode("utf-8", "replace")
        notes.append("Some characters were not UTF-8 and were replaced.")
    try:
        # Not strict: a control character in a text is an editor's mistake, and no doubt about the work.
        raw = json.loads(
            text.removeprefix("\ufeff"),
            strict=False,
            object_pairs_hook=_OutputFilter(),
            parse_int=_integer,
            parse_constant=lambda name: None,
        )
    except json.JSONDecodeError as error:
        raise NotANotebook(f"is not valid JSON (line {error.lineno}: {error.msg})") from None
    except RecursionError:
        raise NotANotebook("is nested too deeply to be a notebook") from None
    if len(_entries(raw)[0]) > MAX_CELLS:
        raise NotANotebook(f"has more than {MAX_CELLS:,} cells; delete those that are not needed and hand it in again")
    notebook = clean_notebook(raw, notes)
    if sum(len(cell["source"]) for cell in notebook["cells"]) > MAX_CHARACTERS:
        raise NotANotebook(
            f"has cells with more than {MAX_CHARACTERS:,} characters; delete what is not needed and hand it in again"
        )
    return notebook, notes


def _without_padding(data: bytes) -> bytes:
    """Return the bytes without zeros around them, which a disk leaves that lost power, and without a repeated BOM."""
    if data.startswith(codecs.BOM_UTF8):
        data = data.lstrip(codecs.BOM_UTF8)
    padded = data.strip(b"\0")
    # In UTF-16 and UTF-32, zeros are halves of letters.
    return padded if b"\0" not in padded else data


def clean_notebook(raw: Any, notes: list[str] | None = None) -> dict[str, Any]:
    """Convert a notebook of any origin to one clean shape.

    Parameters
    ----------
    raw : object
        Parsed JSON or a ``NotebookNode``.
    notes : list, optional
        List to which sentences about conversions are appended.

    Returns
    -------
    dict
        Notebook in nbformat 4.5. Each cell has ``cell_type`` (code, markdown or raw), ``source``
        (text that UTF-8 can encode) and ``metadata``; a code cell also ``outputs`` and
        ``execution_count``, both empty, and ``printed`` if its outputs had sentences. ``attached`` are texts
        attached to a cell, and ``typed`` those in text fields of widgets. ``id`` exists only if the file had a valid one,
        and may occur twice: `rebuild` recognizes a copy by it. Only identifying metadata
        stay: a cell's ``nbgrader`` entries (None for a list or an object), the notebook's
        kernel and language, and the stamp of its release. ``attachments`` of text cells
        hold pictures that the text shows.

    Raises
    ------
    NotANotebook
        If ``raw`` is not a notebook.
    """
    notes = [] if notes is None else notes
    entries, old = _entries(raw)
    if old:
        notes.append("It was in notebook format 3 or older and was converted to 4.")
    cells = [_cell(_upgraded(cell) if old else cell) for cell in entries if isinstance(cell, dict)]
    if any([_remove_unseen(cell) for cell in cells]):
        notes.append("Characters that nobody sees and no code may have were removed, or became blanks.")
    if strange := len(entries) - len(cells):
        notes.append(f"Entries of its list of cells that were not cells were dropped ({strange}).")
    typed = _texts(raw.get("typed")) or [_encodable(text) for text in typed_texts(_dict(raw.get("metadata")))]
    return {
        "cells": cells,
        "metadata": _kernel(_dict(raw.get("metadata"))),
        "nbformat": 4,
        "nbformat_minor": 5,
        **({"typed": typed} if typed else {}),
    }


def _texts(value: Any) -> list[str]:
    return [source_text(text)[:MAX_TEXT] for text in _list(value)[:MAX_TEXTS] if isinstance(text, str)]


def _entries(raw: Any) -> tuple[list[Any], bool]:
    """Return the entries of the list of cells, and whether they are older than nbformat 4."""
    if not isinstance(raw, dict):
        raise NotANotebook("is JSON, but not a notebook: its outermost value is not an object")
    if isinstance(raw.get("cells"), list):
        return raw["cells"], False
    if isinstance(raw.get("worksheets"), list):
        return [cell for sheet in raw["worksheets"] for cell in _list(_dict(sheet).get("cells"))], True
    raise NotANotebook("is JSON, but not a notebook: it has no list of cells")


def _cell(raw: dict[str, Any]) -> dict[str, Any]:
    kind = raw.get("cell_type")
    # A cell of an unknown type stays readable and does not run.
    cell: dict[str, Any] = {
        "cell_type": kind if kind in CELL_TYPES else "raw",
        "source": source_text(raw.get("source")),
        "metadata": {},
    }
    marks = _dict(raw.get("metadata")).get("nbgrader")
    if isinstance(marks, dict):
        cell["metadata"]["nbgrader"] = {
            source_text(key): source_text(value)
            if isinstance(value, str)
            else value
            if isinstance(value, int | float)
            else None
            for key, value in marks.items()
        }
    if cell["cell_type"] != "code" and (pictures := clean_attachments(raw.get("attachments"), cell["source"])):
        cell["attachments"] = pictures
    attached = _dict(raw.get("attached")) or attached_texts(raw.get("attachments"))
    if attached := {_encodable(str(name)): source_text(text)[:MAX_TEXT] for name, text in attached.items()}:
        cell["attached"] = attached
    if isinstance(raw.get("id"), str) and _ID.fullmatch(raw["id"]):
        cell["id"] = raw["id"]
    if cell["cell_type"] == "code":
        cell |= {"outputs": [], "execution_count": None}
        if printed := raw.get("printed"):
            cell["printed"] = source_text(printed)[:MAX_PRINTED]
    return cell


def _remove_unseen(cell: dict[str, Any]) -> bool:
    """Remove characters with which no code runs and that editors and converters leave; return whether there were any."""
    if cell["cell_type"] != "code":
        return False
    before = cell["source"]
    source = before.removeprefix("\ufeff").replace("\0", "")
    cell["source"] = _INDENT.sub(lambda blanks: blanks[0].replace("\u00a0", " "), source)
    return cell["source"] != before


def _upgraded(raw: dict[str, Any]) -> dict[str, Any]:
    """Convert a cell of nbformat 3 to nbformat 4, by nbformat itself."""
    level = raw.get("level")
    cell: dict[str, Any] = {
        "cell_type": raw.get("cell_type") if isinstance(raw.get("cell_type"), str) else "raw",
        "metadata": {},
        "outputs": [],
        "level": min(max(level, 1), 6) if isinstance(level, int) else 1,
    }
    cell["input" if cell["cell_type"] == "code" else "source"] = source_text(raw.get("input", raw.get("source")))
    # Imported here, because it takes a second and few files need it.
    from nbformat import from_dict
    from nbformat.v4.convert import upgrade_cell

    new = upgrade_cell(from_dict(cell))
    # nbformat adds a random id; without an id the cell is matched by its name.
    del new["id"]
    return new | {"metadata": raw.get("metadata")}


def _kernel(metadata: dict[str, Any]) -> dict[str, Any]:
    kernel, language = _dict(metadata.get("kernelspec")), _dict(metadata.get("language_info"))
    stamp = metadata.get(RELEASE_STAMP)
    return {
        "kernelspec": {key: source_text(kernel.get(key)) for key in ("name", "display_name", "language")},
        "language_info": {"name": source_text(language.get("name"))},
        **({RELEASE_STAMP: stamp} if isinstance(stamp, str) and _STAMP.fullmatch(stamp) else {}),
    }


def source_text(source: Any) -> str:
    """Return a cell's source as one string, whatever its type."""
    if isinstance(source, list):
        return "".join(source_text(line) for line in source if not isinstance(line, list))
    if source is None or isinstance(source, dict):
        return ""
    return _encodable(str(source))


def _encodable(string: str) -> str:
    """Replace lone surrogates, which cannot be written to a file."""
    return string.encode("utf-8", "replace").decode("utf-8")


class _OutputFilter:
    """Drop outputs while parsing, because they make a notebook big; only sentences in them stay, as ``printed``."""

    def __init__(self) -> None:
        self._left = MAX_PRINTED
        self._pages_left = MAX_PAGES

    def __call__(self, pairs: list[tuple[str, Any]]) -> dict[str, Any] | str | None:
        entry = dict(pairs)
        if len(entry) < len(pairs) and ("cells" in entry or "source" in entry):
            # Only the last one would count, and an answer in the first be lost.
            raise NotANotebook("has an entry twice in one object; open it in JupyterLab, save it and hand it in again")
        if "output_type" in entry:
            return self._sentences(entry)
        if "cell_type" in entry:
            outputs = entry.pop("outputs", None)
            # An output is a string here only if it has sentences.
            printed = [one for one in _list(outputs) if isinstance(one, str)]
            if printed:
                entry["printed"] = "\n\n".join(printed)[:MAX_PRINTED]
        return entry

    def _sentences(self, output: dict[str, Any]) -> str | None:
        data = _dict(output.get("data"))
        page = data.get("text/html")
        parts = page if isinstance(page, list) else [page]
        source = "".join(part for part in parts if isinstance(part, str))[:MAX_PRINTED]
        # The text that stands for a page of the course is not a student's either.
        if output.get("name") == "stderr" or is_course_page(source):
            return None
        for shown in (output.get("text"), data.get("text/markdown"), data.get("text/plain")):
            printed: Sequence[Any] = shown[:MAX_PRINTED] if isinstance(shown, list | str) else ()
            text = "".join(line for line in printed if isinstance(line, str))[: self._left]
            if len(text) > MIN_PRINTED:
                self._left -= len(text)
                if is_prose(text):
                    return _encodable(text)
        source = source[: self._pages_left]
        self._pages_left -= len(source)
        text = html_text(source)[: self._left]
        if len(text) > MIN_PRINTED and is_prose(text):
            self._left -= len(text)
            return _encodable(text)
        return None


def _integer(digits: str) -> int:
    # Python refuses to convert integers of thousands of digits.
    return int(digits) if len(digits) < 20 else 0


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
