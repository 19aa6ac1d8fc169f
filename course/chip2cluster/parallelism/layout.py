"""Layout of a training run: degrees of parallelism, and the rules that they must obey."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .._validate import choice, flag, one_whole, set_fields
from ..specs import Accelerator, accelerator
from ..transformer.config import check_config
from ..transformer.recomputation import RECOMPUTE
from .pipeline_schedules import find_schedule, schedule_problem, schedules

if TYPE_CHECKING:
    from .._typing import Recompute
    from ..transformer import Config

DEGREES = ("tensor", "pipeline", "data", "context", "expert", "chunks", "micro_batch")
ZERO_STAGES = (0, 1, 2, 3)


@dataclass(frozen=True)
class Layout:
    """Degrees of parallelism of a training run.

    Parameters
    ----------
    tensor : int
        Degree of tensor parallelism (TP): devices that shard the matrices of each layer, t.
    pipeline : int
        Degree of pipeline parallelism (PP): devices with different layers, p.
    data : int
        Degree of data parallelism (DP): replicas that process different sequences, d.
    context : int
        Degree of context parallelism (CP): devices that share each sequence, c.
    expert : int
        Degree of expert parallelism (EP): devices of a data-parallel group over which the experts are
        spread, e. They lie within ``data``: e is not a factor of the number of devices. Each expert is
        sharded over ``tensor`` too.
    chunks : int
        Chunks of layers on each device of an interleaved pipeline (virtual stages), v.
    zero_stage : {0, 1, 2, 3}
        ZeRO stage: state that the ``data * context`` devices with equal weights shard instead of
        replicating: nothing, optimizer states, gradients too, weights too (ZeRO-3, FSDP).
    sequence_parallel : bool
        Sequence parallelism (SP): whether norms and activations between the matrices are sharded over
        ``tensor``, too.
    recompute : {"none", "selective", "full"}
        Activation checkpointing, see `transformer.activation_memory_per_layer`.
    micro_batch : int
        Sequences that pass the pipeline together, b.
    schedule : str, optional
        Pipeline schedule, one of `schedules`; ``"1f1b"``, interleaved if there are chunks, when left out.

    Notes
    -----
    `problems` lists conflicts with a given model, batch or number of devices.
    Ignores layouts that differ from layer to layer, and HSDP (sharding within a part of the replicas). Source:
    Narayanan et al. 2021, arXiv:2104.04473 (t, p, d); Rajbhandari et al. 2020 (ZeRO); Llama Team 2024,
    arXiv:2407.21783, section 3.3 (c).

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
        """Validate the fields."""
        set_fields(self, one_whole, *DEGREES)
        set_fields(self, one_whole, "zero_stage", minimum=0)
        choice("zero_stage", self.zero_stage, ZERO_STAGES)
        flag("sequence_parallel", self.sequence_parallel)
        choice("recompute", self.recompute, RECOMPUTE)
        if self.schedule is not None:
            choice("schedule", self.schedule, schedules())

    @property
    def devices(self) -> int:
        """Number of devices: the product of tensor, pipeline, data and context."""
        return self.tensor * self.pipeline * self.data * self.context

    @property
    def replicas(self) -> int:
        """Devices with the same shard of the weights outside the experts: data times context."""
        return self.data * self.context

    @property
    def schedule_name(self) -> str:
        """Name of the pipeline schedule, default included."""
        return self.schedule or ("interleaved_1f1b" if self.chunks > 1 else "1f1b")

    def micro_batches(self, global_batch: int) -> int:
        """Return the micro-batches of a step, m: the gradient accumulation steps of one replica.

        Parameters
        ----------
        global_batch : int
            Sequences of a step.

        Returns
        -------
        int
            Micro-batches that pass each pipeline one after another.

        Raises
        ------
        ValueError
            If ``data * micro_batch`` does not divide the batch.

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
        """List the rules that the layout breaks; empty if it is legal.

        Parameters
        ----------
        config : transformer.Config or str
            Shape of the model, or the name of a published one.
        global_batch, sequence, devices : int, optional
            Sequences of a step, tokens of each, and available devices; rules about omitted ones are
            not checked.

        Returns
        -------
        tuple of str
            One sentence for each broken rule, with the value and what would be legal.

        Notes
        -----
        Does not cover memory and speed: see `memory` and `step_time`. Layers that the stages
        do not divide are legal: some have one more. Source: the checks of Megatron-LM and
        DeepSpeed, as arithmetic.

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
        found += self._model_problems(config)
        if sequence is not None:
            found += self._token_problems(one_whole("sequence", sequence))
        if global_batch is not None:
            found += self._batch_problems(one_whole("global_batch", global_batch))
        return tuple(found)

    def _model_problems(self, config: Config) -> list[str]:
        """List conflicts with the shape of the model."""
        found = []
        if not config.is_uniform:
            found.append("hybrid models are not laid out here: some layers have no attention or no feed-forward block")
        if config.heads % self.tensor:
            found.append(f"tensor={self.tensor} must divide the heads, {config.heads}")
        else:
            found += self._width_problems(config)
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

    def _width_problems(self, config: Config) -> list[str]:
        """List conflicts of tensor parallelism with key-value heads and hidden widths."""
        t, heads = self.tensor, config.kv_heads
        found = []
        if not config.latent and heads % t and t % heads:
            found.append(f"tensor={t} must divide the key-value heads, {heads}, or be a multiple of them")
        if config.moe_layers < config.layers and config.d_hidden % t:
            found.append(f"tensor={t} must divide the width of the feed-forward block, {config.d_hidden}")
        if config.experts and config.experts.d_hidden % t:
            found.append(f"tensor={t} must divide the width of the experts, {config.experts.d_hidden}")
        return found

    def _token_problems(self, sequence: int) -> list[str]:
        if sequence % self.context:
            return [f"context={self.context} must divide sequence={sequence}"]
        if self.sequence_parallel and sequence // self.context % self.tensor:
            return [f"tensor={self.tensor} must divide the {sequence // self.context} tokens of a device for sequence_parallel"]  # fmt: skip
        return []

    def _batch_problems(self, global_batch: int) -> list[str]:
        if global_batch % (self.data * self.micro_batch):
            return [
                f"data={self.data} times micro_batch={self.micro_batch} must divide global_batch={global_batch} sequences"
            ]
        wrong = schedule_problem(find_schedule(self.schedule_name), self.pipeline, self.micro_batches(global_batch))
        return [wrong] if wrong and not (self.schedule_name == "dualpipe" and self.pipeline % 2) else []


def check_layout(layout: object) -> Layout:
    """Return ``layout`` if it is a Layout; otherwise say what was given."""
    if isinstance(layout, Layout):
        return layout
    raise TypeError(f"layout must be a parallelism.Layout, got {layout!r}")


def check_device(device: Any) -> Accelerator:
    """Return ``device`` as an Accelerator, looked up in the catalogue if it is a name; otherwise say what was given."""
    if isinstance(device, (str, Accelerator)):
        return accelerator(device)
    raise TypeError(f"device must be a specs.Accelerator or the name of one, got {device!r}")
