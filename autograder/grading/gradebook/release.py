"""Labs as they are released: stamped, so that a later edit can be told from a fresh one."""

import hashlib
import json
from pathlib import Path
from typing import Any

from nbgrader.preprocessors import NbGraderPreprocessor

STAMP = "chip2cluster_release"


class StampRelease(NbGraderPreprocessor):
    """Last step of ``nbgrader generate_assignment``: write a checksum of all cells.

    The claims of the prose stay behind: those of a model answer would give it away.
    """

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        nb.metadata.pop("language_info", None)
        for cell in nb.cells:
            cell.metadata.pop("claims", None)
        nb.metadata[STAMP] = fingerprint(nb)
        return nb, resources


def fingerprint(notebook: dict[str, Any]) -> str:
    """Checksum of the cells' kinds and sources; outputs and ids do not count."""
    cells = [[cell["cell_type"], "".join(cell["source"])] for cell in notebook["cells"]]
    return hashlib.sha256(json.dumps(cells).encode()).hexdigest()


def edited(labs: str | Path) -> list[Path]:
    """Return the notebooks under ``labs`` that somebody has worked in since their release."""
    return [file for file in sorted(Path(labs).glob("*/*.ipynb")) if _edited(file)]


def _edited(file: Path) -> bool:
    try:
        notebook = json.loads(file.read_text(encoding="utf-8"))
        return notebook["metadata"].get(STAMP) != fingerprint(notebook)
    except (ValueError, KeyError, TypeError):
        # Half a file may be somebody's work too.
        return True
