"""Zips within a zip: the inner one with the notebook is extracted, because the grader opens only one level."""

import io
import zipfile

from ..intake.notebook_candidates import is_system_file, read_member, zip_parts
from ..sanitize.terminal_text import printable
from .download_files import is_notebook, is_zip, safe_parts

MAX_DEPTH, MAX_MEMBERS = 3, 2_000
_MEMBER_HEADER = b"PK\1\2"


def extract_inner_zip(name: str, data: bytes) -> tuple[str, bytes, list[str]]:
    """Find the zip that contains the notebook.

    Parameters
    ----------
    name : str
        Name of the zip that a student handed in.
    data : bytes
        Its content, which may be anything.

    Returns
    -------
    str
        Name of the inner zip, or ``name`` if there is none.
    bytes
        Content of the same zip.
    list of str
        Sentence about what was extracted, if anything was.
    """
    found = (name, data)
    for _ in range(MAX_DEPTH + 1):
        inner = _only_zip(*found)
        if inner is None:
            break
        found = inner
    else:
        return name, data, [f"{printable(name)} holds zips in zips, more than {MAX_DEPTH}."]
    notes = [] if found[0] == name else [f"{printable(found[0])} was extracted from {printable(name)}, a zip in a zip."]
    return *found, notes


def _only_zip(name: str, data: bytes) -> tuple[str, bytes] | None:
    """Return the only zip in a zip without notebooks."""
    if data.count(_MEMBER_HEADER) > MAX_MEMBERS:
        return None
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            infos = [
                info
                for info in archive.infolist()
                if not info.filename.endswith(("/", "\\")) and not any(map(is_system_file, zip_parts(info.filename)))
            ]
            zips = [info for info in infos if is_zip(info.filename)]
            if len(zips) != 1 or any(is_notebook(info.filename) for info in infos):
                return None
            inner = safe_parts(zip_parts(zips[0].filename)[-1:])
            return (inner[0] if inner else f"inner-{name}"), read_member(archive, zips[0], printable(zips[0].filename))
    except Exception:
        # The bytes may be anything; grading reports what is wrong with them.
        return None
