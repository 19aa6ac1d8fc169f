"""Grade on this machine: worker processes, each with a warm box, that may die without loss."""

import multiprocessing
import signal
import sys
import time
from collections import deque
from dataclasses import dataclass
from multiprocessing import connection

from ...box import SandboxUnavailable
from ..result import WITH_ERRORS, Result

TRIES = 2
STARTS = 3
# A box has limits of its own; this only ends a worker whose box did not keep them.
PATIENCE = 900  # seconds for one submission


@dataclass
class Job:
    """One submission to grade: ``tries`` counts the workers it has cost."""

    student: str
    folder: object
    digest: str
    tries: int = 0


def default_grade(folder, student, lab, box, secrets=None):
    """Grade with `autograder.grading.submission.grade`, imported where it is used."""
    from ..submission import grade

    return grade(folder, student, lab, box, secrets)


def default_box(lab, *, sandbox):
    """Open a box of `autograder.box`, imported where it is used."""
    from ...box import Box

    return Box(lab, sandbox=sandbox)


def lost(job, lab, sandbox):
    """The result of a submission on which the grader itself failed again and again: 0, and a person must look.

    It has no digest, so that the next run tries again.
    """
    message = (
        "The grader itself stopped on this submission, more than once, so it marked nothing. A person has to look."
    )
    exercises = {
        task.exercise: {"score": 0.0, "max_score": task.points, "verdict": "raises", "message": message, "mistake": ""}
        for task in lab.tasks
    }
    return Result(lab.name, job.student, WITH_ERRORS, sandbox, exercises=exercises)


class Workers:
    """A number of processes that grade submissions of one lab. A context manager.

    Parameters
    ----------
    lab : Lab
    count : int
        Processes. They start at once and warm up by themselves.
    sandbox : str
        As `autograder.box.Box` takes it.
    open_box, grade_one : callable
        What a worker uses; importable by name.
    """

    def __init__(self, lab, count, *, sandbox="auto", open_box=default_box, grade_one=default_grade):
        self._arguments = lab, sandbox, open_box, grade_one
        self._lab, self._count, self._failed, self._name = lab, count, 0, "bubblewrap"
        # Never a fork: NumPy and nbgrader have threads.
        self._context = multiprocessing.get_context("spawn")
        self._workers = []

    def __enter__(self):
        for _ in range(self._count):
            self._start()
        return self

    def __exit__(self, *problem):
        for worker in self._workers:
            if problem[0] is not None:
                worker.process.terminate()
            worker.pipe.close()
        for worker in self._workers:
            worker.end()

    def grade(self, jobs):
        """Yield (job, result) in the order in which they are done; every job once.

        Raises
        ------
        SandboxUnavailable
            When a worker may not open a box.
        RuntimeError
            When workers die before they take any work.
        """
        todo, left = deque(jobs), len(jobs)
        while left:
            for worker in self._workers:
                if worker.ready and worker.job is None and todo:
                    worker.give(todo.popleft())
            for worker in self._wait():
                job, result = self._receive(worker)
                if result is None and job is not None:
                    job.tries += 1
                    if job.tries < TRIES:
                        todo.appendleft(job)
                        continue
                    result = lost(job, self._lab, self._name)
                if result is not None:
                    if worker.ready and todo:
                        worker.give(todo.popleft())
                    left -= 1
                    yield job, result

    def _receive(self, worker):
        """What a worker says: its job and result, its job alone when that failed, or nothing."""
        job = worker.job
        try:
            kind, content = worker.pipe.recv()
        except (EOFError, OSError):
            self._replace(worker)
            return job, None
        if kind == "refused":
            raise SandboxUnavailable(content)
        if kind == "ready":
            worker.ready, self._name, self._failed = True, content, 0
            return None, None
        if kind == "fault":
            print(f"{job.student if job else 'a worker'}: the grader failed\n{content}", file=sys.stderr)
            self._replace(worker)
            return job, None
        worker.job, content.digest = None, job.digest
        return job, content

    def _wait(self):
        """Workers that have something to say or are gone."""
        now = time.monotonic()
        for worker in self._workers:
            if worker.job is not None and now - worker.since > PATIENCE:
                worker.process.kill()
        ready = connection.wait([worker.pipe for worker in self._workers], timeout=1.0)
        return [worker for worker in self._workers if worker.pipe in ready]

    def _start(self):
        ours, theirs = self._context.Pipe()
        process = self._context.Process(target=_work, args=(theirs, *self._arguments), daemon=True)
        process.start()
        theirs.close()
        self._workers.append(_Worker(process, ours))

    def _replace(self, worker):
        worker.ready = False
        self._workers = [one for one in self._workers if one is not worker]
        worker.pipe.close()
        worker.end()
        if worker.job is None:
            self._failed += 1
            if self._failed >= STARTS:
                raise RuntimeError("the grader's worker processes end before they take any work")
        self._start()


@dataclass(eq=False)
class _Worker:
    """The parent's side of one process; ``since`` is when its job began."""

    process: object
    pipe: object
    ready: bool = False
    job: Job | None = None
    since: float = 0.0

    def give(self, job):
        self.job, self.since = job, time.monotonic()
        try:
            self.pipe.send((job.folder, job.student))
        except OSError:
            # It is gone, which `recv` will say, and the job goes to another.
            pass

    def end(self):
        self.process.join(15)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()


def _work(pipe, lab, sandbox, open_box, grade_one):
    """A worker's life: open a box, grade what comes, leave when the parent is gone."""
    # Ctrl-C reaches the whole group; the parent decides when it ends.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # So that the box is closed and its folder goes.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        with open_box(lab, sandbox=sandbox) as box:
            pipe.send(("ready", box.name))
            while True:
                folder, student = pipe.recv()
                pipe.send(("result", grade_one(folder, student, lab, box)))
    except SandboxUnavailable as problem:
        pipe.send(("refused", str(problem)))
    except (EOFError, OSError):
        pass
    except Exception:
        import traceback

        pipe.send(("fault", traceback.format_exc()))
