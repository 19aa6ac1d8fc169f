"""The decisions of a design: chips, network, storage, parallel layout, checkpointing and spare nodes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from .. import specs
from .._validate import flag, one_positive, one_whole
from ..parallelism import Layout
from ..specs import Accelerator
from .scenario import Scenario, check_precision


@dataclass(frozen=True, kw_only=True)
class Design:
    """A cluster, and how a training run uses it.

    Parameters
    ----------
    chip : str or specs.Accelerator
        Name in the catalogue, or a custom chip (`specs.own`).
    nodes : int
        Number of nodes that the job needs, all running.
    chips_per_node : int
        Number of chips in a node.
    domain : int
        Number of chips joined by scale-up links: 8 in a node, 72 in a rack.
    nic_bytes_per_second_one_way : float
        Unidirectional NIC bandwidth per chip, bytes/s.
    oversubscription : float
        Oversubscription of the scale-out network above the leaf switches: 2 halves the bandwidth there.
    leaf_nodes : int, optional
        Number of nodes that one leaf switch joins at full rate; None sends all traffic beyond the domain
        through the upper levels.
    storage_bytes_per_second : float
        Read and write bandwidth of the storage, all nodes together, bytes/s.
    layout : parallelism.Layout, optional
        Parallel layout of the model; None searches the fastest one that fits.
    checkpoint_interval : float, optional
        Work between two checkpoints, seconds; None uses the Young/Daly optimum.
    asynchronous : bool
        Whether a checkpoint is copied to host memory and written while the chips continue (asynchronous checkpointing).
    spares : int, optional
        Number of hot spare nodes; None provides a replacement at any time, as in a cloud.
    precision : str, optional
        Precision of the matrix products; None uses that of the scenario.

    Notes
    -----
    A design that cannot run in a given scenario is a valid `Design`: `evaluate` reports the problem.

    Examples
    --------
    >>> design = Design(chip="H100 SXM", nodes=128)
    >>> design.devices, design.accelerator.name
    (1024, 'H100 SXM')
    """

    chip: str | Accelerator
    nodes: int
    chips_per_node: int = 8
    domain: int = 8
    nic_bytes_per_second_one_way: float = 50e9
    oversubscription: float = 1.0
    leaf_nodes: int | None = None
    storage_bytes_per_second: float = 100e9
    layout: Layout | None = None
    checkpoint_interval: float | None = None
    asynchronous: bool = True
    spares: int | None = 0
    precision: str | None = None

    def __post_init__(self) -> None:
        """Check and normalize the fields."""
        self._set("_accelerator", specs.accelerator(self.chip))
        for name in ("nodes", "chips_per_node", "domain"):
            self._set(name, one_whole(name, getattr(self, name)))
        for name in ("nic_bytes_per_second_one_way", "oversubscription", "storage_bytes_per_second"):
            self._set(name, one_positive(name, getattr(self, name)))
        if self.oversubscription < 1:
            raise ValueError(f"oversubscription must be at least 1, got {self.oversubscription}")
        if self.leaf_nodes is not None:
            self._set("leaf_nodes", one_whole("leaf_nodes", self.leaf_nodes))
        if self.layout is not None and not isinstance(self.layout, Layout):
            raise TypeError(f"layout must be a parallelism.Layout or None, got {self.layout!r}")
        if self.checkpoint_interval is not None:
            self._set("checkpoint_interval", one_positive("checkpoint_interval", self.checkpoint_interval))
        self._set("asynchronous", flag("asynchronous", self.asynchronous))
        if self.spares is not None:
            self._set("spares", one_whole("spares", self.spares, 0))
        if self.precision is not None:
            self._set("precision", check_precision(self.precision))

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    def scenario(self, scenario: Scenario) -> Scenario:
        """Scenario at the precision of this design.

        Parameters
        ----------
        scenario : Scenario
            Training run to be done.

        Returns
        -------
        Scenario
            Same scenario, with the precision of the design if it has one.
        """
        if self.precision in (None, scenario.precision):
            return scenario
        return replace(scenario, precision=self.precision)

    @property
    def accelerator(self) -> Accelerator:
        """Catalogue entry of the chip."""
        return self._accelerator  # type: ignore[attr-defined]

    @property
    def devices(self) -> int:
        """Number of chips that the job runs on, without the spare nodes."""
        return self.nodes * self.chips_per_node


def check_design(design: object) -> Design:
    """Return ``design`` if it is a `Design`; raise TypeError otherwise."""
    if isinstance(design, Design):
        return design
    raise TypeError(f"design must be a capstone.Design, got {design!r}")
