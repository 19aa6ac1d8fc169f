"""Submissions in nbgrader's exchange."""

from pathlib import Path

from ..gradebook.course import NbgraderCourse
from ..nbgrader_compat.exchange import ExchangeError, exchange_submissions
from ..sanitize.terminal_text import printable
from .download_files import DownloadContents, list_folder, safe_parts
from .downloaded_submission import DownloadedSubmission
from .inbound_folders import InboundDoubt, InboundFolder, has_account, table_key

MAX_UNCHECKED = 20  # names in one sentence


def read_exchange(course: NbgraderCourse, lab: str) -> tuple[list[DownloadedSubmission], list[str]]:
    """Find the newest submission that each account handed in for a lab, and what is given to nobody.

    Returns
    -------
    list of DownloadedSubmission
        Submissions; those with a ``doubt`` are for the instructor.
    list of str
        Sentences for the instructor that need no decision.

    Raises
    ------
    ValueError
        If the exchange cannot be read.
    """
    try:
        inbound, check_owner = exchange_submissions(course.app, course.directory, lab)
    except ExchangeError as problem:
        raise ValueError(f"the exchange cannot be read: {problem}; name a download, or set c.Exchange.root") from None
    checked = {one.account for one in inbound.chosen if check_owner} - {*inbound.unchecked}
    submissions = [_submission(folder, folder.account in checked) for folder in inbound.chosen]
    return submissions + [_doubtful(doubt) for doubt in inbound.doubts], _remarks(inbound.unchecked)


def _submission(folder: InboundFolder, checked: bool) -> DownloadedSubmission:
    submission = DownloadedSubmission(table_key(folder.account), folder.account, received=folder.time)
    without_prefix = folder.account.removeprefix("jupyter-")
    # The Littlest JupyterHub calls the account of ann jupyter-ann; elsewhere the two can be two people.
    submission.name = folder.account if checked and has_account(without_prefix) else without_prefix
    _list_files(submission, folder.path, frozenset(folder.foreign), folder.uid if checked else None)
    return submission


def _doubtful(doubt: InboundDoubt) -> DownloadedSubmission:
    submission = DownloadedSubmission(doubt.key, doubt=doubt.reason)
    if doubt.path.is_dir() and not doubt.path.is_symlink():
        _list_files(submission, doubt.path)
        if doubt.files is not None:
            listed = {safe_parts(Path(name).parts) for name in doubt.files}
            submission.files = [file for file in submission.files if file.parts in listed]
    return submission


def _list_files(
    submission: DownloadedSubmission, folder: Path, left_out: frozenset[str] = frozenset(), uid: int | None = None
) -> None:
    contents = DownloadContents()
    try:
        submission.files = [*list_folder(folder, contents, left_out, uid)]
    except ValueError as problem:
        submission.doubt = f"{submission.doubt} {printable(problem, 300)}.".strip()
    submission.notes += contents.ignored


def _remarks(unchecked: list[str]) -> list[str]:
    if not unchecked:
        return []
    names = ", ".join(map(printable, unchecked[:MAX_UNCHECKED]))
    more = f" and {len(unchecked) - MAX_UNCHECKED} more" if len(unchecked) > MAX_UNCHECKED else ""
    return [
        f"No account on this machine is called {names}{more}: who handed in what is taken from the names of the folders "
        "alone. Collect on the machine where the students have their accounts to have it checked."
    ]
