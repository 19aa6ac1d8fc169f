"""What is asked: a model to train on so many tokens, and what may be spent on it."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf, isnan
from typing import Any

from .. import transformer
from .._validate import one_positive
from ..parallelism.layout import one_whole as whole
from ..specs.precisions import precisions
from ..transformer import Config
from .prices import FailureRates, Prices, share_of

LIMITS = ("capital_dollars", "dollars", "watts", "deadline_seconds", "kg_co2")


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """A training to be done, its limits, and what is assumed of the world.

    Parameters
    ----------
    model : str or transformer.Config
        A published model by its name, or one's own shape.
    tokens : float
        To train on.
    global_batch : int
        Sequences of a step.
    sequence : int, optional
        Tokens of a sequence; as the published model was trained when left out.
    precision : str
        Of the products.
    capital_dollars, dollars : float
        Limits on what the machine costs, and on what the training costs: its share of the machine's
        write-off, and electricity.
    watts : float
        Limit on the power of the facility.
    deadline_seconds : float
        Limit on the expected time.
    kg_co2 : float
        Limit on the carbon of the power, by location, kg of CO2 equivalent.
    prices : Prices
    failures : FailureRates
    pue : float
        Of the facility, as in `economics.facility_energy`.
    grams_per_kwh : float
        Of the grid, as in `economics.carbon_by_location`.
    node_over_device : float
        Power of a node over that of its chips, as in `economics.node_energy`.
    mean_share_of_tdp : float
        What chips draw on average, over their thermal design power.
    watts_per_chip : float, optional
        Power of a chip, for those whose maker prints none; its sheet's otherwise.
    kernel_share : float, optional
        Share of the peak that the kernels reach: one's own measurement; `kernel_share` otherwise.
    domain_share, network_share, storage_share : float
        What messages reach of the payload rates of the domain and of the network beyond, and a job of the storage's
        rate: one's own measurements, congestion, others who write.
    causal : bool
        Whether kernels leave the masked half of attention out, as `parallelism.step_time` has it.

    Notes
    -----
    ``inf`` is no limit. The powers are illustrative: a DGX H100 is sold for 1.8 times the
    power of its chips, and measured means lie at 0.6 to 0.9 of the design power. Ignores that a
    larger batch may need more tokens.

    Examples
    --------
    >>> asked = Scenario(model="Llama 3 70B", tokens=15e12, global_batch=2048)
    >>> asked.sequence, round(asked.steps)
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
        self._find_model()
        self._set("tokens", one_positive("tokens", self.tokens))
        for name in ("sequence", "global_batch"):
            self._set(name, whole(name, getattr(self, name)))
        if not isinstance(self.precision, str) or self.precision.strip().lower() not in precisions():
            raise ValueError(f"precision must be one of {', '.join(precisions())}, got {self.precision!r}")
        self._set("precision", self.precision.strip().lower())
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
                raise ValueError("sequence must be given with a model of one's own, got None")
            self._set("_config", self.model)
        else:
            raise TypeError(f"model must be the name of a published model or a transformer.Config, got {self.model!r}")

    def _check_power(self) -> None:
        for name in ("pue", "node_over_device"):
            self._set(name, one_positive(name, getattr(self, name)))
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, for the whole holds the part, got {getattr(self, name)}")
        self._set("grams_per_kwh", one_positive("grams_per_kwh", self.grams_per_kwh, allow_zero=True))
        for name in ("mean_share_of_tdp", "domain_share", "network_share", "storage_share"):
            self._set(name, share_of(name, getattr(self, name)))
        if self.watts_per_chip is not None:
            self._set("watts_per_chip", one_positive("watts_per_chip", self.watts_per_chip))
        if self.kernel_share is not None:
            self._set("kernel_share", share_of("kernel_share", self.kernel_share))

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    @property
    def config(self) -> Config:
        """The shape of the model."""
        return self._config  # type: ignore[attr-defined]

    @property
    def tokens_per_step(self) -> int:
        """Tokens of a step."""
        return self.global_batch * self.sequence

    @property
    def steps(self) -> float:
        """Steps of the whole training; need not be whole."""
        return self.tokens / self.tokens_per_step


def check_scenario(scenario: object) -> Scenario:
    """Return ``scenario`` if it is a `Scenario`; otherwise say what was given."""
    if isinstance(scenario, Scenario):
        return scenario
    raise TypeError(f"scenario must be a capstone.Scenario, got {scenario!r}")


def _limit(name: str, value: Any) -> float:
    if isinstance(value, (int, float)) and not isinstance(value, bool) and not isnan(value) and value == inf:
        return inf
    return one_positive(name, value)
