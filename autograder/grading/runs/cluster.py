"""Grade on an existing Dask cluster whose machines share no files with this one.

A task contains the bytes of a submission, the lab, and the keys derived from the course
secret for it; never the secret itself. Each worker keeps its sandboxes warm between tasks.
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
from ..student_seeds import Secrets, secrets_for
from . import fingerprint
from .worker_pool import GradingJob, failed_result
from .worker_process import default_grade, default_sandbox

TASKS_PER_THREAD = 3  # so that a worker is busy while its last result is transferred
CONNECT_SECONDS = 30
WORKER_SECONDS = 60  # wait for the first worker, which may be a job that waits for a node
RETRIES = 2  # of a failed task; Dask repeats a task whose worker died in any case


class DaskCluster:
    """Context manager that grades submissions of one lab on a cluster, with the interface of `WorkerPool`.

    Parameters
    ----------
    lab : Lab
    address : str
        Address of the scheduler, such as ``"tcp://head:8786"``.
    sandbox : str
        Sandbox mode on every worker, as `autograder.sandbox.Sandbox` takes it.
    open_sandbox, grade_one : callable
        Functions that workers use; importable by name there.

    Raises
    ------
    ValueError
        If Dask is not installed, no scheduler answers, no worker registers within a minute,
        or a worker has another version of exercises or models than this machine.
    """

    def __init__(
        self,
        lab: Lab,
        address: str,
        *,
        sandbox: str = "auto",
        open_sandbox: Callable[..., Any] = default_sandbox,
        grade_one: Callable[..., Result] = default_grade,
    ) -> None:
        self._lab, self._address, self._sandbox = lab, address, sandbox
        self._tools = open_sandbox, grade_one
        self._client: Any = None  # distributed.Client, which is imported when it is needed
        self._name, self._second_time = SandboxType.BUBBLEWRAP, False
        self._files = {
            file.relative_to(lab.folder).as_posix(): file.read_bytes()
            for file in sorted(lab.folder.rglob("*"))
            if file.is_file() and file.suffix != ".ipynb" and ".ipynb_checkpoints" not in file.parts
        }

    def __enter__(self) -> "DaskCluster":
        """Connect to the scheduler and check the versions of its workers."""
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
        """Disconnect."""
        # Abandons pending results; nothing else on the cluster changes.
        self._client.close()

    def _check_workers(self) -> None:
        try:
            self._client.wait_for_workers(1, timeout=WORKER_SECONDS)
        except TimeoutError:
            raise ValueError(
                f"the Dask scheduler at {self._address} has no workers, and none registered within {WORKER_SECONDS} s; start some with "
                "`dask worker`, or grade when the first of their jobs is running"
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
        """Yield (job, result) in order of completion, every job once.

        The job of a worker that dies is retried elsewhere. At most `TASKS_PER_THREAD` tasks per thread
        are submitted at a time, so memory does not grow with the class.

        Raises
        ------
        SandboxUnavailable
            If a worker has no sandbox and may not grade without one.
        """
        from distributed import as_completed

        todo = deque(jobs)
        submitted: dict[Any, GradingJob] = {}
        running = as_completed(loop=self._client.loop)
        threads = sum(self._client.nthreads().values())

        def submit() -> None:
            job = todo.popleft()
            future = self._submit(job)
            submitted[future] = job
            running.add(future)

        for _ in range(min(len(todo), TASKS_PER_THREAD * max(threads, 1))):
            submit()
        for future in running:
            job = submitted.pop(future)
            if todo:
                submit()
            yield job, self._result(job, future)
            future.release()

    def alone(self, jobs: Iterable[GradingJob]) -> Iterator[tuple[GradingJob, Result]]:
        """Grade as `grade` does, but one job at a time in new sandboxes, with nothing else running."""
        self._second_time = True
        for job in jobs:
            yield from self.grade([job])

    def _submit(self, job: GradingJob) -> Any:
        entries = pack_submission(job.folder, self._lab.notebook)
        secrets = secrets_for(self._lab, job.student)
        return self._client.submit(
            *(grade_on_worker, entries, job.student, secrets, self._lab, self._files),
            *(self._version, self._second_time, self._sandbox, *self._tools),
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
    """A worker that joined later has another version of the code."""


def worker_version(lab: Lab) -> str:
    """Return the version of a worker's own code; runs on the worker."""
    return fingerprint.source_digest(lab)


def grade_on_worker(
    entries: list[Entry],
    student: str,
    secrets: Secrets,
    lab: Lab,
    files: dict[str, bytes],
    version: str,
    second_time: bool,
    sandbox: str,
    open_sandbox: Callable[..., Any],
    grade_one: Callable[..., Result],
) -> Result:
    """Grade one submission; runs on a worker of the cluster.

    Parameters
    ----------
    entries : list
        The submission, from `archive.pack_submission`.
    student : str
    secrets : Secrets
    lab : Lab
        A lab whose folder is on another machine.
    files : dict
        Other files of that folder: bytes by path.
    version : str
        `fingerprint.source_digest` on the machine that wants the results.
    second_time : bool
        Whether to use a new sandbox, not one of the first round.
    sandbox, open_sandbox, grade_one
        Same parameters as those of `DaskCluster`.
    """
    from .sandbox_pool import borrow_sandbox

    if fingerprint.source_digest(lab) != version:
        raise VersionMismatch(
            "a worker of the cluster has another version of this course: install the same one there, restart it"
        )
    with (
        borrow_sandbox(lab, files, f"{version} {second_time}", sandbox, open_sandbox) as opened,
        tempfile.TemporaryDirectory() as folder,
    ):
        return grade_one(unpack_submission(entries, folder), student, lab, opened, secrets)
