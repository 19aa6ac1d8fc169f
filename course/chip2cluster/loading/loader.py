"""A step of a training job and what feeds it: storage, network, workers, or the device itself sets the pace."""

from __future__ import annotations

from dataclasses import dataclass

from .._validate import flag, one_positive, one_whole


@dataclass(frozen=True)
class LoaderStep:
    """A step of the whole job, by who needs how long for it, seconds.

    Attributes
    ----------
    compute, storage, network, workers : float
        The devices, the storage for all bytes of the step, the links of the nodes, and the
        workers that decode.
    prefetched : bool
        Whether fetching goes on while the devices compute.

    Examples
    --------
    >>> step = LoaderStep(compute=1.0, storage=0.2, network=0.1, workers=1.5, prefetched=True)
    >>> step.seconds, step.limiter, round(step.stall_share, 2)
    (1.5, 'workers', 0.33)
    """

    compute: float
    storage: float
    network: float
    workers: float
    prefetched: bool

    @property
    def loading(self) -> float:
        """Of the slowest stage that feeds the devices, seconds: the stages work side by side."""
        return max(self.storage, self.network, self.workers)

    @property
    def seconds(self) -> float:
        """Of the step."""
        return max(self.compute, self.loading) if self.prefetched else self.compute + self.loading

    @property
    def limiter(self) -> str:
        """Who takes longest: ``"compute"``, ``"storage"``, ``"network"`` or ``"workers"``."""
        stages = {name: getattr(self, name) for name in ("compute", "storage", "network", "workers")}
        return max(stages, key=lambda name: stages[name])

    @property
    def stall_share(self) -> float:
        """Share of the step for which the devices wait, 0 to 1."""
        return 1.0 - self.compute / self.seconds if self.seconds else 0.0


def loader_step(
    compute_seconds: float,
    samples: int,
    sample_bytes: float,
    *,
    nodes: int,
    storage_bandwidth: float,
    node_bandwidth_one_way: float,
    workers_per_node: int,
    samples_per_worker_second: float,
    prefetch: bool = True,
) -> LoaderStep:
    """Time of a training step with its loader.

    Parameters
    ----------
    compute_seconds : float
        Of the step on the devices alone, exchange included.
    samples : int
        Of the global batch.
    sample_bytes : float
        Of one as it is stored, times what is read in vain (`read_amplification`).
    nodes : int
        That share the batch evenly.
    storage_bandwidth : float
        Bytes/s that the storage gives to all of them together.
    node_bandwidth_one_way : float
        Bytes/s into one node.
    workers_per_node : int
        Processes that decode.
    samples_per_worker_second : float
        That one of them prepares.
    prefetch : bool
        Whether fetching goes on while the devices compute.

    Returns
    -------
    LoaderStep

    Raises
    ------
    ValueError, TypeError
        For negative times, rates that are not above zero, and counts that are not whole.

    Notes
    -----
    In the steady state: ``max(compute, bytes / min(storage, nodes * link), samples / workers'
    rate)``. Ignores bursts at the start of an epoch, and caches (`storage.cached_rate`). Source: as `step_time`.

    Examples
    --------
    ImageNet on 8 nodes: 8,192 images of 110 kB, which 12 workers a node decode at 100/s each.

    >>> step = loader_step(0.35, 8192, 110e3, nodes=8, storage_bandwidth=20e9, node_bandwidth_one_way=25e9,
    ...                    workers_per_node=12, samples_per_worker_second=100)
    >>> round(step.seconds, 2), step.limiter
    (0.85, 'workers')
    """
    count, batch = one_whole("nodes", nodes), one_whole("samples", samples)
    size = batch * one_positive("sample_bytes", sample_bytes)
    decoded = one_whole("workers_per_node", workers_per_node) * one_positive(
        "samples_per_worker_second", samples_per_worker_second
    )
    return LoaderStep(
        compute=one_positive("compute_seconds", compute_seconds, allow_zero=True),
        storage=size / one_positive("storage_bandwidth", storage_bandwidth),
        network=size / (count * one_positive("node_bandwidth_one_way", node_bandwidth_one_way)),
        workers=batch / (count * decoded),
        prefetched=flag("prefetch", prefetch),
    )
