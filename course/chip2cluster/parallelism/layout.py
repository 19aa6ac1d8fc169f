"""A layout: how many devices share what of a model and its batch, and what is wrong with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .._validate import choice, flag, whole
from ..specs import Accelerator, accelerator
from ..transformer.config import check_config
from ..transformer.recompute import RECOMPUTE
from . import kinds

if TYPE_CHECKING:
    from .._typing import Recompute
    from ..transformer import Config

DEGREES = ("tensor", "pipeline", "data", "context", "expert", "chunks", "micro_batch")
ZERO_STAGES = (0, 1, 2, 3)


@dataclass(frozen=True)
class Layout:
    """How a training run is spread over devices.

    Parameters
    ----------
    tensor : int
        Devices that share the matrices of each layer, t.
    pipeline : int
        Devices with different layers, p.
    data : int
        Copies that work on different sequences, d.
    context : int
        Devices that share each sequence, c.
    expert : int
        Devices of a data-parallel group over which the experts are spread, e. They lie within
        ``data``: e is no factor of the number of devices. Each expert is split over ``tensor`` too.
    chunks : int
        Chunks of layers on each device of an interleaved pipeline, v.
    zero_stage : {0, 1, 2, 3}
        What the ``data * context`` devices with equal weights split among them instead of
        copying: nothing, optimizer states, gradients too, weights too (FSDP).
    sequence_parallel : bool
        Whether norms and what lies between the matrices are split over ``tensor``, too.
    recompute : {"none", "selective", "full"}
        As in `transformer.activation_memory_per_layer`.
    micro_batch : int
        Sequences that pass the pipeline together, b.
    schedule : str, optional
        One of `schedules`; ``"1f1b"``, interleaved if there are chunks, when left out.

    Raises
    ------
    ValueError, TypeError
        For degrees that are not whole numbers of at least 1, and unknown names. What is
        wrong only with a certain model, batch or number of devices `problems` says.

    Notes
    -----
    Ignores layouts that differ from layer to layer. Source: Narayanan et al. 2021,
    arXiv:2104.04473 (t, p, d); Rajbhandari et al. 2020 (ZeRO); Llama Team 2024, arXiv:2407.21783,
    section 3.3 (c).

    Examples
    --------
    >>> Layout(tensor=8, pipeline=16, data=128).devices
    16384
    """

    tensor: int = 1
    pipeline: int = 1
    data: int = 1
    context: int = 1
    expert: int = 1
    chunks: int = 1
    zero_stage: int = 0
    sequence_parallel: bool = True
    recompute: Recompute = "selective"
    micro_batch: int = 1
    schedule: str | None = None

    def __post_init__(self) -> None:
        for name in DEGREES:
            object.__setattr__(self, name, one_whole(name, getattr(self, name)))
        object.__setattr__(self, "zero_stage", one_whole("zero_stage", self.zero_stage, minimum=0))
        choice("zero_stage", self.zero_stage, ZERO_STAGES)
        flag("sequence_parallel", self.sequence_parallel)
        choice("recompute", self.recompute, RECOMPUTE)
        if self.schedule is not None:
            choice("schedule", self.schedule, kinds.schedules())

    @property
    def devices(self) -> int:
        """Devices in all: the product of tensor, pipeline, data and context."""
        return self.tensor * self.pipeline * self.data * self.context

    @property
    def replicas(self) -> int:
        """Devices with the same share of the weights outside the experts: data times context."""
        return self.data * self.context

    @property
    def schedule_name(self) -> str:
        """The pipeline schedule, also where none was named."""
        return self.schedule or ("interleaved_1f1b" if self.chunks > 1 else "1f1b")

    def micro_batches(self, global_batch: int) -> int:
        """Micro-batches of a step, m: what of the batch one copy passes through its pipeline, one after another.

        Parameters
        ----------
        global_batch : int
            Sequences of a step.

        Returns
        -------
        int

        Raises
        ------
        ValueError, TypeError
            For a batch that ``data * micro_batch`` does not divide.

        Notes
        -----
        Source: the definition.

        Examples
        --------
        >>> Layout(tensor=8, pipeline=16, data=128).micro_batches(2048)
        16
        """
        batch = one_whole("global_batch", global_batch)
        at_once = self.data * self.micro_batch
        if batch % at_once:
            raise ValueError(
                f"global_batch must be a multiple of data={self.data} times micro_batch={self.micro_batch}, got {batch}"
            )
        return batch // at_once

    def problems(
        self,
        config: Config | str,
        global_batch: int | None = None,
        *,
        sequence: int | None = None,
        devices: int | None = None,
    ) -> tuple[str, ...]:
        """Say what makes the layout impossible; nothing if it is legal.

        Parameters
        ----------
        config : transformer.Config or str
            Or the name of a published one.
        global_batch, sequence, devices : int, optional
            Sequences of a step, tokens of each, and devices there are; what is left out is
            not looked at.

        Returns
        -------
        tuple of str
            One sentence for each broken rule, with the value and what would be legal.

        Raises
        ------
        ValueError, TypeError
            For anything but a config or the name of a published model, and counts that are not whole.

        Notes
        -----
        Says nothing of memory and speed: see `memory` and `step_time`. Layers that the stages
        do not divide are legal: some have one more. Source: the checks of Megatron-LM and
        DeepSpeed, put as arithmetic.

        Examples
        --------
        The layout for long sequences in the first version of table 4 of the Llama 3 paper:

        >>> from chip2cluster.transformer import model
        >>> printed = Layout(tensor=8, context=16, pipeline=16, data=4)
        >>> printed.problems(model("Llama 3.1 405B").config, devices=16384)[0]
        'tensor=8 * pipeline=16 * data=4 * context=16 is 8192 devices, not devices=16384'
        """
        config = check_config(config)
        found = []
        if devices is not None and self.devices != one_whole("devices", devices):
            found.append(
                f"tensor={self.tensor} * pipeline={self.pipeline} * data={self.data} * context={self.context} "
                f"is {self.devices} devices, not devices={devices}"
            )
        found += self._splits(config)
        if sequence is not None:
            found += self._tokens(one_whole("sequence", sequence))
        if global_batch is not None:
            found += self._batch(one_whole("global_batch", global_batch))
        return tuple(found)

    def _splits(self, config: Config) -> list[str]:
        """What the shape of the model forbids."""
        found = []
        if config.heads % self.tensor:
            found.append(f"tensor={self.tensor} must divide the heads, {config.heads}")
        else:
            found += self._widths(config)
        if self.pipeline * self.chunks > config.layers:
            found.append(
                f"pipeline={self.pipeline} times chunks={self.chunks} must be at most the layers, {config.layers}"
            )
        if self.chunks > 1 and (self.pipeline == 1 or self.schedule_name != "interleaved_1f1b"):
            found.append(f"chunks={self.chunks} need a pipeline of at least 2 and the schedule 'interleaved_1f1b'")
        if self.schedule == "interleaved_1f1b" and self.chunks == 1:
            found.append("schedule='interleaved_1f1b' needs chunks of at least 2, got chunks=1")
        if self.schedule_name == "dualpipe" and self.pipeline % 2:
            found.append(f"pipeline={self.pipeline} must be even for 'dualpipe'")
        if self.expert > 1:
            if not config.experts:
                found.append(f"expert={self.expert} must be 1 for a model without experts")
            elif config.experts.routed % self.expert:
                found.append(f"expert={self.expert} must divide the routed experts, {config.experts.routed}")
            if self.data % self.expert:
                found.append(f"expert={self.expert} must divide data={self.data}, within which it lies")
        return found

    def _widths(self, config: Config) -> list[str]:
        """What else tensor parallelism splits: heads of keys and values, which it may copy instead, and hidden widths."""
        t, heads = self.tensor, config.kv_heads
        found = []
        if not config.latent and heads % t and t % heads:
            found.append(f"tensor={t} must divide the key-value heads, {heads}, or be a multiple of them")
        if config.moe_layers < config.layers and config.d_hidden % t:
            found.append(f"tensor={t} must divide the width of the feed-forward block, {config.d_hidden}")
        if config.experts and config.experts.d_hidden % t:
            found.append(f"tensor={t} must divide the width of the experts, {config.experts.d_hidden}")
        return found

    def _tokens(self, sequence: int) -> list[str]:
        if sequence % self.context:
            return [f"context={self.context} must divide sequence={sequence}"]
        if self.sequence_parallel and sequence // self.context % self.tensor:
            return [f"tensor={self.tensor} must divide the {sequence // self.context} tokens of a device for sequence_parallel"]  # fmt: skip
        return []

    def _batch(self, global_batch: int) -> list[str]:
        if global_batch % (self.data * self.micro_batch):
            return [
                f"data={self.data} times micro_batch={self.micro_batch} must divide global_batch={global_batch} sequences"
            ]
        wrong = kinds.misfit(kinds.find(self.schedule_name), self.pipeline, self.micro_batches(global_batch))
        return [wrong] if wrong and not (self.schedule_name == "dualpipe" and self.pipeline % 2) else []


def one_whole(name: str, value: Any, minimum: int = 1) -> int:
    """One whole number; an array is refused."""
    number = whole(name, value, minimum=minimum)
    if not isinstance(number, int):
        raise TypeError(f"{name} must be one whole number, got an array")
    return number


def check_layout(layout: object) -> Layout:
    """Return ``layout`` if it is a `Layout`; otherwise say what was given."""
    if isinstance(layout, Layout):
        return layout
    raise TypeError(f"layout must be a parallelism.Layout, got {layout!r}")


def checked_device(device: Any) -> Accelerator:
    """Return ``device`` if it is an accelerator, that of the catalogue by its name; otherwise say what was given."""
    if isinstance(device, (str, Accelerator)):
        return accelerator(device)
    raise TypeError(f"device must be a specs.Accelerator or the name of one, got {device!r}")
