"""Read a submitted folder of any content; only a fault of the disk raises an exception."""

import os
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

from ... import lab_names
from ..sanitize.terminal_text import printable
from .cell_matching import CellRole, ReleasedCell, SubmittedCell
from .disk_errors import raise_disk_error
from .notebook import NotANotebook, parse_notebook
from .notebook_candidates import (
    MAX_OTHER_BYTES,
    MAX_OTHERS,
    Candidate,
    UnreadableFile,
    find_json,
    find_notebooks,
    visible_names,
)
from .other_labs import name_of_other_lab, share_of_release
from .reconstruction import rebuild
from .submitted_notebook import Submission, open_error, parse_candidate, refuse_too_many_values, refused

MAX_NAMED = 4  # files in one sentence


def read_submission(
    folder: str | Path, name: str, released: dict[str, Any] | None = None, labs: Path | None = None
) -> Submission:
    """Read ``folder/NAME.ipynb``, whatever the folder contains.

    Parameters
    ----------
    folder : path
        The submitted folder of one student and lab.
    name : str
        Name of the lab's notebook, such as ``"lab_03_roofline"``; ``03_roofline`` is accepted, too.
    released : dict, optional
        The released notebook. If given, the only other submitted notebook with answers
        replaces an untouched one.
    labs : Path, optional
        Folder of all releases. If given, the notebook of another lab is refused under that lab's name.

    Returns
    -------
    Submission
        No content of a submission raises an exception. No symbolic link is followed, only
        regular files are opened, at most `MAX_BYTES` are read, and at most `MAX_VALUES` JSON
        values are built (a text is one value), which limits memory to some hundred megabytes.
        If the notebook is missing, the only other one counts, also in a subfolder or a zip file.

    Raises
    ------
    OSError
        If the disk or the machine fails, see `disk_errors`; the submission is not the cause.
    """
    try:
        return _choose(Path(folder), f"{name}.ipynb", released, labs)
    except UnreadableFile as problem:
        return refused(str(problem))
    except OSError as error:
        raise_disk_error(error)
        return refused(open_error(error))


def has_answers(data: bytes, released: dict[str, Any]) -> bool:
    """Return whether the bytes of a submitted file are a notebook with answers to a lab."""
    try:
        refuse_too_many_values(data)
        notebook, _ = parse_notebook(data)
    except NotANotebook:
        return False
    return _has_answers(notebook, released)


def _choose(folder: Path, name: str, released: dict[str, Any] | None, labs: Path | None) -> Submission:
    """Choose the notebook with the lab's name, or the only one, unless exactly one other notebook has answers."""
    _check_folder(folder, name)
    candidates, locked = find_notebooks(folder, name)
    if not candidates:
        return _take_json(folder, name, released) or refused(locked or _missing(folder, name))
    other = _other_name(name)
    exact = ([one for one in candidates if one.path == path] for path in (name, other))
    below = ([one for one in candidates if one.name == path] for path in (name, other))
    named = next(filter(None, (*exact, *below)), [])
    chosen = named[0] if len(named) == 1 else candidates[0] if len(candidates) == 1 else None
    others = [one for one in candidates if one is not chosen]
    if chosen is None:
        several = f"There is no {name} and more than one other notebook ({_names(others)})"
        found = refused(f"{several}; hand in one, under that name.")
    else:
        found = _with_notes(parse_candidate(chosen), *_choice_notes(chosen, name, alone=not others))
        if found.notebook and released and labs and (lab := name_of_other_lab(found.notebook, released, labs)):
            problem = f"{chosen.display_name} is the notebook of {printable(lab)}, another lab; hand in {name}."
            found = Submission(None, found.digest, problem)
    if not others or (found.notebook and (released is None or _has_answers(found.notebook, released))):
        if found.notebook and released and (fuller := _with_more_answers(found.notebook, others, released)):
            return _with_notes(
                replace(found, doubtful=True),
                f"{_names_with_verb(fuller)} also handed in, with answers to tasks that are open in the graded notebook, and "
                "not graded; a person must decide which counts.",
            )
        in_folder = [one for one in others if one.path == one.name]
        return _with_notes(
            found, *([f"{_names_with_verb(in_folder)} also handed in and not graded."] if in_folder else [])
        )
    if released is None or len(others) > MAX_OTHERS:
        return _marked_doubtful(found, others)
    return _take_only_answers(found, name, {one: parse_candidate(one, MAX_OTHER_BYTES) for one in others}, released)


def _take_json(folder: Path, name: str, released: dict[str, Any] | None) -> Submission | None:
    """Read the only JSON file that is this lab's notebook, as Safari saves one; None if there is no such file."""
    if released is None:
        return None
    read = {one: parse_candidate(one, MAX_OTHER_BYTES) for one in find_json(folder)}
    found = {one: found for one, found in read.items() if found.notebook and _belongs_to(found.notebook, released)}
    if len(found) != 1:
        return None
    ((one, submission),) = found.items()
    return _with_notes(submission, f"There was no {name}; {one.display_name} is this lab's notebook and was graded.")


def _take_only_answers(
    found: Submission, name: str, others: dict[Candidate, Submission], released: dict[str, Any]
) -> Submission:
    """Replace a notebook without answers, or an unreadable one, by the only other one with answers."""
    written = {
        one: read
        for one, read in others.items()
        if read.notebook and _belongs_to(read.notebook, released) and _has_answers(read.notebook, released)
    }
    if len(written) == 1:
        ((one, better),) = written.items()
        why = f"{name} has no answers in it." if found.notebook else found.problem
        return replace(better, notes=(why, f"{one.display_name} has answers and was graded instead.", *better.notes))
    if written or not all(read.notebook for read in others.values()):
        return _marked_doubtful(found, [*(written or others)])
    return _with_notes(found, f"{_names_with_verb([*others])} also handed in, without answers to this lab.")


def _with_more_answers(notebook: dict[str, Any], others: list[Candidate], released: dict[str, Any]) -> list[Candidate]:
    """List the other notebooks of this lab that answer a task which the chosen one leaves open."""
    answered = _answered_cells(notebook, released)
    fuller = []
    for one in others[:MAX_OTHERS]:
        read = parse_candidate(one, MAX_OTHER_BYTES).notebook
        if read and _belongs_to(read, released) and _answered_cells(read, released) - answered:
            fuller.append(one)
    return fuller


def _marked_doubtful(found: Submission, others: list[Candidate]) -> Submission:
    if found.notebook is None:
        return found
    return _with_notes(
        replace(found, doubtful=True),
        f"The graded notebook has no answers in it; {_names_with_verb(others)} also handed in and not graded.",
    )


def _with_notes(found: Submission, *notes: str) -> Submission:
    return replace(found, notes=(*found.notes, *notes))


def _check_folder(folder: Path, name: str) -> None:
    """Refuse a path that is not a folder."""
    if folder.is_symlink():
        raise UnreadableFile(
            "The submitted folder is a symbolic link, which is never followed; hand in the folder itself."
        )
    if folder.is_dir():
        return
    if os.path.lexists(folder):
        where = f"STUDENT/{lab_names.assignment_name(Path(name).stem)}/{name}"
        raise UnreadableFile(f"There is a file in place of the submitted folder; the notebook belongs in {where}.")
    raise UnreadableFile("There is no submitted folder; hand in a folder that holds the notebook.")


def _missing(folder: Path, name: str) -> str:
    names = visible_names(folder)
    only = f", only {_listed(names)}" if names else ""
    return f"There is no {name} in the submitted folder{only}; hand in the notebook under that name."


def _choice_notes(chosen: Candidate, name: str, *, alone: bool) -> list[str]:
    if chosen.path in (name, _other_name(name)):
        return []
    taken = f"the only other notebook, {chosen.display_name}," if alone else chosen.display_name
    return [f"There was no {name}; {taken} was graded."]


def _has_answers(notebook: dict[str, Any], released: dict[str, Any]) -> bool:
    """Return whether any answer differs from the released stub."""
    return bool(_answered_cells(notebook, released))


def _answered_cells(notebook: dict[str, Any], released: dict[str, Any]) -> set[str]:
    """Return the ids of the answer cells that differ from the released stubs."""
    answers = {slot.id: slot for slot in map(ReleasedCell, count(), released["cells"]) if slot.role is CellRole.ANSWER}
    cells = rebuild(notebook, released).notebook["cells"]
    return {
        cell["id"]
        for cell in cells
        if cell["id"] in answers
        and answers[cell["id"]].is_written(SubmittedCell(cell["cell_type"], "".join(cell["source"])))
    }


def _belongs_to(notebook: dict[str, Any], released: dict[str, Any]) -> bool:
    """Return whether a notebook belongs to the lab: at least half of the released text is in it."""
    return share_of_release(notebook, released) >= 0.5


def _other_name(name: str) -> str:
    return f"{lab_names.other_name(Path(name).stem)}.ipynb"


def _names(candidates: list[Candidate]) -> str:
    return _listed([one.display_name for one in candidates])


def _listed(names: list[str]) -> str:
    named = [printable(name) for name in names[:MAX_NAMED]]
    return ", ".join([*named, *(["others"] if len(names) > MAX_NAMED else [])])


def _names_with_verb(candidates: list[Candidate]) -> str:
    return f"{_names(candidates)} {'was' if len(candidates) == 1 else 'were'}"
