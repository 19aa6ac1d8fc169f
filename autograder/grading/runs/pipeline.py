"""Grade a lab: find the submissions, grade what changed, enter everything in the gradebook."""

import dataclasses
import os
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...atomic_write import is_disk_full, raising_disk_full, write_text
from ...interrupt import raise_if_interrupted
from ...sandbox import SandboxType
from ..lab import Lab, load
from ..releases import earlier_release_notice, with_earlier_releases
from ..result import GRADED, Result
from ..result_store import ResultStore
from . import fingerprint
from .workers import GradingJob, WorkerPool, default_grade, default_sandbox

if TYPE_CHECKING:
    from ..gradebook.course import NbgraderCourse
    from ..gradebook.writer import GradebookWriter
    from .cluster import DaskCluster

# For all that are graded once more; who comes later keeps the first marks.
AGAIN_SECONDS = 1800


@dataclass
class GradingRun:
    """What one run found and did.

    Attributes
    ----------
    lab : str
    rows : dict
        `Result.row` by student, sorted; one for everything that was handed in.
    sandbox : SandboxType
        Unsandboxed as soon as one result is.
    graded, reused : int
        How many were graded now, and how many had not changed.
    again, unasked : int
        Of those graded now, how many had something ended by the clock and were graded
        once more, alone; and how many of these there was no time for.
    failures : dict
        Why a result is not in the gradebook, by student; running again tries again.
    undated : int
        Submissions of a lab that is due which count as in time, since nobody wrote down when they came.
    earlier : dict
        Students by the earlier release of the lab that their work was made from, as `releases.release_name`.
    changed : list of str
        The same in sentences.
    strangers : list of str
        Whom the table of dates names and nobody knows: a slip of the pen costs somebody an extension.
    """

    lab: str
    rows: dict[str, dict[str, Any]] = field(default_factory=dict)
    sandbox: SandboxType = SandboxType.BUBBLEWRAP
    graded: int = 0
    reused: int = 0
    again: int = 0
    unasked: int = 0
    failures: dict[str, str] = field(default_factory=dict)
    undated: int = 0
    strangers: list[str] = field(default_factory=list)
    earlier: dict[str, list[str]] = field(default_factory=dict)
    changed: list[str] = field(default_factory=list)

    @property
    def clean(self) -> bool:
        """Whether everything was graded without errors and is in the gradebook."""
        return not self.failures and all(row["status"] == GRADED for row in self.rows.values())

    def to_json(self) -> dict[str, Any]:
        """The report of a run; the same for the same submissions, in whatever order they were graded."""
        return {"lab": self.lab, "sandbox": self.sandbox, "students": self.rows}

    def add(self, result: Result) -> None:
        self.rows[result.student] = result.row()
        if result.made_from:
            self.earlier.setdefault(result.made_from, []).append(result.student)
        if result.sandbox != SandboxType.BUBBLEWRAP:
            self.sandbox = SandboxType.UNSANDBOXED


def available_cores() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def grade_lab(
    root: str | Path,
    lab: str,
    *,
    submitted: str | Path | None = None,
    student: str | None = None,
    students: Collection[str] | None = None,
    course: "NbgraderCourse | None" = None,
    jobs: int | None = None,
    regrade: bool = False,
    unsandboxed: bool = False,
    scheduler: str | None = None,
    progress: Callable[[int, int], None] | None = None,
    open_box: Callable[..., Any] = default_sandbox,
    grade_one: Callable[..., Result] = default_grade,
) -> GradingRun:
    """Grade a lab's submissions and bring gradebook and autograded notebooks up to date.

    Parameters
    ----------
    root : path
        The course folder.
    lab : str
        The lab's name.
    submitted : path, optional
        Where submissions are; as ``nbgrader_config.py`` says when left out.
    student : str, optional
        Only this one.
    students : collection of str, optional
        Only these.
    course : NbgraderCourse, optional
        The open course; read from ``root`` if omitted.
    jobs : int, optional
        Worker processes; one for each processor when left out.
    regrade : bool
        Grade also what has not changed since it was graded.
    unsandboxed : bool
        Allow grading where no sandbox can run.
    scheduler : str, optional
        Address of a Dask scheduler to grade on, in place of this machine.
    progress : callable, optional
        Called with (done, all) after each submission.
    open_box, grade_one : callable
        What opens a box and grades one submission in it.

    Returns
    -------
    Run

    Raises
    ------
    ValueError
        For an unknown lab or student, a course that cannot be read, or another run of the lab.
    autograder.sandbox.SandboxUnavailable
        When no sandbox can run and ``unsandboxed`` does not allow to go without.
    files.DiskFull
        When there is no room for results, the gradebook or a box. What was graded is kept.
    """
    trusted = with_earlier_releases(root, load(root, lab))
    if jobs is not None and jobs < 1:
        raise ValueError(f"the number of jobs must be 1 or more, not {jobs}")
    sandbox = "unsandboxed" if unsandboxed else "auto"
    tools: dict[str, Any] = {"sandbox": sandbox, "open_box": open_box, "grade_one": grade_one}
    count = 0 if scheduler else jobs or available_cores()
    with raising_disk_full(), WorkerPool(count, **tools) as workers, ExitStack() as more:
        # Imported while the workers start.
        from ..gradebook.course import open_course

        course = course or open_course(root, submitted)
        trusted = dataclasses.replace(trusted, private=course.private)
        folders = _chosen(course, lab, student)
        if students is not None:
            folders = {name: folder for name, folder in folders.items() if name in students}
        run, store = GradingRun(lab, {name: {} for name in folders}), ResultStore.of(course.root, lab)
        more.enter_context(store.locked())
        todo, standing = _sorted_out(folders, trusted, store, regrade, accept=sandbox)
        workers.prepare(trusted, len(todo))
        team: DaskCluster | WorkerPool = workers
        if scheduler and todo:
            from . import cluster

            team = more.enter_context(cluster.DaskCluster(trusted, scheduler, **tools))
        # Imported and opened while the boxes warm up.
        from ..gradebook.writer import GradebookWriter

        writer = more.enter_context(GradebookWriter(course, trusted))
        for result in standing:
            _enter(writer, result, folders[result.student], run, again=False)
            run.reused += 1
            _advance(run, result, len(folders), progress)
        for job, result in _settled(team, todo, run):
            store.put(result)
            _enter(writer, result, job.folder, run)
            run.graded += 1
            _advance(run, result, len(folders), progress)
        run.changed = [
            earlier_release_notice(course.root, trusted, name, sorted(who)) for name, who in sorted(run.earlier.items())
        ]
        settled = writer.update_penalties()
        run.undated, run.strangers = settled.undated, settled.strangers
    return run


@raising_disk_full()
def write_report(run: GradingRun, file: str | Path) -> None:
    """Write a run's JSON to a file, whole or not at all."""
    import json

    write_text(Path(file), json.dumps(run.to_json(), indent=1, ensure_ascii=False) + "\n")


def _chosen(course: "NbgraderCourse", lab: str, student: str | None) -> dict[str, Path]:
    folders = course.submissions(lab)
    if student is None:
        if not folders:
            where = course.submission(lab, "STUDENT")
            raise ValueError(f"nobody has handed in {lab}: nothing is at {where}")
        return folders
    if student not in folders:
        raise ValueError(f"{student} has not handed in {lab}: there is nothing at {course.submission(lab, student)}")
    return {student: folders[student]}


def _sorted_out(
    folders: dict[str, Path], lab: Lab, store: ResultStore, regrade: bool, accept: str
) -> tuple[list[GradingJob], Iterator[Result]]:
    """Jobs for what must be graded, and the stored results that still stand, one at a time in memory."""
    lab_checksum = fingerprint.lab_digest(lab)
    todo, standing = [], []
    for student, folder in folders.items():
        digest = fingerprint.submission_digest(folder, lab.notebook, lab_checksum)
        stored = None if regrade else store.get(student)
        # What was graded without a sandbox counts only where that is allowed now.
        if stored and stored.digest == digest and (stored.sandbox == SandboxType.BUBBLEWRAP or accept != "auto"):
            standing.append(student)
        else:
            todo.append(GradingJob(student, folder, digest))
    return todo, (result for student in standing if (result := store.get(student)) is not None)


def _settled(
    team: "DaskCluster | WorkerPool", todo: list[GradingJob], run: GradingRun
) -> Iterator[tuple[GradingJob, Result]]:
    """Grade all; those of which the clock has ended something once more, when nothing else runs beside them."""
    first: list[tuple[GradingJob, Result]] = []
    for job, result in team.grade(todo):
        if result.by_clock:
            first.append((job, result))
        else:
            yield job, result
    if not first:
        return
    # Who needed least comes first: a class that had a bad minute is done before one who only waits.
    first.sort(key=lambda pair: (pair[1].seconds, pair[0].student))
    until = time.monotonic() + AGAIN_SECONDS
    for job, result in team.alone(takewhile(lambda _: time.monotonic() < until, (job for job, _ in first))):
        run.again += 1
        yield job, result
    run.unasked = len(first) - run.again
    yield from first[run.again :]


def _enter(writer: "GradebookWriter", result: Result, folder: Path, run: GradingRun, again: bool = True) -> None:
    """Write to the gradebook, unless not ``again`` and it is there; a failure concerns this student alone."""
    try:
        if again or not writer.is_current(result, folder):
            writer.write(result, folder)
    except Exception as problem:
        if is_disk_full(problem):
            raise
        run.failures[result.student] = f"{type(problem).__name__}: {problem}"


def _advance(run: GradingRun, result: Result, count: int, progress: Callable[[int, int], None] | None) -> None:
    raise_if_interrupted()
    run.add(result)
    if progress is not None:
        progress(run.graded + run.reused, count)
