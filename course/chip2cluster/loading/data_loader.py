"""Training step with its data loader: devices, storage, network or workers are the bottleneck."""

from __future__ import annotations

from dataclasses import dataclass

from .._validate import flag, one_positive, one_whole


@dataclass(frozen=True)
class LoaderStep:
    """Times of a step by resource, seconds.

    Attributes
    ----------
    compute, storage, network, workers : float
        Time of the devices, of the storage for all bytes of the step, of the links of the nodes, and of the
        workers that decode.
    prefetched : bool
        Whether fetching overlaps with compute.

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
        """Time of the slowest stage that feeds the devices, seconds; the stages work in parallel."""
        return max(self.storage, self.network, self.workers)

    @property
    def seconds(self) -> float:
        """Time of the step."""
        return max(self.compute, self.loading) if self.prefetched else self.compute + self.loading

    @property
    def limiter(self) -> str:
        """Slowest resource: ``"compute"``, ``"storage"``, ``"network"`` or ``"workers"``."""
        stages = {name: getattr(self, name) for name in ("compute", "storage", "network", "workers")}
        return max(stages, key=lambda name: stages[name])

    @property
    def stall_share(self) -> float:
        """Fraction of the step in which the devices wait, 0 to 1."""
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
    """Time of a training step with its data loader.

    Parameters
    ----------
    compute_seconds : float
        Time of the step on the devices alone, exchange included.
    samples : int
        Samples of the global batch.
    sample_bytes : float
        Stored bytes of one sample, times the `read_amplification`.
    nodes : int
        Nodes that share the batch evenly.
    storage_bandwidth : float
        Bandwidth of the storage for all nodes together, bytes/s.
    node_bandwidth_one_way : float
        Bandwidth into one node, bytes/s.
    workers_per_node : int
        Worker processes that decode.
    samples_per_worker_second : float
        Samples that one worker prepares each second.
    prefetch : bool
        Whether fetching overlaps with compute.

    Returns
    -------
    LoaderStep
        Times by resource.

    Notes
    -----
    Steady state: ``max(compute, bytes / min(storage, nodes * link), samples / workers'
    rate)``. Ignores bursts at the start of an epoch, caches (`storage.cached_rate`), and the path
    inside a node (GPUDirect Storage or host memory). Source: see `step_time`.

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
