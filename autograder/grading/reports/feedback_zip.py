"""All pages of feedback in the one zip that a learning platform gives back to its students."""

import io
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

from ...atomic_write import create_bytes
from ..collect import mapping_table
from ..gradebook.course import open_course
from ..lab import load
from .feedback import Written

# Pages of one term are alike: the same zip for the same pages.
_EPOCH = (1980, 1, 1, 0, 0, 0)


@dataclass
class Parcel:
    """A zip of feedback.

    Attributes
    ----------
    file : Path
    sent, left_out : list of str
        Students whose page is in it, and of whom the platform would not know whose it is.
    """

    file: Path
    sent: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


def pack(
    root: str | Path, lab: str, pages: list[Written], platform: str, to: str | Path, *, force: bool = False
) -> Parcel:
    """Pack pages of feedback under the names by which a platform knows its students.

    Parameters
    ----------
    root : path
        The course folder.
    lab : str
    pages : list of Written
        On disk; one that somebody changed goes as it is.
    platform : str
        ``"canvas"`` or ``"moodle"``.
    to : path
        The zip to write.
    force : bool
        Replace a file that exists.

    Raises
    ------
    ValueError
        When nothing was collected from that platform.
    FileExistsError
        When the file exists and ``force`` is off.
    """
    course, trusted = open_course(root), load(root, lab)
    rows = mapping_table.read(mapping_table.file_of(course.root, lab))
    moodle = "_assignsubmission_"
    names = {
        row.student: row.answer_to
        for row in rows
        if row.student and row.answer_to and (moodle in row.answer_to) == (platform == "moodle")
    }
    parcel, packed = Parcel(Path(to)), io.BytesIO()
    if not names:
        raise ValueError(
            f"nothing of {lab} was collected from {platform.title()}, so it would not know whose a page is: collect its "
            f"download with `autograder collect {lab} DOWNLOAD.zip` first"
        )
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for one in sorted(pages, key=lambda page: page.student):
            if not (begins := names.get(one.student)):
                parcel.left_out.append(one.student)
                continue
            # Moodle wants a folder where it gave one; either way what comes behind the name is the file's.
            name = f"{begins}/{trusted.notebook}.html" if platform == "moodle" else f"{begins}{trusted.notebook}.html"
            info = zipfile.ZipInfo(name, _EPOCH)
            info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, 0o600 << 16
            archive.writestr(info, one.file.read_bytes())
            parcel.sent.append(one.student)
    if not parcel.sent:
        raise ValueError(f"no page of {lab} belongs to work that was collected from {platform.title()}")
    try:
        create_bytes(parcel.file, packed.getvalue(), over=force)
    except FileExistsError:
        raise FileExistsError(
            f"{to} exists and stays as it is: name another file with --to, or replace it with --force"
        ) from None
    return parcel
