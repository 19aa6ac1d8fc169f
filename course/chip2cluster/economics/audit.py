"""Audit of a published energy or emission: numbers that can be recomputed, and a single factor that explains a gap."""

from __future__ import annotations

from dataclasses import dataclass, replace

from .._validate import one_positive
from .energy import JOULES_PER_KWH

TOLERANCE = 0.01  # relative gap that rounding of the factors explains
PUE_SEEN = 1.02, 1.9  # range of PUEs that facilities report


@dataclass(frozen=True, kw_only=True)
class Claim:
    """Published figures about the energy of a run; None for those that are not published.

    Parameters
    ----------
    device_seconds : float, optional
        Devices times time, device-seconds.
    mean_watts_per_device : float, optional
        Mean power of a device, W.
    pue : float, optional
        Power usage effectiveness (PUE), at least 1.
    grams_per_kwh : float, optional
        Carbon intensity of the grid, g of CO2 equivalent per kWh.
    it_joules, facility_joules : float, optional
        Energy before and after multiplication by the PUE, J. An energy without a stated scope counts as the second.
    carbon_kg : float, optional
        Emission, kg of CO2 equivalent.
    carbon_last_digit_kg, energy_last_digit_joules : float
        Value of one unit in the last published digit.

    Examples
    --------
    >>> claim = Claim(device_seconds=1720320 * 3600, mean_watts_per_device=400, pue=1.1, grams_per_kwh=385,
    ...               carbon_kg=291420)
    >>> round(claim.recomputed_carbon_kg)
    291422
    """

    device_seconds: float | None = None
    mean_watts_per_device: float | None = None
    pue: float | None = None
    grams_per_kwh: float | None = None
    it_joules: float | None = None
    facility_joules: float | None = None
    carbon_kg: float | None = None
    carbon_last_digit_kg: float = 0.0
    energy_last_digit_joules: float = 0.0

    def __post_init__(self) -> None:
        """Check and normalize the fields."""
        for name in self.__dataclass_fields__:
            value = getattr(self, name)
            if value is not None:
                allow_zero = name in ("grams_per_kwh", "carbon_kg") or "digit" in name
                one_positive(name, value, allow_zero=allow_zero)
        if self.pue is not None and self.pue < 1:
            raise ValueError(f"pue must be at least 1, because the facility includes its machines, got {self.pue!r}")

    @property
    def device_joules(self) -> float | None:
        """Energy of the devices: device-seconds times watts, J."""
        if self.device_seconds is None or self.mean_watts_per_device is None:
            return None
        return self.device_seconds * self.mean_watts_per_device

    @property
    def recomputed_facility_joules(self) -> float | None:
        """Facility energy from hours, watts and PUE, or from the IT energy, J; a missing PUE counts as 1."""
        below = self.it_joules if self.it_joules is not None else self.device_joules
        return None if below is None else below * (self.pue or 1.0)

    @property
    def recomputed_carbon_kg(self) -> float | None:
        """Carbon from the published energy, or from its factors, kg; None if a factor is missing."""
        energy = self.facility_joules if self.facility_joules is not None else self.recomputed_facility_joules
        if energy is None or self.grams_per_kwh is None:
            return None
        return energy / JOULES_PER_KWH * self.grams_per_kwh / 1e3

    def with_watts(self, watts: float) -> Claim:
        """Return the same claim with another mean power."""
        return replace(self, mean_watts_per_device=watts)


@dataclass(frozen=True)
class Check:
    """Comparison of one published number with the value recomputed from the others."""

    quantity: str
    printed: float
    recomputed: float
    tolerance: float

    @property
    def ratio(self) -> float:
        """Published over recomputed value."""
        return self.printed / self.recomputed if self.recomputed else (1.0 if not self.printed else float("inf"))

    @property
    def agrees(self) -> bool:
        """Whether the two agree within the tolerance."""
        return abs(self.ratio - 1) <= self.tolerance


@dataclass(frozen=True)
class Audit:
    """Result of an audit.

    Attributes
    ----------
    verdict : {"reproduces", "explained", "unexplained", "not disclosed"}
        Result as a code.
    checks : tuple of Check
        Comparisons that were possible.
    factor : str or None
        Single factor that explains the gap.
    implied : dict of str to float
        Values that missing or doubtful inputs would need, SI units and g/kWh.
    sentence : str
        Result as a sentence.
    """

    verdict: str
    checks: tuple[Check, ...]
    factor: str | None
    implied: dict[str, float]
    sentence: str


# Name, published over recomputed, and explanation. Factors of the PUE depend on the claim and come first.
_MISTAKES = (
    ("thousand", 1e3, "a factor of 1,000 was applied twice or omitted: kW for W, g for kg, MWh for kWh"),
    ("hours of a day", 24.0, "days were confused with hours"),
    ("devices of a node", 8.0, "nodes of eight devices were confused with devices"),
    ("joules of a kWh", 3.6, "MJ were confused with kWh"),
    ("carbon of CO2", 44 / 12, "carbon was confused with CO2"),
    ("pounds of a kg", 2.20462, "pounds were confused with kg"),
    ("half the power", 2.0, "half of the power was used for all of it, or a pair of chips was counted as one"),
    ("short tons", 1.10231, "short tons were confused with tonnes"),
)


def audit(claim: Claim, *, tolerance: float = TOLERANCE) -> Audit:
    """Recompute published figures, and find the single factor that explains a gap.

    Parameters
    ----------
    claim : Claim
        Published figures.
    tolerance : float
        Largest relative gap that counts as agreement, unless the last published digit allows a larger one.

    Returns
    -------
    Audit
        Verdict, comparisons, and the explaining factor.

    Notes
    -----
    A factor that explains a gap need not be its cause: it is the first thing to check. Products of two factors
    are not tried, because they explain nearly any gap. Source: energy is hours times watts times PUE, and carbon is
    energy times intensity.

    Examples
    --------
    >>> found = audit(Claim(facility_joules=1287e3 * 3.6e6, pue=1.1, grams_per_kwh=429, carbon_kg=502e3))
    >>> found.verdict, found.factor
    ('explained', 'PUE')
    """
    if not isinstance(claim, Claim):
        raise TypeError(f"claim must be an economics.Claim, got {claim!r}")
    least = one_positive("tolerance", tolerance)
    checks = _checks(claim, least)
    implied = _implied(claim)
    if not checks:
        return Audit("not disclosed", (), None, implied, _not_disclosed(implied))
    wrong = next((check for check in checks if not check.agrees), None)
    if wrong is None:
        words = " and ".join(check.quantity for check in checks)
        return Audit("reproduces", checks, None, implied, f"The published {words} follow from the other figures.")
    share = f"The published {wrong.quantity} is {wrong.ratio:.3g} times the value that follows from the other figures"
    if claim.pue is None and PUE_SEEN[0] < wrong.ratio < PUE_SEEN[1] and wrong.quantity != "energy before the PUE":
        implied = {"pue": wrong.ratio}
        return Audit("explained", checks, "PUE", implied, f"{share}: a PUE of {wrong.ratio:.2f} was not published.")
    name, story = _explain(wrong, claim.pue)
    if name is None:
        story = "no single factor explains it"
        if wrong.quantity == "carbon" and claim.grams_per_kwh:
            implied = {"grams_per_kwh": claim.grams_per_kwh * wrong.ratio}
            story += f", unless the grid has {implied['grams_per_kwh']:.0f} g/kWh"
        return Audit("unexplained", checks, None, implied, f"{share}, and {story}.")
    return Audit("explained", checks, name, implied, f"{share}: {story}.")


def _checks(claim: Claim, least: float) -> tuple[Check, ...]:
    found = []
    for quantity, printed, recomputed, digit in (
        ("energy before the PUE", claim.it_joules, claim.device_joules, claim.energy_last_digit_joules),
        (
            "energy",
            claim.facility_joules,
            claim.recomputed_facility_joules,
            claim.energy_last_digit_joules,
        ),
        ("carbon", claim.carbon_kg, claim.recomputed_carbon_kg, claim.carbon_last_digit_kg),
    ):
        if printed is not None and recomputed is not None:
            half = 0.5 * digit / printed if printed else 0.0
            found.append(Check(quantity, printed, recomputed, max(least, half)))
    return tuple(found)


def _explain(check: Check, pue: float | None) -> tuple[str | None, str]:
    """Return the factor nearest to the gap, if one is within the tolerance."""
    known = []
    if pue is not None and pue > 1:
        known.append(("PUE", 1 / pue, "the PUE was omitted, or divided out once too often"))
        known.append(("PUE", pue, "the PUE was applied twice"))
    for name, factor, story in _MISTAKES:
        known += [(name, factor, story), (name, 1 / factor, story)]
    name, factor, story = min(known, key=lambda one: abs(check.ratio / one[1] - 1))
    return (name, story) if abs(check.ratio / factor - 1) <= check.tolerance else (None, "")


def _implied(claim: Claim) -> dict[str, float]:
    """Return the values that unpublished inputs would need."""
    if claim.carbon_kg is None:
        return {}
    energy = claim.facility_joules
    if claim.grams_per_kwh is None:
        if energy is not None:
            return {"grams_per_kwh": 1e3 * claim.carbon_kg / (energy / JOULES_PER_KWH)}
        below = claim.it_joules if claim.it_joules is not None else claim.device_joules
        if below is None:
            return {}
        name = "pue_times_grams_per_kwh" if claim.pue is None else "grams_per_kwh"
        return {name: 1e3 * claim.carbon_kg / (below * (claim.pue or 1.0) / JOULES_PER_KWH)}
    if energy is None and claim.grams_per_kwh:
        needed = claim.carbon_kg * 1e3 / claim.grams_per_kwh * JOULES_PER_KWH
        if claim.device_joules is None and claim.it_joules is None:
            found = {"facility_joules": needed}
            if claim.device_seconds is not None:
                found["mean_watts_per_device"] = needed / (claim.pue or 1.0) / (claim.device_seconds or 1.0)
            return found
    return {}


def _not_disclosed(implied: dict[str, float]) -> str:
    if "pue_times_grams_per_kwh" in implied:
        return (
            f"Neither PUE nor intensity is published: only their product follows, "
            f"{implied['pue_times_grams_per_kwh']:.0f} g per kWh of the devices, which is not the intensity of a grid."
        )
    if implied:
        listed = ", ".join(f"{name.replace('_', ' ')} {value:.4g}" for name, value in implied.items())
        return f"Too little is published to check anything; it implies {listed}."
    return "Nothing can be recomputed: hours, power, PUE and intensity are not published."
