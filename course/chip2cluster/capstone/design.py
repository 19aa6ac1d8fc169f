"""What is decided: the chips, how they are joined, how the model lies on them, and how the run saves itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .. import specs
from .._validate import flag, one_positive, one_whole
from ..parallelism import Layout
from ..specs import Accelerator


@dataclass(frozen=True, kw_only=True)
class Design:
    """A cluster and how a training runs on it.

    Parameters
    ----------
    chip : str or specs.Accelerator
        From the catalogue or one's own (`specs.own`).
    nodes : int
        That the job needs, all running.
    chips_per_node : int
    domain : int
        Chips that the scale-up links join: 8 in a node, 72 in a rack.
    nic_bytes_per_second_one_way : float
        Of the network beyond, for each chip.
    oversubscription : float
        Of that network's middle: 2 halves what crosses it.
    leaf_nodes : int, optional
        Nodes that one leaf switch joins at the full rate; left out, everything beyond the domain
        crosses the middle.
    storage_bytes_per_second : float
        That the storage takes in, and gives, for all nodes together.
    layout : parallelism.Layout, optional
        None: the fastest that fits is searched.
    checkpoint_interval : float, optional
        Work between two checkpoints, seconds; None: the optimum.
    asynchronous : bool
        Whether a checkpoint is copied out of the chips and written while they go on.
    spares : int, optional
        Nodes kept beside those of the job; None: there is always another one at hand, as in a cloud.

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

    def __post_init__(self) -> None:
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

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    @property
    def accelerator(self) -> Accelerator:
        """The chip with its figures."""
        return self._accelerator  # type: ignore[attr-defined]

    @property
    def devices(self) -> int:
        """Chips that the job runs on, without those of the spares."""
        return self.nodes * self.chips_per_node


def check_design(design: object) -> Design:
    """Return ``design`` if it is a `Design`; otherwise say what was given."""
    if isinstance(design, Design):
        return design
    raise TypeError(f"design must be a capstone.Design, got {design!r}")
