"""Inputs of each kind of expected time: name, unit, default, as in the tables of measurements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from math import inf, isfinite
from typing import Any

REQUIRED = None
TEXT = "name"


@dataclass(frozen=True)
class Key:
    """One input of a kind.

    Attributes
    ----------
    name : str
        Name of the key.
    unit : str
        SI unit, ``"1"`` for a count, or ``"name"`` for text.
    default : str, float or None
        Value if the key is left out; None for a required key.
    smallest : float
        Least accepted number.
    """

    name: str
    unit: str = "1"
    default: Any = REQUIRED
    smallest: float = 1.0


CHIP, PRECISION = Key("chip", TEXT), Key("precision", TEXT)
_HEADS = (Key("heads"), Key("kv_heads"), Key("head_dim", default=128))
_CACHE = Key("cache_precision", TEXT, "bf16")

KEYS: dict[str, tuple[Key, ...]] = {
    "gemm": (CHIP, PRECISION, Key("m"), Key("n"), Key("k")),
    "attention_prefill": (
        CHIP, Key("precision", TEXT, "bf16"), _CACHE, Key("batch", default=1), Key("queries"),
        Key("cached", default=0, smallest=0), *_HEADS,
    ),
    "attention_decode": (
        CHIP, Key("precision", TEXT, "bf16"), _CACHE, Key("batch", default=1), Key("queries", default=1),
        Key("cached", smallest=0), *_HEADS,
    ),
    "nccl": (CHIP, Key("collective", TEXT), Key("ranks", smallest=2), Key("bytes", "byte", smallest=0)),
    "nccl_nodes": (
        CHIP, Key("collective", TEXT, "all_reduce"), Key("ranks", smallest=2), Key("nodes"),
        Key("network_per_node", "byte/s"), Key("bytes", "byte", smallest=0),
    ),
    "custom_all_reduce": (
        CHIP, Key("framework", TEXT, "vllm"), Key("launch", TEXT, "graph"), Key("ranks", smallest=2),
        Key("bytes", "byte", smallest=0),
    ),
    "experts": (
        CHIP, PRECISION, Key("tokens"), Key("d_model"), Key("expert_hidden"), Key("top_k"), Key("experts"),
        Key("expert_tp", default=1), Key("expert_parallel", default=1), Key("routing", TEXT, "balanced"),
    ),
    "expert_all_to_all": (
        CHIP, Key("mode", TEXT, "low latency"), Key("phase", TEXT, "dispatch"), Key("tokens_per_rank"), Key("d_model"),
        Key("top_k"), Key("experts"), Key("ranks", default=8, smallest=2), Key("nodes", default=1),
    ),
    "serving_step": (
        CHIP, Key("model", TEXT), PRECISION, Key("chips", default=1), Key("tp", default=0, smallest=0),
        Key("attention_dp", default=1), Key("expert_tp", default=0, smallest=0), Key("expert_parallel", default=1),
        Key("prompt_tokens", "token"), Key("output_tokens", "token"), Key("users"),
        Key("framework", TEXT, "trtllm"),
    ),
    "training_step": (
        CHIP, Key("model", TEXT), PRECISION, Key("chips", default=1), Key("global_batch"), Key("sequence", "token"),
        Key("recompute", TEXT, "none"),
    ),
}  # fmt: skip

# Columns of a table of measurements that describe a row, but do not change its expectation.
DESCRIPTIVE = frozenset(
    [
        "id",
        "checkpoint",
        "weights",
        "expert_weights",
        "version",
        "source_file",
        "measured_on",
        "origin",
        "kernel",
        "cycled_over_l2",
        "nccl",
        "library",
        "limit_watts",
        "config",
        "framework",
        "phase",
        "launch",
        "cluster",
    ]
)
# Inputs that no law of the kind has: accepted with the value that they assume, refused with any other.
ASSUMED = {"nodes": (1, "one NVLink or PCIe fabric; for several nodes use collectives.hierarchical_all_reduce_time, a bound"),
           "window": (0, "attention to all tokens; give a window as a shorter cache, cached=window")}  # fmt: skip
# A number that exceeds another has no meaning.
_HEADS_AT_MOST = (("kv_heads", "heads"),)
AT_MOST = {
    "attention_prefill": _HEADS_AT_MOST, "attention_decode": _HEADS_AT_MOST,
    "nccl_nodes": (("nodes", "ranks"),),
    "experts": (("top_k", "experts"), ("expert_parallel", "experts")), "expert_all_to_all": (("top_k", "experts"),),
    "serving_step": (("tp", "chips"), ("attention_dp", "chips"), ("expert_tp", "chips"), ("expert_parallel", "chips")),
}  # fmt: skip
AT_MOST["first_token"] = AT_MOST["serving_step"]
SPELLINGS = {"message_bytes": "bytes", "kernel_precision": "precision", "devices": "chips"}
COLLECTIVES = {"alltoall": "all_to_all"}
KEYS["first_token"] = KEYS["serving_step"]

_SPELLED = {
    kind: {key.name: key for key in keys}
    | {new: key for new, old in SPELLINGS.items() for key in keys if key.name == old}
    for kind, keys in KEYS.items()
}
# For each spelling of a key: its name, whether it is text, its least value. Tuples, because a call takes microseconds.
_FAST = {
    kind: {name: (key.name, key.unit == TEXT, key.smallest) for name, key in found.items()}
    for kind, found in _SPELLED.items()
}
_TEXT = {kind: tuple(key.name for key in keys if key.unit == TEXT) for kind, keys in KEYS.items()}
_NAMES = {kind: tuple(key.name for key in keys) for kind, keys in KEYS.items()}
_DEFAULTS = {kind: {k.name: k.default for k in keys if k.default is not None} for kind, keys in KEYS.items()}


def expected_keys(kind: str) -> tuple[Key, ...]:
    """List the inputs of a kind of expected time.

    Parameters
    ----------
    kind : str
        Kind, such as ``"gemm"`` or ``"serving_step"``.

    Returns
    -------
    tuple of Key
        Name, unit, default and least value of each input.

    Notes
    -----
    ``message_bytes`` is accepted for ``bytes`` and ``kernel_precision`` for ``precision``. Source: the columns of the
    tables of measurements.

    Examples
    --------
    >>> [key.name for key in expected_keys("nccl")]
    ['chip', 'collective', 'ranks', 'bytes']
    """
    return KEYS[check_kind(kind)]


def check_kind(kind: str) -> str:
    """Return a known kind, or raise with the list of kinds."""
    if not isinstance(kind, str) or kind not in KEYS:
        raise ValueError(f"kind must be one of {', '.join(KEYS)}, or attention with a phase; got {kind!r}")
    return kind


def resolve(kind: str, given: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """Return the kind and its inputs: ``attention`` with a phase is two kinds, ``nccl`` over several nodes is another."""
    if kind == "attention":
        if given.get("phase") not in ("prefill", "decode"):
            raise ValueError(f"attention needs phase, 'prefill' or 'decode', got {given.get('phase')!r}")
        return f"attention_{given['phase']}", {key: value for key, value in given.items() if key != "phase"}
    if kind == "nccl" and "nodes" in given:
        nodes = given["nodes"]
        if nodes is None or (isinstance(nodes, (int, float, str)) and nodes in ("", 1)):
            return kind, {key: value for key, value in given.items() if key not in ("nodes", "network_per_node")}
        return "nccl_nodes", given
    return check_kind(kind), given


def split(kind: str, given: Mapping[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any], bool]:
    """Split the inputs of a kind into text and numbers, both validated.

    Parameters
    ----------
    kind : str
        Kind, as in `KEYS`.
    given : mapping
        Inputs.

    Returns
    -------
    tuple of tuple, dict, bool
        Text values in the order of the keys; numbers by name; whether a number is an array.
    """
    known, numbers, arrays = _FAST[kind], _DEFAULTS[kind].copy(), False
    for name, value in given.items():
        if name not in known:
            if name in DESCRIPTIVE:
                continue
            if name in ASSUMED:
                _check_assumed(kind, name, value)
                continue
            near = get_close_matches(str(name), known, n=1)
            meant = f", did you mean {near[0]!r}?" if near else ";"
            raise ValueError(f"{kind} has no input {name!r}{meant} its inputs are {', '.join(_NAMES[kind])}")
        key, text, smallest = known[name]
        if text or ((type(value) is float or type(value) is int) and smallest <= value < inf):
            numbers[key] = value
        else:
            numbers[key], array = _number(name, _SPELLED[kind][name], value)
            arrays = arrays or array
    if len(numbers) < len(_NAMES[kind]):
        missing = [name for name in _NAMES[kind] if name not in numbers]
        raise ValueError(f"{kind} needs {', '.join(missing)}; its inputs are {', '.join(_NAMES[kind])}")
    for less, more in AT_MOST.get(kind, ()):
        beyond = numbers[less] > numbers[more]
        if beyond is True or (beyond is not False and beyond.any()):
            got = "" if arrays else f", got {less}={numbers[less]!r}, {more}={numbers[more]!r}"
            raise ValueError(f"{kind}: {less} must be at most {more}{got}")
    return tuple([numbers.pop(name) for name in _TEXT[kind]]), numbers, arrays


def _check_assumed(kind: str, name: str, value: Any) -> None:
    """Raise if an input that the law lacks differs from the value that the law assumes."""
    assumed, meaning = ASSUMED[name]
    if value not in (None, "", assumed):
        raise ValueError(f"{kind} has no input {name!r}: its law assumes {meaning}; got {name}={value!r}")


def _number(name: str, key: Key, value: Any) -> tuple[Any, bool]:
    """Return a number or an array of numbers, and whether it is an array."""
    import numpy as np

    if isinstance(value, (bool, str, bytes)) or value is None:
        raise TypeError(f"{name} must be a number ({key.unit}), got {value!r}")
    try:
        array = np.asarray(value)
        if array.dtype.kind not in "iuf":
            raise TypeError
        array = array.astype(float, copy=False)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be a number or an array of numbers ({key.unit}), got {value!r}") from None
    if array.size and not (array.min() >= key.smallest and isfinite(array.max())):
        raise ValueError(f"{name} must be finite and at least {key.smallest:g}, got {value!r}")
    return (array, True) if array.ndim else (float(array), False)
