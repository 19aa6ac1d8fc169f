"""What one submission may use."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Limits on one submission; whatever goes beyond is stopped, and what was earned stays.

    Attributes
    ----------
    memory_bytes : int
        Address space of each process, and resident memory of all together.
    tmp_bytes : int
        Size of its private ``/tmp``.
    file_bytes : int
        Size of one file that it writes.
    processes : int
        Processes and threads at once.
    output_bytes : int
        Text kept of one cell; pictures may take eight times as much.
    shown_bytes : int
        What all cells may show together; a cell beyond that shows nothing.
    answer_bytes : int
        Size of one answer on its way to the grader.
    cell_seconds, notebook_seconds, case_seconds : float
        Time of processors that one cell, all cells together, and one call by the
        grader may take. Cells count with all processes of the submission, a call with
        its own and those that it has started. A busy machine makes it no shorter.
    submission_seconds : float
        The same for everything that is done for one submission, cells that run once
        more included. What was not asked when it is used up earns nothing.
    patience : float
        By the clock each of these may take this many times as long, then it is
        stopped too: what sleeps, waits, or lets its processes end unseen.
    """

    memory_bytes: int = 2 << 30
    tmp_bytes: int = 64 << 20
    file_bytes: int = 32 << 20
    processes: int = 48
    output_bytes: int = 32 << 10
    shown_bytes: int = 16 << 20
    answer_bytes: int = 1 << 18
    cell_seconds: float = 20.0
    notebook_seconds: float = 60.0
    case_seconds: float = 5.0
    submission_seconds: float = 150.0
    patience: float = 3.0
