"""Submissions of a download: the files that one person handed in, under the names that the course uses."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from ... import lab_names
from .download_files import DownloadFile

NUMBERED_COPY = re.compile(r"(?P<stem>.+?)(?:-\d+| ?\(\d+\))(?P<suffix>\.ipynb)", re.IGNORECASE)


@dataclass
class DownloadedSubmission:
    """Files that one person handed in.

    Attributes
    ----------
    key : str
        Name of the person in the download, the same in the next download.
    name : str
        Person's name as the platform writes it; empty if students are matched by `key` only.
    number : str
        The platform's number of the person; empty if it gives none.
    late : bool or None
        Whether the platform calls the submission late; None if it does not say.
    received : datetime or None
        Time of submission in UTC without a zone.
    answer_to : str
        Prefix of file names that the platform gives back to this person; empty if there is none.
    files : list of DownloadFile
        Files with their paths as they were handed in.
    notes : list of str
        Sentences for the instructor.
    doubt : str
        Sentence that says why it is given to nobody before the instructor has decided; empty if there is no doubt.
    """

    key: str
    name: str = ""
    number: str = ""
    late: bool | None = None
    received: datetime | None = None
    answer_to: str = ""
    files: list[DownloadFile] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    doubt: str = ""


def group_files(
    files: list[DownloadFile], lab: str, add_file: Callable[[DownloadFile, dict[str, DownloadedSubmission]], bool]
) -> tuple[list[DownloadedSubmission], list[DownloadFile]]:
    """Group files by the person whose name each file's path contains.

    Parameters
    ----------
    files : list of DownloadFile
        Files of a download.
    lab : str
        Name of the lab.
    add_file : callable
        Adds a file to the submission of its person, by key; returns False if its name follows no rule of the platform.

    Returns
    -------
    list of DownloadedSubmission
        Submissions sorted by key.
    list of DownloadFile
        Files that follow no rule of the platform.
    """
    submissions: dict[str, DownloadedSubmission] = {}
    unmatched = [file for file in files if not add_file(file, submissions)]
    for submission in submissions.values():
        submission.files = restore_notebook_name(submission.files, lab)
    return [submissions[key] for key in sorted(submissions)], unmatched


def restore_notebook_name(files: list[DownloadFile], lab: str) -> list[DownloadFile]:
    """Remove the number that a platform or a browser adds to a second upload, if no other file has the lab's name."""
    wanted = {f"{name}.ipynb" for name in (lab_names.notebook_name(lab), lab)}
    if any(file.name in wanted for file in files):
        return files
    copies = [
        file
        for file in files
        if (copy := NUMBERED_COPY.fullmatch(file.name)) and f"{copy['stem']}{copy['suffix']}" in wanted
    ]
    if len(copies) != 1:
        return files
    (copied,) = copies
    name = NUMBERED_COPY.sub(r"\g<stem>\g<suffix>", copied.name)
    return [file.below(0, name) if file is copied else file for file in files]
