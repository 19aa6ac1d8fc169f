"""Expected times: one law a kind, frozen constants, and an interval that holds 80 % of unseen rows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from . import constants
from .keys import KEYS, resolve, split
from .laws import LAWS

if TYPE_CHECKING:
    from ..._typing import FloatOrArray

MODELS = {kind: any(key.name == "model" for key in keys) for kind, keys in KEYS.items()}
SCALARS = SimpleNamespace(maximum=max, minimum=min, sqrt=math.sqrt, log2=math.log2, ceil=math.ceil)


@dataclass(frozen=True)
class Expected:
    """Expected time of one question.

    Attributes
    ----------
    seconds : float or array
        Expected time; half of the measurements are shorter.
    low, high : float or array
        10th and 90th percentile, seconds.
    bound : float or array
        Time at datasheet rates, seconds; nothing is faster, unless its data stay in a cache.
    basis : str
        ``"chip"`` if the constants were fitted to rows of the chip, ``"family"`` or ``"all chips"`` if they are those
        of its relatives; the interval is wider then.
    known_model : bool
        False if no row of the fit has a model of this shape; the interval is wider then. True for kinds without models.
    """

    seconds: FloatOrArray
    low: FloatOrArray
    high: FloatOrArray
    bound: FloatOrArray
    basis: str
    known_model: bool = True


def expected(kind: str, given: Mapping[str, Any] | None = None, **more: Any) -> Expected:
    """Expected time of a kernel, a collective or a step, with its interval and its bound.

    Parameters
    ----------
    kind : str
        Kind, such as ``"gemm"``; ``"attention"`` takes ``phase="prefill"`` or ``"decode"``.
    given : mapping, optional
        Inputs by name, see `expected_keys`; numbers can be arrays, which are broadcast.
    **more : float, str or array
        Further inputs by name.

    Returns
    -------
    Expected
        Seconds, interval, bound, and the basis of the constants.

    Notes
    -----
    Each law is a fixed time plus a bound over an efficiency; the constants of a chip were fitted to few published
    rows and are frozen. ``"nccl"`` with ``nodes`` and ``network_per_node`` is ``"nccl_nodes"``: an all-reduce of 64 MiB
    or more; shorter messages and other collectives over nodes are refused, for lack of measurements. Ignores thermal limits and other work on the chip. Source: ``data/expected_times.json``.

    Examples
    --------
    >>> found = expected("gemm", chip="H100 SXM", precision="bf16", m=1, n=8192, k=8192)
    >>> found.bound <= found.low <= found.seconds <= found.high, found.basis
    (True, 'chip')
    """
    kind, text, numbers, arrays = _question(kind, given, more)
    known, choice = _known(kind, text)
    seconds, bound = _evaluate(kind, known, numbers, arrays)
    op = SCALARS
    if arrays:
        op = _arrays()
        bound = op.broadcast_to(bound, op.shape(seconds))
    low = op.maximum(seconds * choice.low, bound)
    return Expected(seconds, low, seconds * choice.high, bound, choice.basis, choice.known_model)


def expected_seconds(kind: str, given: Mapping[str, Any] | None = None, **more: Any) -> FloatOrArray:
    """Expected time of a kernel, a collective or a step.

    Parameters
    ----------
    kind : str
        Kind, such as ``"gemm"``; ``"attention"`` takes ``phase="prefill"`` or ``"decode"``.
    given : mapping, optional
        Inputs by name, see `expected_keys`; numbers can be arrays, which are broadcast.
    **more : float, str or array
        Further inputs by name.

    Returns
    -------
    float or array
        Seconds, never below the bound.

    Notes
    -----
    Same limits and source as `expected`.

    Examples
    --------
    >>> seconds = expected_seconds("gemm", chip="H100 SXM", precision="bf16", m=1, n=256, k=256)
    >>> 2e-6 < seconds < 6e-6
    True
    """
    kind, text, numbers, arrays = _question(kind, given, more)
    return _evaluate(kind, _known(kind, text)[0], numbers, arrays)[0]


def expected_interval(
    kind: str, given: Mapping[str, Any] | None = None, **more: Any
) -> tuple[FloatOrArray, FloatOrArray]:
    """Interval of the time of a kernel, a collective or a step: 10th and 90th percentile.

    Parameters
    ----------
    kind : str
        Kind, such as ``"gemm"``; ``"attention"`` takes ``phase="prefill"`` or ``"decode"``.
    given : mapping, optional
        Inputs by name, see `expected_keys`; numbers can be arrays, which are broadcast.
    **more : float, str or array
        Further inputs by name.

    Returns
    -------
    tuple of float or array
        Low and high, seconds.

    Notes
    -----
    The factors are percentiles of measured over expected on rows left out of a fit, a configuration at a time. For a
    chip or a model without rows a chip or a model is left out, and the spread between them is added to the spread inside
    one. Same source as `expected`.

    Examples
    --------
    >>> low, high = expected_interval("nccl", chip="H100 SXM", collective="all_reduce", ranks=8, bytes=2**20)
    >>> low < high
    True
    """
    found = expected(kind, given, **more)
    return found.low, found.high


def _question(
    kind: str, given: Mapping[str, Any] | None, more: dict[str, Any]
) -> tuple[str, tuple[Any, ...], dict[str, Any], bool]:
    if given is None:
        given = more
    elif type(given) is not dict and not isinstance(given, Mapping):
        raise TypeError(f"given must be a mapping of inputs by name, got {given!r}")
    elif more:
        given = {**given, **more}
    if kind not in KEYS or (kind == "nccl" and "nodes" in given):
        kind, given = resolve(kind, given)
    return (kind, *split(kind, given))


def _known(kind: str, text: tuple[Any, ...]) -> tuple[dict[str, Any], constants.Choice]:
    """Return the numbers that the text of a question stands for; cached."""
    try:
        return _look_up(kind, text)
    except TypeError:
        for value in text:
            if getattr(value, "__hash__", None) is None:
                raise TypeError(f"{kind}: chip, model and other names are one text each, got {value!r}") from None
        raise


@lru_cache(4096)
def _look_up(kind: str, text: tuple[Any, ...]) -> tuple[dict[str, Any], constants.Choice]:
    choice = constants.choose(kind, text[0], text[1] if MODELS[kind] else None)
    return LAWS[kind].figures(text, choice.own, choice.shared), choice


def _evaluate(kind: str, known: dict[str, Any], numbers: dict[str, Any], arrays: bool) -> tuple[Any, Any]:
    numbers.update(known)
    if arrays:
        op = _arrays()
        seconds, bound = LAWS[kind].law(numbers, op)
        return op.maximum(seconds, bound), bound
    seconds, bound = LAWS[kind].law(numbers, SCALARS)
    return float(seconds if seconds > bound else bound), float(bound)


def _arrays() -> Any:
    import numpy as np

    return np
