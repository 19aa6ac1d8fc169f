"""The notebook inside of a file: JSON of unknown shape made into one plain shape."""

import json
import re
from typing import Any

MAX_CELLS = 5_000
MAX_CHARACTERS = 4_000_000  # characters in all cells together
CELL_TYPES = ("code", "markdown", "raw")
_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")
RELEASE_STAMP = "chip2cluster_release"  # in a released notebook's metadata: a checksum of its cells
_STAMP = re.compile(r"[0-9a-f]{64}")


class NotANotebook(ValueError):
    """Says what is wrong, as a sentence that lacks its subject and its full stop."""


def parse_notebook(data: bytes) -> tuple[dict[str, Any], list[str]]:
    """Return the cleaned notebook in some bytes, and notes on how it was read.

    Raises
    ------
    NotANotebook
        For bytes that are not JSON, JSON that is no notebook, and one with more than
        `MAX_CELLS` cells or `MAX_CHARACTERS` characters, which no person writes.
    """
    notes: list[str] = []
    if not data.strip():
        raise NotANotebook("is empty; save the notebook and hand it in again")
    try:
        text = data.decode(json.detect_encoding(data), "surrogatepass")
    except UnicodeDecodeError:
        text = data.decode("utf-8", "replace")
        notes.append("Some characters were not UTF-8 and were replaced.")
    try:
        raw = json.loads(text, object_hook=_without_outputs, parse_int=_integer, parse_constant=lambda name: None)
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


def clean_notebook(raw: Any, notes: list[str] | None = None) -> dict[str, Any]:
    """Bring a notebook of any make into one plain shape.

    Parameters
    ----------
    raw : object
        Parsed JSON or a ``NotebookNode``.
    notes : list, optional
        Sentences on what was done are appended here.

    Returns
    -------
    dict
        nbformat 4.5. Each cell has ``cell_type`` (code, markdown or raw), ``source``
        (text that UTF-8 can hold) and ``metadata``; a code cell also ``outputs`` and
        ``execution_count``, both empty. ``id`` is there only where the file had a
        valid one, and may occur twice: `rebuild` sees a copy by that. Of the
        metadata only what identifies stays: a cell's ``nbgrader`` entries (None for
        a list or an object), the notebook's kernel and language, and the stamp of the
        release that it was made from. Attachments are left out.

    Raises
    ------
    NotANotebook
        For anything that is no notebook.
    """
    notes = [] if notes is None else notes
    entries, old = _entries(raw)
    if old:
        notes.append("It was in notebook format 3 or older and was converted to 4.")
    cells = [_cell(_upgraded(cell) if old else cell) for cell in entries if isinstance(cell, dict)]
    if strange := len(entries) - len(cells):
        notes.append(f"Entries in its list of cells that were no cells were left out ({strange}).")
    return {"cells": cells, "metadata": _kernel(_dict(raw.get("metadata"))), "nbformat": 4, "nbformat_minor": 5}


def _entries(raw: Any) -> tuple[list[Any], bool]:
    """The entries of the list of cells, and whether they are older than nbformat 4."""
    if not isinstance(raw, dict):
        raise NotANotebook("is JSON, but no notebook: its outermost value is no object")
    if isinstance(raw.get("cells"), list):
        return raw["cells"], False
    if isinstance(raw.get("worksheets"), list):
        return [cell for sheet in raw["worksheets"] for cell in _list(_dict(sheet).get("cells"))], True
    raise NotANotebook("is JSON, but no notebook: it has no list of cells")


def _cell(raw: dict[str, Any]) -> dict[str, Any]:
    kind = raw.get("cell_type")
    # Text of a kind that does not exist stays readable and is not run.
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
    if isinstance(raw.get("id"), str) and _ID.fullmatch(raw["id"]):
        cell["id"] = raw["id"]
    if cell["cell_type"] == "code":
        cell |= {"outputs": [], "execution_count": None}
    return cell


def _upgraded(raw: dict[str, Any]) -> dict[str, Any]:
    """A cell of nbformat 3 as one of nbformat 4, by nbformat itself."""
    level = raw.get("level")
    cell: dict[str, Any] = {
        "cell_type": raw.get("cell_type") if isinstance(raw.get("cell_type"), str) else "raw",
        "metadata": {},
        "outputs": [],
        "level": min(max(level, 1), 6) if isinstance(level, int) else 1,
    }
    cell["input" if cell["cell_type"] == "code" else "source"] = source_text(raw.get("input", raw.get("source")))
    # Here, because few files need it and every grading process would wait a second for it.
    from nbformat import from_dict
    from nbformat.v4.convert import upgrade_cell

    new = upgrade_cell(from_dict(cell))
    # nbformat draws a random id; without one the cell is found by its name.
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
    """A cell's source as one string, whatever was there instead."""
    if isinstance(source, list):
        return "".join(source_text(line) for line in source if not isinstance(line, list))
    if source is None or isinstance(source, dict):
        return ""
    return _encodable(str(source))


def _encodable(string: str) -> str:
    """Lone surrogates cannot be written to any file."""
    return string.encode("utf-8", "replace").decode("utf-8")


def _without_outputs(entry: dict[str, Any]) -> dict[str, Any] | None:
    # At once, cell by cell: outputs are what makes a notebook big, and nobody reads them.
    if "output_type" in entry:
        return None
    if "cell_type" in entry:
        entry.pop("outputs", None)
        entry.pop("attachments", None)
    return entry


def _integer(digits: str) -> int:
    # Python refuses to read integers of thousands of digits.
    return int(digits) if len(digits) < 20 else 0


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
