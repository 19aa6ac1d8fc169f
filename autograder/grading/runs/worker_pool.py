"""Grade on this machine in worker processes with a warm sandbox each; a worker that dies loses no submission."""

import multiprocessing
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import connection
from multiprocessing.context import SpawnProcess
from pathlib import Path
from types import TracebackType
from typing import Any, cast

from chip2cluster.exercise.verdict_codes import RAISES

from ...atomic_write import DiskFull
from ...sandbox import SandboxType, SandboxUnavailable
from ..lab import Lab
from ..result import WITH_ERRORS, ExerciseMark, Result
from ..sanitize.terminal_text import printable, printable_lines
from .worker_process import WorkerMessage, default_grade, default_sandbox, work

MAX_TRIES = 2  # workers that one submission may cost
MAX_FAILED_STARTS = 3
# The sandbox has stricter limits; this one ends a worker whose sandbox failed to enforce them.
MAX_SECONDS = 1800  # for one submission


@dataclass
class GradingJob:
    """Submission to grade; ``tries`` counts the workers that died of it."""

    student: str
    folder: Path
    digest: str
    tries: int = 0


def failed_result(job: GradingJob, lab: Lab, sandbox: SandboxType) -> Result:
    """Return a result without marks for a submission on which the grader itself failed several times.

    It has no digest, so that the next run grades the submission again.
    """
    message = "The grader itself failed on this submission more than once, so nothing was graded. An instructor must look at it."
    return ungraded_result(job, lab, sandbox, message)


def ungraded_result(job: GradingJob, lab: Lab, sandbox: SandboxType, message: str) -> Result:
    """Return a result without marks or digest; every task has the message."""
    mark = {"score": 0.0, "verdict": RAISES, "message": message, "mistake": "", "fault": True}
    exercises = {task.exercise: cast(ExerciseMark, mark | {"max_score": task.points}) for task in lab.tasks}
    return Result(lab.name, job.student, WITH_ERRORS, sandbox, exercises=exercises)


class WorkerPool:
    """Context manager with processes that grade submissions of one lab.

    Processes start importing at once; `prepare` tells them the lab.

    Parameters
    ----------
    count : int
        Number of processes.
    sandbox : str
        Sandbox mode, as `autograder.sandbox.Sandbox` takes it.
    open_sandbox, grade_one : callable
        Functions that workers use; importable by name.
    """

    def __init__(
        self,
        count: int,
        *,
        sandbox: str = "auto",
        open_sandbox: Callable[..., Any] = default_sandbox,
        grade_one: Callable[..., Result] = default_grade,
    ) -> None:
        self._arguments = sandbox, open_sandbox, grade_one
        self._lab: Lab | None = None
        self._count, self._failed, self._name = count, 0, SandboxType.BUBBLEWRAP
        # Not forked, because NumPy and nbgrader have threads.
        self._context = multiprocessing.get_context("spawn")
        self._workers: list[_Worker] = []
        self._exercises_usable = False

    def __enter__(self) -> "WorkerPool":
        """Start the processes."""
        for _ in range(self._count):
            self._start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the processes, at once after an exception."""
        self._end(self._workers, at_once=problem is not None)

    def prepare(self, lab: Lab, count: int) -> None:
        """Open sandboxes for a lab in at most ``count`` processes, and end the others.

        Parameters
        ----------
        lab : Lab
        count : int
            Number of submissions to grade.
        """
        self._lab = lab
        self._end(self._workers[count:], at_once=True)
        for number, worker in enumerate(self._workers):
            worker.send((lab, number == 0))

    def check_exercises(self) -> None:
        """Wait until a process has tried all exercises of the lab; it reads their files as they are now.

        Raises
        ------
        ValueError
            If an exercise cannot be used; the message names its file.
        """
        while self._workers and not self._exercises_usable:
            for worker in self._wait():
                self._receive(worker)

    @property
    def lab(self) -> Lab:
        """Lab of `prepare`."""
        if self._lab is None:
            raise RuntimeError("prepare() was not called")
        return self._lab

    def grade(self, jobs: Iterable[GradingJob]) -> Iterator[tuple[GradingJob, Result]]:
        """Yield (job, result) in order of completion, every job once.

        Raises
        ------
        SandboxUnavailable
            If a worker may not open a sandbox.
        DiskFull
            If the disk has no space for a sandbox.
        RuntimeError
            If workers die before they accept any work.
        """
        todo = deque(jobs)
        left = len(todo)
        while left:
            for worker in self._workers:
                if worker.ready and worker.job is None and todo:
                    worker.give(todo.popleft())
            for worker in self._wait():
                job, result = self._receive(worker)
                if result is None and job is not None:
                    job.tries += 1
                    if job.tries < MAX_TRIES:
                        todo.appendleft(job)
                        continue
                    result = failed_result(job, self.lab, self._name)
                if job is not None and result is not None:
                    if worker.ready and todo:
                        worker.give(todo.popleft())
                    left -= 1
                    yield job, result

    def alone(self, jobs: Iterable[GradingJob]) -> Iterator[tuple[GradingJob, Result]]:
        """Grade as `grade` does, but one job at a time in a new sandbox, with nothing else running."""
        self._end(self._workers)
        self._start()
        for job in jobs:
            yield from self.grade([job])

    def _receive(self, worker: "_Worker") -> tuple[GradingJob | None, Result | None]:
        """Receive a message: the job and its result, the job alone if it failed, or (None, None)."""
        job = worker.job
        try:
            message, content = worker.pipe.recv()
        except (EOFError, OSError):
            worker.end()
            _report_death(worker, job)
            self._replace(worker)
            return job, None
        if message is WorkerMessage.REFUSED:
            raise SandboxUnavailable(content)
        if message is WorkerMessage.FULL:
            raise DiskFull
        if message is WorkerMessage.UNUSABLE:
            raise ValueError(content)
        if message is WorkerMessage.USABLE:
            self._exercises_usable = True
            return None, None
        if message is WorkerMessage.READY:
            worker.ready, self._name, self._failed = True, content, 0
            return None, None
        if message is WorkerMessage.FAULT or job is None:
            who = printable(job.student) if job else "a worker"
            print(f"{who}: the grader failed\n{printable_lines(content)}", file=sys.stderr)
            self._replace(worker)
            return job, None
        worker.job, content.digest = None, job.digest
        return job, content

    def _wait(self) -> list["_Worker"]:
        """Return the workers that sent a message or died, after at most a second."""
        now = time.monotonic()
        for worker in self._workers:
            if worker.job is not None and now - worker.since > MAX_SECONDS:
                worker.process.kill()
        ready = connection.wait([worker.pipe for worker in self._workers], timeout=1.0)
        return [worker for worker in self._workers if worker.pipe in ready]

    def _end(self, workers: list["_Worker"], at_once: bool = False) -> None:
        for worker in workers:
            if at_once:
                worker.process.terminate()
            worker.pipe.close()
        for worker in workers:
            worker.end()
        self._workers = [worker for worker in self._workers if worker not in workers]

    def _start(self) -> None:
        ours, theirs = self._context.Pipe()
        process = self._context.Process(target=work, args=(theirs, *self._arguments), daemon=True)
        process.start()
        theirs.close()
        worker = _Worker(process, ours)
        self._workers.append(worker)
        if self._lab is not None:
            worker.send((self._lab, not self._exercises_usable))

    def _replace(self, worker: "_Worker") -> None:
        worker.ready = False
        self._workers = [other for other in self._workers if other is not worker]
        worker.pipe.close()
        worker.end()
        if worker.job is None:
            self._failed += 1
            if self._failed >= MAX_FAILED_STARTS:
                raise RuntimeError("the grader's worker processes end before they take any work")
        self._start()


@dataclass(eq=False)
class _Worker:
    """Parent's side of one process; ``since`` is the start time of its job."""

    process: SpawnProcess
    pipe: connection.Connection
    ready: bool = False
    job: GradingJob | None = None
    since: float = 0.0

    def give(self, job: GradingJob) -> None:
        self.job, self.since = job, time.monotonic()
        self.send((job.folder, job.student))

    def send(self, content: object) -> None:
        # If the process is gone, `recv` reports it, and the job goes to another worker.
        with suppress(OSError):
            self.pipe.send(content)

    def end(self) -> None:
        self.process.join(15)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()


def _report_death(worker: _Worker, job: GradingJob | None) -> None:
    """Say on stderr which process ended without a message, and what comes of its submission."""
    code = worker.process.exitcode
    how = f"exit code {code}"
    if code is not None and code < 0:
        with suppress(ValueError):
            how += f", {signal.Signals(-code).name}"
    if job is None:
        print(f"autograder: a worker process ended before it took any work ({how})", file=sys.stderr)
        return
    again = "it is graded again" if job.tries + 1 < MAX_TRIES else f"it was tried {MAX_TRIES} times, and is not graded"
    print(f"{printable(job.student)}: the process that graded this submission ended ({how}); {again}", file=sys.stderr)
