"""Published serving measurements compared with the bound of the same chips."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from statistics import median
from typing import TYPE_CHECKING, Any

from .. import specs
from .._validate import choice
from ..provenance import Source
from ..roofline import kernel_time
from ..transformer import Config, Experts, model
from .deployment import Deployment, deploy
from .replica_performance import decode_rate, largest_batch, throughput_bound, time_between_tokens, time_to_first_token

if TYPE_CHECKING:
    from pandas import DataFrame

QUANTITIES = ("throughput", "decode", "first_token", "between_tokens")
RATES = ("throughput", "decode")


@dataclass(frozen=True)
class ServingMeasurement:
    """A published measurement of serving.

    Attributes
    ----------
    quantity : {"throughput", "decode", "first_token", "between_tokens"}
        Output tokens/s of a replica with prompts included, the same of decoding alone, time to first token
        (TTFT) in seconds, and time per output token (TPOT) in seconds.
    value : float
        Measured value, tokens/s or seconds.
    printed_model : str
        Name of the model in the source.
    model : str
        Name of the model whose shape the bound uses.
    chip : str
        Name of the chip in the catalogue.
    devices : int
        Devices of the replica.
    precision : str
        Precision of weights and products.
    attention : str
        How attention is sharded, see `Deployment`.
    prompt, output, sequences : int or None
        Tokens per request, and concurrent sequences; None if the source does not say.
    source : Source
        Citation of the measurement.
    """

    quantity: str
    value: float
    printed_model: str
    model: str
    chip: str
    devices: int
    precision: str
    attention: Any
    prompt: int
    output: int | None
    sequences: int | None
    source: Source

    @cached_property
    def bound(self) -> float:
        """The same quantity at datasheet rates: no rate is higher, no time is shorter."""
        shape = _file()["shapes"].get(self.model, {})
        if "active_parameters" in shape:
            return self._bound_of_weights(shape["active_parameters"], shape.get("parameter_bytes"))
        deployment = served_deployment(self.model, self.chip, self.devices, self.precision, self.attention)
        if self.quantity == "throughput":
            return throughput_bound(deployment, self.prompt, self.output or 1, sequences=self.sequences)
        if self.quantity == "first_token":
            return time_to_first_token(deployment, self.prompt)
        if self.quantity == "decode":
            return decode_rate(deployment, self.prompt, largest_batch(deployment, self.prompt))
        return time_between_tokens(deployment, self.prompt, self.sequences or 1)

    @property
    def has_model_shape(self) -> bool:
        """Whether the bound uses the shape of the model, not its active parameters alone."""
        return "active_parameters" not in _file()["shapes"].get(self.model, {})

    @property
    def share(self) -> float:
        """Fraction of the bound that was reached, 0 to 1."""
        return self.value / self.bound if self.quantity in RATES else self.bound / self.value

    def _bound_of_weights(self, active: float, parameter_bytes: float | None) -> float:
        """Return the bound of active parameters alone: weights read once a step, and their products."""
        chip = specs.accelerator(self.chip)
        peak = self.devices * chip.peak_flops_dense(self.precision)
        size = parameter_bytes or specs.bytes_of(self.precision)
        one_step = kernel_time(2 * active, size * active, peak, self.devices * chip.memory_bandwidth)
        if self.quantity == "between_tokens":
            return one_step
        if self.quantity == "first_token":
            return max(one_step, 2 * active * self.prompt / peak)
        return (self.output or 1) * peak / (2 * active * (self.prompt + (self.output or 1) - 1))


def served_deployment(
    model_name: str, chip: str, devices: int, precision: str, attention: Any = "tensor"
) -> Deployment:
    """Deploy a model of the measurements on its chips; some of these models are not in `transformer.models`.

    Parameters
    ----------
    model_name : str
        Name of the model, as in `ServingMeasurement.model`.
    chip : str
        Name of a chip of the catalogue.
    devices : int
        Devices of the replica.
    precision : str
        Precision of weights and products.
    attention : {"tensor", "data"}
        How attention is sharded, see `Deployment`.

    Returns
    -------
    Deployment
        Replica at datasheet rates.

    Raises
    ------
    ValueError
        If only the active parameters of the model are known.

    Notes
    -----
    The cache takes 2 bytes per element, or 1 if the weights take less than 2. Source: the configuration of
    each model.

    Examples
    --------
    >>> served_deployment("Falcon 180B", "H100 SXM", 4, "fp8").config.layers
    80
    """
    shape = _file()["shapes"].get(model_name, {})
    if "active_parameters" in shape:
        raise ValueError(f"only the active parameters of {model_name} are known, not its shape")
    given = dict(shape.get("config", {}))
    if "experts" in given:
        given["experts"] = Experts(**given["experts"])
    config = Config(**given) if given else model(model_name).config
    cache_bytes = min(2.0, max(1.0, specs.bytes_of(precision)))  # four bits are used for weights only
    return deploy(config, chip, devices, precision, attention=attention, cache_bytes=cache_bytes)


def measured_rows(quantity: str | None = None) -> tuple[ServingMeasurement, ...]:
    """Return published measurements of serving.

    Parameters
    ----------
    quantity : {"throughput", "decode", "first_token", "between_tokens"}, optional
        Quantity to return; all when left out.

    Returns
    -------
    tuple of ServingMeasurement
        Measurements in the order of the data file.

    Notes
    -----
    Each row names its source and what is inferred. The fraction that it reaches is the efficiency that no
    bound contains: kernels, messages between chips, the scheduler, requests that do not fit
    together. Source: each row's ``source``.

    Examples
    --------
    >>> rows = measured_rows("first_token")
    >>> rows[0].printed_model, rows[0].value, round(rows[0].share, 2)
    ('GPT-J 6B', 0.007, 0.25)
    """
    if quantity is not None:
        choice("quantity", quantity, QUANTITIES)
    return tuple(row for row in _rows() if quantity in (None, row.quantity))


def measured_table() -> DataFrame:
    """Tabulate the fraction of the bound that published systems reached.

    Returns
    -------
    pandas.DataFrame
        One row for each quantity, chip and precision: number of measurements, and the smallest, median
        and largest fraction in percent.

    Notes
    -----
    Leaves out models of which only the active parameters are known: a bound without caches is
    loose. Source: see `measured_rows`.

    Examples
    --------
    >>> measured_table().loc[("first_token", "A100 SXM 80GB", "fp16"), "median (%)"]
    '53'
    """
    import pandas  # imported here because the models do not need it

    groups: dict[tuple[str, str, str], list[float]] = {}
    for row in filter(lambda row: row.has_model_shape, measured_rows()):
        groups.setdefault((row.quantity, row.chip, row.precision), []).append(100 * row.share)
    index = pandas.MultiIndex.from_tuples(groups, names=["quantity", "chip", "precision"])
    rows = [(len(shares), *(f"{find(shares):.0f}" for find in (min, median, max))) for shares in groups.values()]
    return pandas.DataFrame(rows, index=index, columns=["rows", "least (%)", "median (%)", "most (%)"])


@cache
def _file() -> dict[str, Any]:
    return json.loads((files("chip2cluster") / "data" / "serving.json").read_text(encoding="utf-8"))


@cache
def _rows() -> tuple[ServingMeasurement, ...]:
    found = []
    for group in _file()["groups"]:
        cited = _file()["sources"][group["source"]]
        source = Source(cited["citation"], cited["as_of"], cited["confidence"], cited.get("note", ""))
        kept = ("quantity", "printed_model", "model", "chip", "devices", "precision", "attention")
        for prompt, output, sequences, value in group["rows"]:
            row = {name: group[name] for name in kept}
            found.append(
                ServingMeasurement(**row, value=value, prompt=prompt, output=output, sequences=sequences, source=source)
            )
    return tuple(found)
