"""What a copy was made from, kept in the copy itself, and so what of it is the reader's."""

import hashlib
import json

from .navigation import END, TOP

KEY = "chip2cluster_copy"
NAVIGATION = (TOP, END)


def text(cell: dict) -> str:
    """The source of a cell; nbformat allows lines or one text."""
    return "".join(cell["source"])


def digest(cell: dict) -> str:
    """Checksum of a cell's kind and text; what ran and what it printed does not count."""
    return hashlib.sha256(f"{cell['cell_type']}\0{text(cell)}".encode()).hexdigest()[:12]


def of(notebook: dict) -> dict:
    """The record of a page as the course has it now."""
    cells = {cell["id"]: digest(cell) for cell in notebook["cells"]}
    return {"page": hashlib.sha256(json.dumps(cells).encode()).hexdigest()[:16], "cells": cells}


def kept_in(copy: dict) -> dict | None:
    """The record in a copy; None where it has none, as one that somebody made by hand."""
    match copy.get("metadata", {}).get(KEY):
        case {"page": str(), "cells": dict(cells)} as record if all(map(_is_text, cells.values())):
            return record
    return None


def is_worked_in(copy: dict) -> bool:
    """Whether a copy holds anything that the course did not put there; without a record it may."""
    record = kept_in(copy)
    if record is None:
        return True
    own = (cell for cell in copy["cells"] if record["cells"].get(cell.get("id")) != digest(cell))
    return any(text(cell).strip() for cell in own if cell.get("id") not in NAVIGATION)


def _is_text(value):
    return isinstance(value, str)
