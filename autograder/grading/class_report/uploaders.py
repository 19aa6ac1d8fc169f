"""Tell the files of a download apart by who handed them in, so that each person counts once; nothing of it is stored."""

import re
from collections.abc import Hashable, Sequence

from ..collect.download_files import DownloadFile
from ..platforms import detect_platform

_COPY = re.compile(r" ?\(\d+\)$")  # "journal (1).json", as browsers name a second download
_CANVAS_NUMBER = re.compile(r"_\d+_(\d+)_")
_DIGITS = re.compile(r"(\d+)")


def group_by_uploader(files: Sequence[DownloadFile]) -> dict[Hashable, list[DownloadFile]]:
    """Group the files of one download by the person who handed them in.

    A platform's own part of the name says who that is. In any other download it is the folder, or the name up to the
    first ``_``; what all files have in common, such as a folder around everything, says nothing.

    Parameters
    ----------
    files : sequence of DownloadFile
        Files of a download.

    Returns
    -------
    dict
        Files by a key that is the same for the same person in the next download.
    """
    rest = list(files)
    groups: dict[Hashable, list[DownloadFile]] = {}
    layout = detect_platform(files).submissions
    if layout and layout.has_name_of and layout.group:
        submissions, rest = layout.group(rest, "")
        # `group` may give a file another path; what reads it stays the same.
        original = {id(file.read): file for file in files}
        for one in submissions:
            groups[one.key] = [original[id(file.read)] for file in one.files]
    names = [(*file.parts[:-1], *_name_parts(file.name)) for file in rest]
    while len(names) > 1 and len({one[0] for one in names}) == 1 and all(len(one) > 1 for one in names):
        names = [one[1:] for one in names]
    for file, name in zip(rest, names, strict=True):
        groups.setdefault(name[0], []).append(file)
    return groups


def upload_order(file: DownloadFile) -> tuple[int, list[tuple[int, str]]]:
    """Return a sorting key of one person's files: Canvas's number of the upload, then the path, with numbers as numbers."""
    number = _CANVAS_NUMBER.search(file.name)
    path = [
        (int(part), "") if part.isascii() and part.isdigit() else (-1, part)
        for part in _DIGITS.split("/".join(file.parts))
    ]
    return int(number[1]) if number else 0, path


def _name_parts(name: str) -> list[str]:
    stem = name.rpartition(".")[0] or name
    return [part for part in _COPY.sub("", stem).split("_") if part] or [stem]
