"""Measured energy of inference, by batch size, and of fine-tuning, by number of nodes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from ..provenance import Source
from .energy import joules_per_token
from .grid import stored

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True)
class AnswerEnergy:
    """Measured power and throughput of a served model; power of all devices, W, without host and cooling.

    ``mean_sequences`` is the mean number of sequences in a decode step.
    """

    model: str
    precision: str
    chip: str
    devices: int
    max_sequences: int
    mean_sequences: float
    mean_watts: float
    output_tokens_per_second: float
    median_seconds_between_tokens: float
    source: Source

    @property
    def joules_per_output_token(self) -> float:
        """Device energy per output token, prefill included, J."""
        return joules_per_token(self.mean_watts, self.output_tokens_per_second)


@dataclass(frozen=True)
class TuningEnergy:
    """Measured energy of one fine-tuning to the same loss, network included: J before (AC) and after (DC) the power supplies.

    ``network_watts_per_node_dc`` is 0 for a single node, which needs no network.
    """

    nodes: int
    devices: int
    seconds: float
    joules_ac: float
    joules_dc: float
    network_watts_per_node_dc: float
    source: Source

    @property
    def node_watts_dc(self) -> float:
        """Mean power of a node after its power supplies, without the network, W."""
        return self.joules_dc / self.seconds / self.nodes - self.network_watts_per_node_dc

    @property
    def node_joules_dc(self) -> float:
        """Energy of the nodes after their power supplies, without the network, J."""
        return self.nodes * self.node_watts_dc * self.seconds


def measured_answers(model: str | None = None) -> tuple[AnswerEnergy, ...]:
    """List measured power and throughput of served models, by sequences in a step.

    Parameters
    ----------
    model : str, optional
        Name of a model; None lists all.

    Returns
    -------
    tuple of AnswerEnergy
        Measurements, sorted by model, chip and sequences.

    Notes
    -----
    Selected rows of a large benchmark. Source: the ``source`` of each row.

    Examples
    --------
    >>> rows = measured_answers("Llama 3.1 70B")
    >>> [round(row.joules_per_output_token, 2) for row in (rows[0], rows[-1])]
    [3.76, 0.37]
    """
    known = dict.fromkeys(row.model for row in _answers())
    if model is not None and model not in known:
        raise ValueError(f"model must be one of {', '.join(map(repr, known))}, got {model!r}")
    return tuple(row for row in _answers() if model in (None, row.model))


def measured_tunings() -> tuple[TuningEnergy, ...]:
    """List the measured energy of MLPerf Llama 2 70B LoRA on 1, 8 and 64 nodes of eight H100.

    Returns
    -------
    tuple of TuningEnergy
        Measurements by number of nodes.

    Notes
    -----
    More nodes are faster and take more energy: they wait for each other, they need a network, and their larger
    batch needs more samples to reach the loss. The nodes had immersion cooling and no fans; the number of nodes is
    inferred from power and time. Source: the ``source`` of each row.

    Examples
    --------
    >>> one, *_, many = measured_tunings()
    >>> round(one.seconds / many.seconds, 1), round(many.node_joules_dc / one.node_joules_dc, 2)
    (13.8, 3.26)
    """
    return _tunings()


def tuning_table() -> DataFrame:
    """Tabulate `measured_tunings`: time and energy by number of nodes.

    Returns
    -------
    pandas.DataFrame
        One row per number of nodes; units are in the headers.

    Notes
    -----
    Source: same as `measured_tunings`.

    Examples
    --------
    >>> table = tuning_table()
    >>> table["nodes alone (kWh)"].tolist(), table["with the network (kWh)"].tolist()
    (['3.27', '4.21', '10.64'], ['3.27', '5.66', '12.73'])
    """
    import pandas  # imported here because the models do not need it

    rows = {
        one.nodes: (
            f"{one.seconds:,.0f}",
            f"{one.node_watts_dc / 1e3:.2f}",
            f"{one.network_watts_per_node_dc / 1e3:.2f}" if one.network_watts_per_node_dc else "none",
            f"{one.node_joules_dc / 3.6e6:.2f}",
            f"{one.joules_dc / 3.6e6:.2f}",
        )
        for one in measured_tunings()
    }
    header = [
        "time (s)",
        "node power (kW)",
        "network power per node (kW)",
        "nodes alone (kWh)",
        "with the network (kWh)",
    ]
    return pandas.DataFrame.from_dict(rows, orient="index", columns=header).rename_axis("nodes")


def _source(name: str) -> Source:
    return Source(**stored("measured_energy.json")["sources"][name])


@cache
def _answers() -> tuple[AnswerEnergy, ...]:
    source, names = _source("ml-energy"), tuple(AnswerEnergy.__dataclass_fields__)[:-2]
    return tuple(
        AnswerEnergy(
            **dict(zip(names, row[:-1], strict=True)), median_seconds_between_tokens=row[-1] / 1e3, source=source
        )
        for row in stored("measured_energy.json")["inference"]
    )


@cache
def _tunings() -> tuple[TuningEnergy, ...]:
    source, names = _source("mlperf-power"), tuple(TuningEnergy.__dataclass_fields__)[:-2]
    return tuple(
        TuningEnergy(**dict(zip(names, row[:5], strict=True)), network_watts_per_node_dc=1e3 * row[-1], source=source)
        for row in stored("measured_energy.json")["tuning"]
    )
