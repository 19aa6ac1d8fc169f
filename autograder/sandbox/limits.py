"""Resource limits of one submission."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Limits on one submission. Code that exceeds one is stopped; points earned until then stay.

    Attributes
    ----------
    memory_bytes : int
        Address space of each process, and resident memory of all together.
    tmp_bytes : int
        Size of the private ``/tmp``.
    file_bytes : int
        Largest size of one file.
    processes : int
        Processes and threads at once.
    output_bytes : int
        Text kept of one cell; pictures may take eight times as much.
    shown_bytes : int
        Output of all cells together; a cell that exceeds it shows nothing.
    answer_bytes : int
        Size of one reply on its way to the grader.
    cell_seconds, notebook_seconds, case_seconds : float
        CPU time of one cell, of all cells together, and of one call by the grader. Cells count with all processes of
        the submission, a call with its own process and its children. A busy machine does not shorten them.
    submission_seconds : float
        CPU time of everything that is done for one submission, reruns of cells included. Calls that are not made when
        it is used up earn nothing.
    patience : float
        Factor between CPU time and wall-clock time: code that sleeps, waits or hides its processes is stopped after
        this multiple of each time limit.
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
