"""Whose each file of a download is, by the naming rules of the platform that it came from.

Canvas: ``doejane_12345_678901_lab.ipynb``, with ``_LATE_`` before the two numbers (of the person and of the file)
where Canvas calls it late, and ``_text.html`` or ``_link.html`` for what was no file. Moodle:
``Jane Doe_987_assignsubmission_file/lab.ipynb``, in one folder each or, at a site's wish, without folders; its number
is another one in every assignment. Anything else is a folder of files, where the outermost name is somebody's.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from ... import lab_names
from .sources import File, is_notebook

_CANVAS = re.compile(r"(?P<name>.*?)_(?:(?P<late>LATE)_)?(?P<number>\d+)_(?P<file>\d+)_(?P<rest>.+)", re.DOTALL)
_CANVAS_TYPED = re.compile(r"(?P<name>.*?)_(?:(?P<late>LATE)_)?(?P<number>\d+)_(?P<kind>text|link)(?:-\d+)?\.html")
_CANVAS_ANONYMOUS = re.compile(r"(?:(?P<late>LATE)_)?(?P<key>anon_[A-Za-z0-9]+)_(?P<file>\d+)_(?P<rest>.+)", re.DOTALL)
_MOODLE = re.compile(
    r"(?P<name>[^_]*)_(?P<number>\d+)_assignsubmission_(?P<kind>file|onlinetext)(?P<under>_?)(?P<rest>.*)", re.DOTALL
)
_COPY = re.compile(r"(?P<stem>.+?)(?:-\d+| ?\(\d+\))(?P<suffix>\.ipynb)", re.IGNORECASE)


class Platform(StrEnum):
    """Where a download came from."""

    CANVAS = "canvas"
    MOODLE = "moodle"
    EXCHANGE = "exchange"
    FOLDER = "folder"


@dataclass
class Arrival:
    """What one name handed in.

    Attributes
    ----------
    key : str
        As the platform calls whoever it was, the same in the next download.
    name : str
        Of the person as the platform writes it; empty where only `key` may tell.
    number : str
        The platform's number for the person, or nothing.
    late : bool or None
        What the platform says; None where it says nothing.
    received : datetime or None
        In UTC without a zone.
    answer_to : str
        How a file's name must begin for the platform to give it back to this person; empty where it can't.
    files : list of File
        By their paths as they were handed in.
    notes : list of str
        Sentences.
    """

    key: str
    name: str = ""
    number: str = ""
    late: bool | None = None
    received: datetime | None = None
    answer_to: str = ""
    files: list[File] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def platform_of(files: Iterable[File]) -> Platform:
    """Tell by the names where a download came from; one name is not enough against many others."""
    found: Counter[Platform] = Counter()
    for file in files:
        if any(_MOODLE.fullmatch(part) for part in file.parts):
            found[Platform.MOODLE] += 1
        elif any(form.fullmatch(file.name) for form in (_CANVAS, _CANVAS_TYPED, _CANVAS_ANONYMOUS)):
            found[Platform.CANVAS] += 1
        else:
            found[Platform.FOLDER] += 1
    return max(found, key=lambda platform: found[platform], default=Platform.FOLDER)


def arrivals(files: list[File], platform: Platform, lab: str) -> tuple[list[Arrival], list[str]]:
    """Sort the files of a download by person.

    Parameters
    ----------
    files : list of File
    platform : Platform
    lab : str
        The assignment's name.

    Returns
    -------
    list of Arrival
        By key.
    list of str
        Files that follow no rule of the platform, a sentence each.
    """
    read: Callable[[File, dict[str, Arrival]], bool]
    if platform is Platform.FOLDER:
        return _of_folder(files, lab), []
    read = _of_canvas if platform is Platform.CANVAS else _of_moodle
    found: dict[str, Arrival] = {}
    strange = [
        f"{'/'.join(file.parts)} is not named as {platform.title()} names a submission; nothing was done with it."
        for file in files
        if not read(file, found)
    ]
    for arrival in found.values():
        arrival.files = _named_as_released(arrival.files, lab)
    return [found[key] for key in sorted(found)], strange


def _of_canvas(file: File, found: dict[str, Arrival]) -> bool:
    if typed := _CANVAS_TYPED.fullmatch(file.name):
        one = found.setdefault(f"{typed['name']}_{typed['number']}", Arrival(f"{typed['name']}_{typed['number']}"))
        one.name, one.number, one.late = typed["name"], typed["number"], typed["late"] is not None
        what = "text was typed in" if typed["kind"] == "text" else "a link was given"
        one.notes.append(f"On Canvas {what} where a file was asked for.")
        one.files.append(file.below(len(file.parts) - 1, f"{typed['kind']}.html"))
        return True
    if hidden := _CANVAS_ANONYMOUS.fullmatch(file.name):
        one = found.setdefault(hidden["key"], Arrival(hidden["key"], late=hidden["late"] is not None))
        one.files.append(file.below(len(file.parts) - 1, hidden["rest"]))
        return True
    if not (named := _CANVAS.fullmatch(file.name)):
        return False
    key = f"{named['name']}_{named['number']}"
    one = found.setdefault(key, Arrival(key, named["name"], named["number"], named["late"] is not None))
    # Any file of the submission takes the answer; the notebook is best, since Canvas calls the answer by its name.
    if not one.answer_to or is_notebook(named["rest"]):
        late = "LATE_" if named["late"] else ""
        one.answer_to = f"{named['name']}_{late}{named['number']}_{named['file']}_"
    one.files.append(file.below(len(file.parts) - 1, named["rest"]))
    return True


def _of_moodle(file: File, found: dict[str, Arrival]) -> bool:
    for depth, part in enumerate(file.parts):
        if not (named := _MOODLE.fullmatch(part)):
            continue
        last = depth == len(file.parts) - 1
        if last and not named["rest"]:
            return False
        key = f"{named['name']}_{named['number']}"
        one = found.setdefault(key, Arrival(key, named["name"], named["number"]))
        if named["kind"] == "file":
            one.files.append(file.below(depth, named["rest"]) if last else file.below(depth + 1))
            one.answer_to = f"{key}_assignsubmission_file_"
        else:
            one.answer_to = one.answer_to or f"{key}_assignsubmission_file_"
            one.notes.append("On Moodle text was typed in; it lies beside as onlinetext.html.")
            one.files.append(file.below(len(file.parts) - 1, "onlinetext.html"))
        return True
    return False


def _of_folder(files: list[File], lab: str) -> list[Arrival]:
    # A folder around it all says nothing, unless it is the one that belongs to somebody.
    while files and all(len(file.parts) > 2 for file in files) and len({file.parts[0] for file in files}) == 1:
        if any(file.parts[1] == lab for file in files):
            break
        files = [file.below(1) for file in files]
    by_name: defaultdict[str, list[File]] = defaultdict(list)
    for file in files:
        by_name[file.parts[0]].append(file)
    found: dict[str, Arrival] = {}
    for name, own in sorted(by_name.items()):
        if len(own) == 1 and len(own[0].parts) == 1:
            stem = name.rpartition(".")[0] or name
            theirs = f"{lab_names.notebook(lab)}.ipynb" if is_notebook(name) else name
            # What differs in the last part of its name alone is one person's.
            found.setdefault(stem, Arrival(stem)).files.append(own[0].below(0, theirs))
            continue
        own = [file.below(1) for file in own]
        inside = [file.below(1) for file in own if len(file.parts) > 1 and file.parts[0] == lab]
        found[name] = Arrival(name, files=_named_as_released(inside or own, lab))
    return [found[key] for key in sorted(found)]


def _named_as_released(files: list[File], lab: str) -> list[File]:
    """Take off what a platform or a browser adds to the name of a second upload, where no other has the name."""
    wanted = {f"{name}.ipynb" for name in (lab_names.notebook(lab), lab)}
    if any(file.name in wanted for file in files):
        return files
    copies = [
        file for file in files if (copy := _COPY.fullmatch(file.name)) and f"{copy['stem']}{copy['suffix']}" in wanted
    ]
    if len(copies) != 1:
        return files
    (one,) = copies
    renamed = _COPY.sub(r"\g<stem>\g<suffix>", one.name)
    return [one.below(0, renamed) if file is one else file for file in files]
