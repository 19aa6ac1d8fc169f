"""A submission's notebook as it lies on disk, to be fingerprinted or sent to another machine.

What is no plain file is carried as what it is, so that it is graded elsewhere as it
would be here.
"""

import os
import stat
from pathlib import Path

from .submitted import MOST_BYTES

FILE, LARGE, LINK, OTHER, ABSENT = "file", "large", "link", "other", "absent"


def pack(folder, lab_name):
    """Describe what stands where a submission belongs.

    Parameters
    ----------
    folder : path
        The submitted folder; anything may be there.
    lab_name : str

    Returns
    -------
    list of (name, kind, content)
        The folder itself first, under the name ``""``; then its notebook, or up to two
        other notebooks where that is missing, which is what `submitted.read` looks at.
        ``content`` is the bytes of a ``"file"``, the size of a ``"large"`` one, the
        target of a ``"link"``, else None.
    """
    folder = Path(folder)
    if folder.is_symlink() or not folder.is_dir():
        return [("", *_content(folder))]
    names = [f"{lab_name}.ipynb"]
    if not os.path.lexists(folder / names[0]):
        names = sorted(name for name in os.listdir(folder) if name.lower().endswith(".ipynb"))
        names = [name for name in names if not name.startswith(".") and _kind(folder / name) in (FILE, LARGE)][:2]
    return [("", OTHER, None), *((name, *_content(folder / name)) for name in names)]


def unpack(entries, place):
    """Lay a submission out again in ``place``, an empty folder, and return its folder."""
    folder = Path(place) / "submitted"
    for name, kind, content in entries:
        path = folder / name if name else folder
        if kind == FILE:
            path.write_bytes(content)
        elif kind == LARGE:
            # Only its size is looked at.
            with open(path, "wb") as file:
                file.truncate(content)
        elif kind == LINK:
            path.symlink_to(content)
        elif kind == OTHER:
            path.mkdir()
    return folder


def _kind(path):
    try:
        status = os.lstat(path)
    except OSError:
        return ABSENT
    if stat.S_ISLNK(status.st_mode):
        return LINK
    if not stat.S_ISREG(status.st_mode):
        return OTHER
    return FILE if status.st_size <= MOST_BYTES else LARGE


def _content(path):
    kind = _kind(path)
    if kind == LINK:
        return kind, os.readlink(path)
    if kind == LARGE:
        return kind, os.lstat(path).st_size
    if kind == FILE:
        try:
            return kind, path.read_bytes()
        except OSError:
            return ABSENT, None
    return kind, None
