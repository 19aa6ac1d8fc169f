"""Grade on this machine: worker processes, each with a warm box, that may die without loss."""

import gc
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from importlib import import_module
from multiprocessing import connection
from multiprocessing.context import SpawnProcess
from pathlib import Path
from types import TracebackType
from typing import Any

from chip2cluster.exercise.verdict_codes import RAISES

from ...atomic_write import DiskFull, is_disk_full
from ...sandbox import Sandbox, SandboxType, SandboxUnavailable
from ..lab import Lab
from ..result import WITH_ERRORS, ExerciseMark, Result
from ..sanitize.terminal_text import printable, printable_lines
from ..secrets import Secrets

MAX_TRIES = 2
MAX_FAILED_STARTS = 3
# A box has limits of its own; this only ends a worker whose box did not keep them.
MAX_SECONDS = 1800  # seconds for one submission


class WorkerMessage(StrEnum):
    """What a worker says."""

    READY = "ready"
    RESULT = "result"
    REFUSED = "refused"
    FAULT = "fault"
    FULL = "disk full"


@dataclass
class GradingJob:
    """One submission to grade: ``tries`` counts the workers it has cost."""

    student: str
    folder: Path
    digest: str
    tries: int = 0


def default_grade(folder: Path, student: str, lab: Lab, box: Sandbox, secrets: Secrets | None = None) -> Result:
    """Grade with `autograder.grading.submission.grade`, imported where it is used."""
    from ..submission import grade

    return grade(folder, student, lab, box, secrets)


def default_sandbox(lab: Lab, *, sandbox: str) -> Sandbox:
    """Open a box of `autograder.sandbox`, imported where it is used."""
    from ...sandbox import Sandbox

    return Sandbox(lab, sandbox=sandbox)


def failed_result(job: GradingJob, lab: Lab, sandbox: SandboxType) -> Result:
    """The result of a submission on which the grader itself failed again and again: 0, and a person must look.

    It has no digest, so that the next run tries again.
    """
    message = (
        "The grader itself stopped on this submission, more than once, so it marked nothing. A person has to look."
    )
    exercises: dict[str, ExerciseMark] = {
        task.exercise: {"score": 0.0, "max_score": task.points, "verdict": RAISES, "message": message, "mistake": ""}
        for task in lab.tasks
    }
    return Result(lab.name, job.student, WITH_ERRORS, sandbox, exercises=exercises)


class WorkerPool:
    """A number of processes that grade submissions of one lab. A context manager.

    They import what they need while nobody waits for them; `prepare` says for what.

    Parameters
    ----------
    count : int
        Processes.
    sandbox : str
        As `autograder.sandbox.Sandbox` takes it.
    open_box, grade_one : callable
        What a worker uses; importable by name.
    """

    def __init__(
        self,
        count: int,
        *,
        sandbox: str = "auto",
        open_box: Callable[..., Any] = default_sandbox,
        grade_one: Callable[..., Result] = default_grade,
    ) -> None:
        self._arguments = sandbox, open_box, grade_one
        self._lab: Lab | None = None
        self._count, self._failed, self._name = count, 0, SandboxType.BUBBLEWRAP
        # Never a fork: NumPy and nbgrader have threads.
        self._context = multiprocessing.get_context("spawn")
        self._workers: list[_Worker] = []

    def __enter__(self) -> "WorkerPool":
        for _ in range(self._count):
            self._start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end(self._workers, at_once=problem is not None)

    def prepare(self, lab: Lab, most: int) -> None:
        """Open boxes for a lab, in at most so many processes; the others end.

        Parameters
        ----------
        lab : Lab
        most : int
            How many submissions there are to grade.
        """
        self._lab = lab
        self._end(self._workers[most:], at_once=True)
        for worker in self._workers:
            worker.tell(lab)

    @property
    def lab(self) -> Lab:
        if self._lab is None:
            raise RuntimeError("the workers have not been told which lab")
        return self._lab

    def grade(self, jobs: Iterable[GradingJob]) -> Iterator[tuple[GradingJob, Result]]:
        """Yield (job, result) in the order in which they are done; every job once.

        Raises
        ------
        SandboxUnavailable
            When a worker may not open a box.
        DiskFull
            When a worker has no room for its box.
        RuntimeError
            When workers die before they take any work.
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
        """As `grade`, one after another in a new box, with nothing else of this run at work."""
        self._end(self._workers)
        self._start()
        for job in jobs:
            yield from self.grade([job])

    def _receive(self, worker: "_Worker") -> tuple[GradingJob | None, Result | None]:
        """What a worker says: its job and result, its job alone when that failed, or nothing."""
        job = worker.job
        try:
            news, content = worker.pipe.recv()
        except (EOFError, OSError):
            self._replace(worker)
            return job, None
        if news is WorkerMessage.REFUSED:
            raise SandboxUnavailable(content)
        if news is WorkerMessage.FULL:
            raise DiskFull
        if news is WorkerMessage.READY:
            worker.ready, self._name, self._failed = True, content, 0
            return None, None
        if news is WorkerMessage.FAULT or job is None:
            who = printable(job.student) if job else "a worker"
            print(f"{who}: the grader failed\n{printable_lines(content)}", file=sys.stderr)
            self._replace(worker)
            return job, None
        worker.job, content.digest = None, job.digest
        return job, content

    def _wait(self) -> list["_Worker"]:
        """Workers that have something to say or are gone."""
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
        process = self._context.Process(target=_work, args=(theirs, *self._arguments), daemon=True)
        process.start()
        theirs.close()
        worker = _Worker(process, ours)
        self._workers.append(worker)
        if self._lab is not None:
            worker.tell(self._lab)

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
    """The parent's side of one process; ``since`` is when its job began."""

    process: SpawnProcess
    pipe: connection.Connection
    ready: bool = False
    job: GradingJob | None = None
    since: float = 0.0

    def give(self, job: GradingJob) -> None:
        self.job, self.since = job, time.monotonic()
        self.tell((job.folder, job.student))

    def tell(self, content: object) -> None:
        # Where it is gone, `recv` will say so, and a job goes to another.
        with suppress(OSError):
            self.pipe.send(content)

    def end(self) -> None:
        self.process.join(15)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()


def _work(
    pipe: connection.Connection,
    sandbox: str,
    open_box: Callable[..., Any],
    grade_one: Callable[..., Result],
) -> None:
    """A worker's life: open a box, grade what comes, leave when the parent is gone."""
    # Ctrl-C reaches the whole group; the parent decides when it ends.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # So that the box is closed and its folder goes.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        import_module("autograder.grading.submission")
        lab = pipe.recv()
        with open_box(lab, sandbox=sandbox) as box:
            _say(pipe, WorkerMessage.READY, box.name)
            while True:
                folder, student = pipe.recv()
                _say(pipe, WorkerMessage.RESULT, grade_one(folder, student, lab, box))
    except EOFError:
        gc.freeze()  # or all that was imported is looked through once more before the process ends
    except SandboxUnavailable as problem:
        _say(pipe, WorkerMessage.REFUSED, str(problem))
    except Exception as problem:
        import traceback

        if is_disk_full(problem):
            _say(pipe, WorkerMessage.FULL, "")
        _say(pipe, WorkerMessage.FAULT, traceback.format_exc())


def _say(pipe: connection.Connection, news: WorkerMessage, content: object) -> None:
    # Where nobody listens any more, the next `recv` says so.
    with suppress(OSError):
        pipe.send((news, content))


def _end_with_parent() -> None:
    """End this process, its box and the box's folder as soon as the parent has died, whatever is being graded."""
    if (parent := multiprocessing.parent_process()) is not None:
        connection.wait([parent.sentinel])
        os.kill(os.getpid(), signal.SIGTERM)
