"""A zip in a zip, as students make it: the inner one is taken out, since a grader looks into one only."""

import io
import zipfile

from ..intake.candidates import is_nobodys, member
from ..sanitize.terminal_text import shown
from .sources import cleaned, is_notebook, is_zip

MOST_DEEP, MOST_IN_ZIP = 3, 2_000
_IN_ZIP = b"PK\1\2"


def taken_out(name: str, data: bytes) -> tuple[str, bytes, list[str]]:
    """Look for the zip that has the notebook in it.

    Parameters
    ----------
    name : str
    data : bytes
        A zip that a student handed in; any bytes at all.

    Returns
    -------
    str, bytes
        Name and content of the inner zip, or what was given where there is none.
    list of str
        What was done, a sentence.
    """
    outer, found = name, (name, data)
    for _ in range(MOST_DEEP):
        inner = _only_zip(*found)
        if inner is None:
            break
        found = inner
    else:
        return name, data, [f"{shown(name)} holds zips in zips, more than {MOST_DEEP}."]
    told = (
        [f"{shown(found[0])} was taken out of {shown(outer)}, where it lay as a zip in a zip."]
        if found[0] != outer
        else []
    )
    return *found, told


def _only_zip(name: str, data: bytes) -> tuple[str, bytes] | None:
    """The only zip in a zip without notebooks."""
    if data.count(_IN_ZIP) > MOST_IN_ZIP:
        return None
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            infos = [
                info
                for info in archive.infolist()
                if not info.filename.endswith("/") and not any(map(is_nobodys, info.filename.split("/")))
            ]
            zips = [info for info in infos if is_zip(info.filename)]
            if len(zips) != 1 or any(is_notebook(info.filename) for info in infos):
                return None
            inner = cleaned([zips[0].filename.replace("\\", "/").rpartition("/")[2]])
            return (inner[0] if inner else f"inner-{name}"), member(archive, zips[0], shown(zips[0].filename))
    except Exception:
        # A stranger's bytes; what is wrong with them is said where they are graded.
        return None
