"""Grade a lab: find the submissions, grade the changed ones, and write all results to the gradebook."""

import dataclasses
import os
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack
from itertools import chain, takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...atomic_write import is_disk_full, raising_disk_full
from ...interrupt import raise_if_interrupted
from ...sandbox import SandboxType
from ..intake.permissions import find_locked
from ..lab import Lab, load
from ..releases import earlier_release_notice, with_earlier_releases
from ..result import Result
from ..result_store import ResultStore
from ..sanitize.terminal_text import printable
from . import fingerprint
from .secret_record import check_secret, record_secret
from .worker_pool import GradingJob, WorkerPool, ungraded_result
from .worker_process import default_grade, default_sandbox

if TYPE_CHECKING:
    from ..gradebook.course import NbgraderCourse
    from ..gradebook.writer import GradebookWriter
    from .cluster import DaskCluster
from .grading_run import GradingRun

REPEAT_SECONDS = 1800  # for all submissions that are graded a second time; the others keep their first marks


def available_cores() -> int:
    """Return the number of processors that this process may use."""
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
    new_secret: bool = False,
    progress: Callable[[int, int], None] | None = None,
    announce: Callable[[str], None] = lambda sentence: None,
    open_sandbox: Callable[..., Any] = default_sandbox,
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
        Folder of the submissions; that of ``nbgrader_config.py`` if omitted.
    student : str, optional
        Id of the only student to grade; all students if omitted.
    students : collection of str, optional
        Ids of the only students to grade; all students if omitted.
    course : NbgraderCourse, optional
        The open course; read from ``root`` if omitted.
    jobs : int, optional
        Number of worker processes; one for each processor if omitted.
    regrade : bool
        Whether to grade unchanged submissions, too.
    unsandboxed : bool
        Whether to grade even if no sandbox can run.
    scheduler : str, optional
        Address of a Dask scheduler, to grade on its cluster instead of this machine.
    new_secret : bool
        Whether to grade although the course secret is not that of the last time.
    progress : callable, optional
        Function called with (done, all) after each submission.
    announce : callable, optional
        Function called before anything is graded, with each sentence that the instructor should read then.
    open_sandbox, grade_one : callable
        Functions that open a sandbox and grade one submission in it.

    Returns
    -------
    GradingRun

    Raises
    ------
    ValueError
        If the lab or student is unknown, the course cannot be read, or another run grades the lab.
    autograder.sandbox.SandboxUnavailable
        If no sandbox can run and ``unsandboxed`` is False.
    autograder.atomic_write.DiskFull
        If the disk has no space for results, the gradebook or a sandbox. Results so far are kept.
    autograder.grading.gradebook.locking.GradebookLocked
        If another program keeps the gradebook locked. Results so far are kept, and the next run enters them.
    """
    trusted = with_earlier_releases(root, load(root, lab))
    if jobs is not None and jobs < 1:
        raise ValueError(f"the number of jobs must be 1 or more, not {jobs}")
    sandbox = "unsandboxed" if unsandboxed else "auto"
    tools: dict[str, Any] = {"sandbox": sandbox, "open_sandbox": open_sandbox, "grade_one": grade_one}
    count = 0 if scheduler else jobs or available_cores()
    with raising_disk_full(), WorkerPool(count, **tools) as workers, ExitStack() as stack:
        # Imported while the workers start.
        from ..gradebook.course import open_course
        from ..gradebook.unknown_students import unknown_in_course

        course = course or open_course(root, submitted)
        trusted = dataclasses.replace(trusted, private=course.private)
        folders = _submissions(course, lab, student)
        if students is not None:
            if unknown := sorted({*students} - {*folders}):
                raise ValueError(f"nothing was submitted for {lab} by {', '.join(map(printable, unknown))}")
            folders = {name: folder for name, folder in folders.items() if name in students}
        run, store = GradingRun(lab, {name: {} for name in folders}), ResultStore.of(course.root, lab)
        stack.enter_context(store.locked())
        run.unknown_students = unknown_in_course(root, lab, course)
        for sentence in run.date_notices:
            announce(sentence)
        todo, unchanged = _jobs(folders, trusted, store, regrade, accept=sandbox)
        workers.prepare(trusted, len(todo))
        graders: DaskCluster | WorkerPool = workers
        if scheduler and todo:
            from ..usable_exercises import unusable_exercise
            from . import cluster

            if problem := unusable_exercise(trusted):
                raise ValueError(problem)
            graders = stack.enter_context(cluster.DaskCluster(trusted, scheduler, **tools))
        # Imported while the sandboxes warm up.
        from ..gradebook.writer import GradebookWriter

        check_secret(course.work, lab, accept=new_secret)
        if todo:
            workers.check_exercises()
        writer = stack.enter_context(GradebookWriter(course, trusted))
        record_secret(course.work, lab)
        for result in unchanged:
            _write_marks(writer, result, folders[result.student], run, changed=False)
            run.reused += 1
            _report_progress(run, result, len(folders), progress)
        run.locked = {job.student: sentence for job in todo if (sentence := find_locked(job.folder))}
        for job, result in chain(_locked_results(todo, trusted, run), _grade_all(graders, todo, run)):
            before = store.get(job.student) if result.fault else None
            if result.fault and (writer.has_marks(job.student) if before is None else not before.fault):
                run.kept.append(job.student)
            else:
                if result.fault:
                    run.not_graded.append(job.student)
                    result.digest = ""  # so that the next run grades it again
                store.put(result)
                _write_marks(writer, result, job.folder, run)
            run.graded += 1
            _report_progress(run, before or result if job.student in run.kept else result, len(folders), progress)
        run.release_notices = [
            earlier_release_notice(course.root, trusted, name, sorted(names))
            for name, names in sorted(run.earlier_releases.items())
        ]
        settled = writer.update_penalties(run.kept)
        run.undated, run.waiting_penalties = settled.undated, settled.waiting
        run.late_days_moved = settled.other_labs
    return run


def _submissions(course: "NbgraderCourse", lab: str, student: str | None) -> dict[str, Path]:
    """Return the submitted folders of a lab by student."""
    folders = course.submissions(lab)
    if student is None:
        if not folders:
            where = course.submission(lab, "STUDENT")
            raise ValueError(f"nobody has handed in {lab}: there is nothing at {where}")
        return folders
    if student not in folders:
        raise ValueError(f"{student} has not handed in {lab}: there is nothing at {course.submission(lab, student)}")
    return {student: folders[student]}


def _jobs(
    folders: dict[str, Path], lab: Lab, store: ResultStore, regrade: bool, accept: str
) -> tuple[list[GradingJob], Iterator[Result]]:
    """Return jobs for the changed submissions, and an iterator over the valid stored results of the others."""
    lab_checksum = fingerprint.lab_digest(lab)
    todo, unchanged = [], []
    for student, folder in folders.items():
        digest = fingerprint.submission_digest(folder, lab.notebook, lab_checksum)
        stored = None if regrade else store.get(student)
        # A result without a sandbox is valid only if this run may grade without one.
        if stored and stored.digest == digest and (stored.sandbox == SandboxType.BUBBLEWRAP or accept != "auto"):
            unchanged.append(student)
        else:
            todo.append(GradingJob(student, folder, digest))
    return todo, (result for student in unchanged if (result := store.get(student)) is not None)


def _locked_results(todo: list[GradingJob], lab: Lab, run: GradingRun) -> Iterator[tuple[GradingJob, Result]]:
    """Yield a result without marks for each submission that this account may not read."""
    message = "The instructor's account may not read this work, so it isn't graded yet."
    for job in todo:
        if job.student in run.locked:
            result = ungraded_result(job, lab, SandboxType.BUBBLEWRAP, message)
            result.repairs = [run.locked[job.student]]
            yield job, result


def _grade_all(
    graders: "DaskCluster | WorkerPool", todo: list[GradingJob], run: GradingRun
) -> Iterator[tuple[GradingJob, Result]]:
    """Grade all jobs with work that can be read; repeat those in which the wall clock ended something, alone."""
    first: list[tuple[GradingJob, Result]] = []
    for job, result in graders.grade([job for job in todo if job.student not in run.locked]):
        if result.by_clock:
            first.append((job, result))
        else:
            yield job, result
    if not first:
        return
    # The shortest first, so that a submission that only waits does not delay those of a busy minute.
    first.sort(key=lambda pair: (pair[1].seconds, pair[0].student))
    until = time.monotonic() + REPEAT_SECONDS
    for job, result in graders.alone(takewhile(lambda _: time.monotonic() < until, (job for job, _ in first))):
        run.repeated += 1
        yield job, result
    run.not_repeated = len(first) - run.repeated
    yield from first[run.repeated :]


def _write_marks(
    writer: "GradebookWriter", result: Result, folder: Path, run: GradingRun, changed: bool = True
) -> None:
    """Write a result to the gradebook if it changed or is missing there; an error affects this student alone.

    A gradebook that stays locked affects all, and waiting for it again for each student would take hours.
    """
    from ..gradebook.locking import GradebookLocked

    try:
        if changed or not writer.is_current(result, folder):
            writer.write(result, folder)
    except Exception as problem:
        if is_disk_full(problem) or isinstance(problem, GradebookLocked):
            raise
        run.failures[result.student] = f"{type(problem).__name__}: {problem}"


def _report_progress(run: GradingRun, result: Result, count: int, progress: Callable[[int, int], None] | None) -> None:
    raise_if_interrupted()
    run.add(result)
    if progress is not None:
        progress(run.graded + run.reused, count)
