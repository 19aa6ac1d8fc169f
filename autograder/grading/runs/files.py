"""Write a text file whole or not at all."""

import os
from pathlib import Path


def replace(file: str | Path, text: str) -> None:
    """Write ``text`` to ``file``, which readers see either as it was or complete."""
    draft = _draft(file, text)
    try:
        os.replace(draft, file)
    finally:
        draft.unlink(missing_ok=True)


def create(file: str | Path, text: str) -> None:
    """Write a file that does not exist yet.

    Raises
    ------
    FileExistsError
        When it does, also if another program made it a moment ago.
    """
    draft = _draft(file, text)
    try:
        os.link(draft, file)
    finally:
        draft.unlink(missing_ok=True)


def _draft(file: str | Path, text: str) -> Path:
    file = Path(file)
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_name(f".{os.getpid()}.{file.name[-40:]}.tmp")
    draft.unlink(missing_ok=True)
    with open(draft, "x", encoding="utf-8", newline="") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())
    return draft
