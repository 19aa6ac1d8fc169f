"""Record of the notebook that a copy was made from, stored in the copy; it shows which cells are the reader's."""

import hashlib
import json

from .navigation import END, TOP

KEY = "chip2cluster_copy"
NAVIGATION = (TOP, END)


def text(cell: dict) -> str:
    """Return the source of a cell; nbformat allows lines or one text."""
    return "".join(cell["source"])


def digest(cell: dict) -> str:
    """Return the checksum of a cell's type and source, without its outputs."""
    return hashlib.sha256(f"{cell['cell_type']}\0{text(cell)}".encode()).hexdigest()[:12]


def make_record(notebook: dict) -> dict:
    """Return the record of a current notebook of the course."""
    cells = {cell["id"]: digest(cell) for cell in notebook["cells"]}
    return {"page": hashlib.sha256(json.dumps(cells).encode()).hexdigest()[:16], "cells": cells}


def read_record(copy: dict) -> dict | None:
    """Return the record in a copy; None if it has none, as in a copy that was made by hand."""
    match copy.get("metadata", {}).get(KEY):
        case {"page": str(), "cells": dict(cells)} as record if all(isinstance(cell, str) for cell in cells.values()):
            return record
    return None


def has_work(copy: dict) -> bool:
    """Return whether a copy contains work of the reader; True without a record."""
    record = read_record(copy)
    if record is None:
        return True
    own = (cell for cell in copy["cells"] if record["cells"].get(cell.get("id")) != digest(cell))
    return any(text(cell).strip() for cell in own if cell.get("id") not in NAVIGATION)
