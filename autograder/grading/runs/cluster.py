"""Grade on an existing Dask cluster: the same work, on machines that share nothing with this one.

A task carries the submission's bytes, the lab, and what was drawn from the course
secret for it; never the secret. Each worker keeps its boxes warm between tasks.
"""

import sys
import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import Any

from ...sandbox import SandboxType, SandboxUnavailable
from ..intake.archive import Entry, pack_submission, unpack_submission
from ..lab import Lab
from ..result import Result
from ..sanitize.terminal_text import printable
from ..secrets import Secrets, secrets_for
from . import fingerprint
from .workers import GradingJob, default_grade, default_sandbox, failed_result

# Enough to keep a worker busy while its last result travels.
TASKS_PER_THREAD = 3  # tasks for each thread of the cluster
CONNECT_SECONDS = 30  # seconds
WORKER_SECONDS = 60  # seconds for the first worker, which may be a job that waits for a node
RETRIES = 2  # of a task that failed; one whose worker died is given to another in any case


class DaskCluster:
    """A cluster that grades submissions of one lab; used as `Workers` is. A context manager.

    Parameters
    ----------
    lab : Lab
    address : str
        Of the scheduler, such as ``"tcp://head:8786"``.
    sandbox : str
        As `autograder.sandbox.Sandbox` takes it; holds on every worker.
    open_box, grade_one : callable
        What a worker uses; importable by name there.

    Raises
    ------
    ValueError
        When Dask is not installed, no scheduler answers, it gets no worker within a
        minute, or a worker has other versions of exercises or models than this machine.
    """

    def __init__(
        self,
        lab: Lab,
        address: str,
        *,
        sandbox: str = "auto",
        open_box: Callable[..., Any] = default_sandbox,
        grade_one: Callable[..., Result] = default_grade,
    ) -> None:
        self._lab, self._address, self._sandbox = lab, address, sandbox
        self._tools = open_box, grade_one
        self._client: Any = None  # distributed.Client, which is imported when it is needed
        self._name, self._again = SandboxType.BUBBLEWRAP, False
        self._files = {
            file.relative_to(lab.folder).as_posix(): file.read_bytes()
            for file in sorted(lab.folder.rglob("*"))
            if file.is_file() and file.suffix != ".ipynb" and ".ipynb_checkpoints" not in file.parts
        }

    def __enter__(self) -> "DaskCluster":
        try:
            from distributed import Client
        except ModuleNotFoundError:
            raise ValueError('--scheduler needs Dask: pip install "chip2cluster[cluster]"') from None
        try:
            self._client = Client(self._address, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as problem:
            raise ValueError(f"no Dask scheduler answers at {self._address}: {problem}") from None
        try:
            self._version = fingerprint.source_digest(self._lab)
            self._check_workers()
        except BaseException:
            self._client.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        # Results that nobody waits for any more are given up; nothing else on the cluster is touched.
        self._client.close()

    def _check_workers(self) -> None:
        try:
            self._client.wait_for_workers(1, timeout=WORKER_SECONDS)
        except TimeoutError:
            raise ValueError(
                f"the Dask scheduler at {self._address} has no workers, and none came within {WORKER_SECONDS} s; start some with "
                "`dask worker`, or grade when the first of their jobs runs"
            ) from None
        versions = self._client.run(worker_version, self._lab, on_error="return")
        for worker, version in versions.items():
            if isinstance(version, BaseException):
                raise ValueError(f"the worker {worker} cannot load this course ({version}): install it there")
            if version != self._version:
                raise ValueError(
                    f"the worker {worker} has another version of this course: install the same one there and restart it"
                )

    def grade(self, jobs: Iterable[GradingJob]) -> Iterator[tuple[GradingJob, Result]]:
        """Yield (job, result) in the order in which they are done; every job once.

        A worker that dies costs a retry elsewhere. At most `TASKS_PER_THREAD` tasks a thread are
        under way, so memory does not grow with the class.

        Raises
        ------
        SandboxUnavailable
            When a worker has no sandbox and may not go without.
        """
        from distributed import as_completed

        todo = deque(jobs)
        under_way: dict[Any, GradingJob] = {}
        running = as_completed(loop=self._client.loop)
        threads = sum(self._client.nthreads().values())

        def submit() -> None:
            job = todo.popleft()
            future = self._submit(job)
            under_way[future] = job
            running.add(future)

        for _ in range(min(len(todo), TASKS_PER_THREAD * max(threads, 1))):
            submit()
        for future in running:
            job = under_way.pop(future)
            if todo:
                submit()
            yield job, self._result(job, future)
            future.release()

    def alone(self, jobs: Iterable[GradingJob]) -> Iterator[tuple[GradingJob, Result]]:
        """As `grade`, one after another in new boxes, with nothing else of this run at work."""
        self._again = True
        for job in jobs:
            yield from self.grade([job])

    def _submit(self, job: GradingJob) -> Any:
        entries = pack_submission(job.folder, self._lab.notebook)
        secrets = secrets_for(self._lab, job.student)
        return self._client.submit(
            *(grade_on_worker, entries, job.student, secrets, self._lab, self._files),
            *(self._version, self._again, self._sandbox, *self._tools),
            retries=RETRIES,
            pure=False,
            key=f"grade-{self._lab.name}-{job.digest}-{id(job)}",
        )

    def _result(self, job: GradingJob, future: Any) -> Result:
        problem = future.exception()
        if problem is None:
            result: Result = future.result()
            result.digest, self._name = job.digest, result.sandbox or self._name
            return result
        if isinstance(problem, SandboxUnavailable):
            raise problem
        if isinstance(problem, VersionMismatch):
            raise ValueError(str(problem))
        print(f"{printable(job.student)}: the grader failed on the cluster: {printable(problem, 400)}", file=sys.stderr)
        return failed_result(job, self._lab, self._name)


class VersionMismatch(RuntimeError):
    """A worker that joined later grades with other code."""


def worker_version(lab: Lab) -> str:
    """The version of a worker's own code; runs there."""
    return fingerprint.source_digest(lab)


def grade_on_worker(
    entries: list[Entry],
    student: str,
    secrets: Secrets,
    lab: Lab,
    files: dict[str, bytes],
    version: str,
    again: bool,
    sandbox: str,
    open_box: Callable[..., Any],
    grade_one: Callable[..., Result],
) -> Result:
    """Grade one submission; runs on a worker of the cluster.

    Parameters
    ----------
    entries : list
        The submission, from `parcel.pack`.
    student : str
    secrets : Secrets
    lab : Lab
        Its folder is on another machine.
    files : dict
        What lies beside the lab's notebook there: bytes by path.
    version : str
        `fingerprint.source_digest` where the results are wanted.
    again : bool
        Not in a box of those that were graded for the first time.
    sandbox, open_box, grade_one
        As for `DaskCluster`.
    """
    from .sandbox_pool import borrow_sandbox

    if fingerprint.source_digest(lab) != version:
        raise VersionMismatch(
            "a worker of the cluster has another version of this course: install the same one there, restart it"
        )
    with (
        borrow_sandbox(lab, files, f"{version} {again}", sandbox, open_box) as box,
        tempfile.TemporaryDirectory() as place,
    ):
        return grade_one(unpack_submission(entries, place), student, lab, box, secrets)
