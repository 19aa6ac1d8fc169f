"""What is simulated: a job on many nodes that fail, alone or together, and come back repaired."""

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
    """A long job: how it saves itself, on what it runs, and how that fails.

    Attributes
    ----------
    work_seconds, interval, checkpoint_seconds, restart_seconds : float
        Work in all, work between two dumps, a dump, and a restart, seconds. The last interval
        is what is left, with a dump of its own.
    node_mtbf : float
        Mean time between failures of one node, seconds; of the whole job where ``nodes`` is 1.
    nodes : int
        That the job needs, all running.
    shape : float
        Of the Weibull distribution of the times between failures: 1 is a constant rate, below
        1 failures come in crowds; 0.05 at least.
    persist_seconds : float
        How long a dump is on its way after the job went on, seconds.
    failures_during_restart : bool
        Whether a restart can fail, too.
    spares : int, optional
        Nodes kept beside those of the job; None: there is always another one at hand.
    repair_seconds : float
        Until a broken node is back among the spares, seconds.
    group_nodes : int, optional
        Nodes that hang on one switch or power supply and fail with it.
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
    stragglers, silent corruption, and nodes that fail as spares.

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
        for name in (*_TIMES, *_PAUSES):
            self._set(name, one_positive(name, getattr(self, name), allow_zero=name in _PAUSES))
        if self.shape < SMALLEST_SHAPE:
            raise ValueError(
                f"shape must be at least {SMALLEST_SHAPE}, got {self.shape}: the mean of its gaps is in a few"
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
        """Share of the failures that take a whole group."""
        return self._group_rate * self.mtbf

    @property
    def segments(self) -> int:
        """Intervals of work, the last one may be shorter."""
        return max(1, ceil(self.work_seconds / self.interval * (1 - 1e-12)))

    @property
    def segment_seconds(self) -> float:
        """Of an interval and the dump after it."""
        return self.interval + self.checkpoint_seconds

    @property
    def unbroken_seconds(self) -> float:
        """What the run takes without a failure: work, dumps, and the wait for the last one."""
        return self.work_seconds + self.segments * self.checkpoint_seconds + self.persist_seconds

    @property
    def _group_rate(self) -> float:
        if self.group_nodes is None or self.group_mtbf is None:
            return 0.0
        return ceil(self.nodes / self.group_nodes) / self.group_mtbf
