"""The requirement: a model, its training tokens, and the limits on money, power, time and carbon."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf, isnan
from typing import Any

from .. import transformer
from .._validate import one_fraction, one_positive
from .._validate import one_whole as whole
from ..specs.precisions import precisions
from ..transformer import Config
from .prices import FailureRates, Prices

LIMITS = ("capital_dollars", "dollars", "watts", "deadline_seconds", "kg_co2")


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """A training run to be done, its limits, and the assumptions about prices, failures and the facility.

    Parameters
    ----------
    model : str or transformer.Config
        Name of a published model, or the shape of a custom one.
    tokens : float
        Number of training tokens.
    global_batch : int
        Number of sequences in a step.
    sequence : int, optional
        Tokens in a sequence; None uses the sequence length of the published model.
    precision : str
        Precision of the matrix products, for designs that name none.
    capital_dollars, dollars : float
        Limits on the price of the machine (capex), and on the cost of the training run: its share of the
        machine's depreciation plus electricity (opex).
    watts : float
        Limit on the power of the facility, watts.
    deadline_seconds : float
        Limit on the expected time, seconds.
    kg_co2 : float
        Limit on the location-based carbon of the electricity, kg of CO2 equivalent.
    prices : Prices
        Prices of chips, nodes, network, storage and electricity.
    failures : FailureRates
        Failure rates and repair times.
    pue : float
        Power usage effectiveness (PUE) of the facility, as in `economics.facility_energy`.
    grams_per_kwh : float
        Carbon intensity of the grid, as in `economics.carbon_by_location`.
    node_over_device : float
        Power of a node divided by that of its chips, as in `economics.node_energy`.
    mean_share_of_tdp : float
        Mean power of a chip divided by its thermal design power (TDP).
    watts_per_chip : float, optional
        Power of a chip whose vendor publishes none, watts; None uses the datasheet.
    kernel_share : float, optional
        Fraction of peak that the kernels reach, from your own measurement; None uses `kernel_share`.
    domain_share, network_share, storage_share : float
        Fractions of the payload bandwidth that the job gets in the domain, in the network and from the storage,
        from your own measurements; they stand for congestion and other users.
    causal : bool
        Whether kernels skip the masked half of attention, as in `parallelism.step_time`.

    Notes
    -----
    A limit of ``inf`` is no limit. The powers are illustrative: a DGX H100 is rated at 1.8 times the
    power of its chips, and measured means are 0.6 to 0.9 of TDP. Ignores that a larger batch may need more tokens.

    Examples
    --------
    >>> scenario = Scenario(model="Llama 3 70B", tokens=15e12, global_batch=2048)
    >>> scenario.sequence, round(scenario.steps)
    (8192, 894070)
    """

    model: str | Config
    tokens: float
    global_batch: int
    sequence: int | Any = None
    precision: str = "bf16"
    capital_dollars: float = inf
    dollars: float = inf
    watts: float = inf
    deadline_seconds: float = inf
    kg_co2: float = inf
    prices: Prices = field(default_factory=Prices)
    failures: FailureRates = field(default_factory=FailureRates)
    pue: float = 1.2
    grams_per_kwh: float = 400.0
    node_over_device: float = 1.6
    mean_share_of_tdp: float = 0.8
    watts_per_chip: float | None = None
    kernel_share: float | None = None
    domain_share: float = 1.0
    network_share: float = 1.0
    storage_share: float = 1.0
    causal: bool = False

    def __post_init__(self) -> None:
        """Check and normalize the fields."""
        self._find_model()
        self._set("tokens", one_positive("tokens", self.tokens))
        for name in ("sequence", "global_batch"):
            self._set(name, whole(name, getattr(self, name)))
        self._set("precision", check_precision(self.precision))
        for name in LIMITS:
            self._set(name, _limit(name, getattr(self, name)))
        for name, kind in (("prices", Prices), ("failures", FailureRates)):
            if not isinstance(getattr(self, name), kind):
                raise TypeError(f"{name} must be capstone.{kind.__name__}, got {getattr(self, name)!r}")
        self._check_power()

    def _find_model(self) -> None:
        if isinstance(self.model, str):
            published = transformer.model(self.model)
            self._set("model", published.name)
            self._set("sequence", published.sequence if self.sequence is None else self.sequence)
            self._set("_config", published.config)
        elif isinstance(self.model, Config):
            if self.sequence is None:
                raise ValueError("sequence must be given with a custom model, got None")
            self._set("_config", self.model)
        else:
            raise TypeError(f"model must be the name of a published model or a transformer.Config, got {self.model!r}")

    def _check_power(self) -> None:
        for name in ("pue", "node_over_device"):
            self._set(name, one_positive(name, getattr(self, name)))
            if getattr(self, name) < 1:
                raise ValueError(
                    f"{name} must be at least 1, because the whole includes the part, got {getattr(self, name)}"
                )
        self._set("grams_per_kwh", one_positive("grams_per_kwh", self.grams_per_kwh, allow_zero=True))
        for name in ("mean_share_of_tdp", "domain_share", "network_share", "storage_share"):
            self._set(name, one_fraction(name, getattr(self, name)))
        if self.watts_per_chip is not None:
            self._set("watts_per_chip", one_positive("watts_per_chip", self.watts_per_chip))
        if self.kernel_share is not None:
            self._set("kernel_share", one_fraction("kernel_share", self.kernel_share))

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    @property
    def config(self) -> Config:
        """Shape of the model."""
        return self._config  # type: ignore[attr-defined]

    @property
    def tokens_per_step(self) -> int:
        """Number of tokens in a step."""
        return self.global_batch * self.sequence

    @property
    def steps(self) -> float:
        """Number of steps of the training run; need not be whole."""
        return self.tokens / self.tokens_per_step


def check_precision(precision: object) -> str:
    """Return the name of a precision in lower case; raise ValueError if it is unknown."""
    if isinstance(precision, str) and precision.strip().lower() in precisions():
        return precision.strip().lower()
    raise ValueError(f"precision must be one of {', '.join(precisions())}, got {precision!r}")


def check_scenario(scenario: object) -> Scenario:
    """Return ``scenario`` if it is a `Scenario`; raise TypeError otherwise."""
    if isinstance(scenario, Scenario):
        return scenario
    raise TypeError(f"scenario must be a capstone.Scenario, got {scenario!r}")


def _limit(name: str, value: Any) -> float:
    if isinstance(value, (int, float)) and not isinstance(value, bool) and not isnan(value) and value == inf:
        return inf
    return one_positive(name, value)
