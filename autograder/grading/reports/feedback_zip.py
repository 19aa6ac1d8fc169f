"""Zip of feedback pages in the layout that a learning platform gives back to its students."""

import io
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

from ...atomic_write import create_bytes
from ..collect.mapping_table import mapping_file, read_mapping
from ..gradebook.course import open_course
from ..lab import load
from ..platforms import find_platform, names_with
from .feedback import FeedbackPage

# A fixed time, so that the same pages give the same zip.
_EPOCH = (1980, 1, 1, 0, 0, 0)


@dataclass
class FeedbackZip:
    """Zip of feedback pages.

    Attributes
    ----------
    file : Path
        Zip that was written.
    sent : list of str
        Students whose page is in the zip.
    left_out : list of str
        Students whose page is not in it, because no submission of theirs was collected from the platform.
    """

    file: Path
    sent: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


def zip_feedback(
    root: str | Path, lab: str, pages: list[FeedbackPage], platform_name: str, to: str | Path, *, force: bool = False
) -> FeedbackZip:
    """Write feedback pages to a zip, under the paths by which a platform finds its students.

    Parameters
    ----------
    root : path
        Course folder.
    lab : str
        Name of the lab.
    pages : list of FeedbackPage
        Pages on disk, also those that somebody has changed.
    platform_name : str
        Name of a platform with a `FeedbackZipLayout`, such as "canvas".
    to : path
        Zip to write.
    force : bool
        Whether to replace an existing file.

    Raises
    ------
    ValueError
        If no submission was collected from the platform, or it has no zip of feedback.
    FileExistsError
        If the file exists and ``force`` is off.
    """
    course, trusted, platform = open_course(root), load(root, lab), find_platform(platform_name)
    layout = platform.feedback_zip
    if layout is None:
        supported = ", ".join(names_with("feedback_zip"))
        raise ValueError(f"{platform.label} has no zip of feedback; there is one for {supported}")
    prefixes = {
        row.student: row.answer_to
        for row in read_mapping(mapping_file(course.root, lab))
        if row.student and row.answer_to and layout.accepts(row.answer_to)
    }
    if not prefixes:
        raise ValueError(
            f"nothing of {lab} was collected from {platform.label}, so it could not match pages to students: collect its "
            f"download with `autograder collect {lab} DOWNLOAD.zip` first"
        )
    written, content = FeedbackZip(Path(to)), io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for page in sorted(pages, key=lambda page: page.student):
            if not (prefix := prefixes.get(page.student)):
                written.left_out.append(page.student)
                continue
            info = zipfile.ZipInfo(layout.page_path(prefix, f"{trusted.notebook}.html"), _EPOCH)
            info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, 0o600 << 16
            archive.writestr(info, page.file.read_bytes())
            written.sent.append(page.student)
    if not written.sent:
        raise ValueError(f"no page of {lab} belongs to work that was collected from {platform.label}")
    try:
        create_bytes(written.file, content.getvalue(), over=force)
    except FileExistsError:
        raise FileExistsError(
            f"{to} exists and stays as it is: name another file with --to, or replace it with --force"
        ) from None
    return written
