"""Several copies of a lab's notebook in one submission, as browsers and platforms number them: the newest counts, or ask."""

from dataclasses import replace

from ... import lab_names
from ..intake.notebook_candidates import UnreadableFile
from ..intake.submission_reader import has_answers
from ..lab import Lab
from ..sanitize.terminal_text import printable
from .download_files import DownloadFile
from .downloaded_submission import NUMBERED_COPY, DownloadedSubmission


def settle_copies(submissions: list[DownloadedSubmission], lab: Lab) -> list[DownloadedSubmission]:
    """Let the newest copy of a notebook count; where that is unknown, make each copy with answers a submission.

    Two submissions of one student are given to nobody before the instructor has chosen.
    """
    settled: list[DownloadedSubmission] = []
    for one in submissions:
        copies = _copies(one, lab)
        if len(copies) > 1 and all(file.serial for file in copies):
            settled.append(_take_newest(one, copies, lab))
        elif len(copies) > 1:
            settled += _split(one, copies, lab)
        else:
            settled.append(one)
    return settled


def _copies(submission: DownloadedSubmission, lab: Lab) -> list[DownloadFile]:
    """List the files with the lab's name, or with that name and a number."""
    wanted = {f"{name}.ipynb" for name in (lab.notebook, lab_names.other_name(lab.notebook))}
    return [
        file
        for file in submission.files
        if len(file.parts) == 1 and NUMBERED_COPY.sub(r"\g<stem>\g<suffix>", file.name) in wanted
    ]


def _take_newest(submission: DownloadedSubmission, copies: list[DownloadFile], lab: Lab) -> DownloadedSubmission:
    newest = max(copies, key=lambda file: file.serial)
    names = {id(file): f"earlier-{index}-{file.name}" for index, file in enumerate(copies, start=1)}
    names[id(newest)] = f"{lab.notebook}.ipynb"
    files = [file.below(0, names[id(file)]) if id(file) in names else file for file in submission.files]
    note = f"Of {len(copies)} uploads of the notebook the last counts, {printable(newest.name)}."
    return replace(submission, files=files, notes=[*submission.notes, note])


def _split(submission: DownloadedSubmission, copies: list[DownloadFile], lab: Lab) -> list[DownloadedSubmission]:
    """Make a submission of each copy with other answers; one if there are no two."""
    answered: dict[bytes, DownloadFile] = {}
    for file in copies:
        try:
            data = file.read()
        except UnreadableFile:
            continue
        if has_answers(data, lab.released):
            answered.setdefault(data, file)
    if len(answered) < 2:
        return [submission]
    rest = [file for file in submission.files if file not in copies]
    return [
        replace(
            submission,
            key=f"{submission.key}: {file.name}",
            # The name without the file's is what the student is found by.
            name=submission.name or submission.key,
            files=[file.below(0, f"{lab.notebook}.ipynb"), *rest],
            notes=[*submission.notes],
        )
        for file in answered.values()
    ]
