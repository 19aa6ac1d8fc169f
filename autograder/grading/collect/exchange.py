"""Submissions in nbgrader's exchange."""

import os
import sys
from pathlib import Path

from ..gradebook.course import NbgraderCourse
from ..nbgrader_compat.application import ExchangeError, exchange_submissions
from ..sanitize.terminal_text import printable
from .downloaded_submission import DownloadedSubmission
from .sources import DownloadContents, list_folder


def read_exchange(course: NbgraderCourse, lab: str) -> list[DownloadedSubmission]:
    """Find the submissions of a lab that nbgrader itself would collect, the last of each student.

    Raises
    ------
    ValueError
        If the exchange cannot be read.
    """
    try:
        inbox = exchange_submissions(course.app, course.directory, lab)
    except ExchangeError as problem:
        raise ValueError(f"the exchange cannot be read: {problem}; name a download, or set c.Exchange.root") from None
    submissions = []
    for record in sorted(inbox.records, key=lambda record: record["username"]):
        folder, contents = Path(inbox.folder, record["filename"]), DownloadContents()
        account = record["username"]
        submission = DownloadedSubmission(
            account, account, files=[*list_folder(folder, contents)], notes=contents.ignored
        )
        submission.received = record["timestamp"]
        if inbox.check_owner and (owner := _owner(folder)) not in ("", account):
            submission.notes.append(
                f"The folder in the exchange belongs to the account {printable(owner)}, not to {printable(account)}."
            )
        submissions.append(submission)
    return submissions


def _owner(folder: Path) -> str:
    if sys.platform == "win32":
        return ""
    import pwd

    try:
        return pwd.getpwuid(os.stat(folder).st_uid).pw_name
    except (KeyError, OSError):
        return "unknown"
