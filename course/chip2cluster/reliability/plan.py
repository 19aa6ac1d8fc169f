"""Input of the simulations: a job on many nodes that fail alone or in groups and are repaired."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import Any

from .._validate import flag, one_positive, one_whole

_TIMES = ("work_seconds", "interval", "node_mtbf", "shape")  # above zero
SMALLEST_SHAPE = 0.05
_PAUSES = ("checkpoint_seconds", "restart_seconds", "persist_seconds", "repair_seconds")  # or zero


@dataclass(frozen=True)
class RunPlan:
    """A long job: its checkpointing, its nodes and spares, and their failures.

    Attributes
    ----------
    work_seconds, interval, checkpoint_seconds, restart_seconds : float
        Total work, work between two checkpoints, time of a checkpoint and of a restart, seconds. The last interval
        may be shorter and ends with a checkpoint, too.
    node_mtbf : float
        Mean time between failures of one node, seconds; of the whole job if ``nodes`` is 1.
    nodes : int
        Number of nodes that the job needs, all running.
    shape : float
        Shape of the Weibull distribution of the times between failures, at least 0.05: 1 is a constant rate, and
        below 1 failures cluster.
    persist_seconds : float
        Time for which an asynchronous checkpoint is still being written after the job continues, seconds.
    failures_during_restart : bool
        Whether a restart can fail, too.
    spares : int, optional
        Number of hot spare nodes; None provides a replacement at any time.
    repair_seconds : float
        Time until a broken node is a spare again, seconds.
    group_nodes : int, optional
        Number of nodes behind one switch or power supply, which fail with it.
    group_mtbf : float, optional
        Mean time between failures of one such switch, seconds.

    Raises
    ------
    ValueError
        A group has no MTBF or is larger than the job, or a checkpoint is still being written when the next one
        begins.

    Notes
    -----
    Nodes fail while they run or restart the job, not while it waits for a repair. Ignores
    stragglers, silent data corruption (SDC), and failures of spares.

    Examples
    --------
    >>> plan = RunPlan(54 * 86400, 1200, 60, 600, node_mtbf=264 * 86400, nodes=2048)
    >>> round(plan.mtbf / 3600, 2), plan.segments
    (3.09, 3888)
    """

    work_seconds: float
    interval: float
    checkpoint_seconds: float
    restart_seconds: float
    node_mtbf: float
    nodes: int = 1
    shape: float = 1.0
    persist_seconds: float = 0.0
    failures_during_restart: bool = True
    spares: int | None = None
    repair_seconds: float = 0.0
    group_nodes: int | None = None
    group_mtbf: float | None = None

    def __post_init__(self) -> None:
        """Check and normalize the fields."""
        for name in (*_TIMES, *_PAUSES):
            self._set(name, one_positive(name, getattr(self, name), allow_zero=name in _PAUSES))
        if self.shape < SMALLEST_SHAPE:
            raise ValueError(
                f"shape must be at least {SMALLEST_SHAPE}, got {self.shape}: below that, few long gaps dominate the mean"
            )
        self._set("nodes", one_whole("nodes", self.nodes))
        self._set("failures_during_restart", flag("failures_during_restart", self.failures_during_restart))
        if self.spares is not None:
            self._set("spares", one_whole("spares", self.spares, 0))
        if (self.group_nodes is None) != (self.group_mtbf is None):
            raise ValueError(
                f"group_nodes and group_mtbf go together, got {self.group_nodes!r} and {self.group_mtbf!r}"
            )
        if self.group_nodes is not None:
            self._set("group_nodes", one_whole("group_nodes", self.group_nodes))
            self._set("group_mtbf", one_positive("group_mtbf", self.group_mtbf))
            if self.group_nodes > self.nodes:
                raise ValueError(f"group_nodes must be at most the {self.nodes} nodes, got {self.group_nodes}")
        if self.persist_seconds > self.segment_seconds:
            raise ValueError(
                "persist_seconds must be at most interval and checkpoint_seconds together, "
                f"got {self.persist_seconds} and {self.segment_seconds}"
            )

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    @property
    def mtbf(self) -> float:
        """Mean time between failures of the whole job, of either kind, seconds."""
        return 1.0 / (self.nodes / self.node_mtbf + self._group_rate)

    @property
    def group_share(self) -> float:
        """Fraction of the failures that take down a whole group."""
        return self._group_rate * self.mtbf

    @property
    def segments(self) -> int:
        """Number of intervals of work; the last one may be shorter."""
        return max(1, ceil(self.work_seconds / self.interval * (1 - 1e-12)))

    @property
    def segment_seconds(self) -> float:
        """Length of an interval with its checkpoint, seconds."""
        return self.interval + self.checkpoint_seconds

    @property
    def unbroken_seconds(self) -> float:
        """Duration without failures: work, checkpoints, and the wait until the last one is written, seconds."""
        return self.work_seconds + self.segments * self.checkpoint_seconds + self.persist_seconds

    @property
    def _group_rate(self) -> float:
        if self.group_nodes is None or self.group_mtbf is None:
            return 0.0
        return ceil(self.nodes / self.group_nodes) / self.group_mtbf
