"""Parser of quantities with units: one meaning, or an error that lists the meanings.

The table below holds every accepted spelling. A spelling with two meanings ("TFLOPs",
"GMAC") is in it twice; an unknown one is looked up again without regard to case, only
to suggest corrections in the error message.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Context, Decimal
from functools import cache

Meaning = tuple[str, Decimal]  # base unit, and size of the spelled unit in it

_NUMBER = re.compile(r"([+-]?)((?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)(.*)", re.DOTALL)
_EXACT = Context(prec=40)  # independent of the decimal context of the caller

_LARGE = {"": 0, "k": 3, "K": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18, "Z": 21}
_SMALL = {"m": -3, "u": -6, "µ": -6, "μ": -6, "n": -9, "p": -12}  # µ is the micro sign, μ the Greek letter
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}

_DECIMAL = {prefix: Decimal(10) ** power for prefix, power in _LARGE.items()}
_DECIMAL_AND_BINARY = _DECIMAL | {prefix: Decimal(2**power) for prefix, power in _BINARY.items()}
_DECIMAL_AND_SMALL = _DECIMAL | {prefix: Decimal(1).scaleb(power) for prefix, power in _SMALL.items()}
_NONE = {"": Decimal(1)}

# base unit, size of the spelled unit in it, spellings, allowed prefixes
_SPELLINGS = (
    ("B", "1", ("B", "byte", "bytes", "Byte", "Bytes"), _DECIMAL_AND_BINARY),
    ("B", "0.125", ("b", "bit", "bits", "Bit", "Bits"), _DECIMAL_AND_BINARY),
    ("B/s", "1", ("B/s", "Bps", "byte/s", "bytes/s", "Byte/s", "Bytes/s"), _DECIMAL_AND_BINARY),
    ("B/s", "0.125", ("b/s", "bps", "bit/s", "bits/s", "Bit/s", "Bits/s"), _DECIMAL_AND_BINARY),
    ("FLOP", "1", ("FLOP", "FLOPs"), _DECIMAL),
    ("FLOP/s", "1", ("FLOP/s", "FLOPS", "FLOPs", "FLOPs/s"), _DECIMAL),
    ("OP", "1", ("OP", "OPs"), _DECIMAL),
    ("OP/s", "1", ("OP/s", "OPS", "OPs", "OPs/s"), _DECIMAL),
    ("FLOP/B", "1", ("FLOP/B", "FLOP/byte"), _NONE),
    ("s", "1", ("s", "sec"), _DECIMAL_AND_SMALL),
    ("s", "1", ("second", "seconds"), _NONE),
    ("s", "60", ("min", "minute", "minutes"), _NONE),
    ("s", "3600", ("h", "hr", "hrs", "hour", "hours"), _NONE),
    ("s", "86400", ("d", "day", "days"), _NONE),
    ("Hz", "1", ("Hz",), _DECIMAL),
    ("W", "1", ("W",), _DECIMAL_AND_SMALL),
    ("J", "1", ("J",), _DECIMAL_AND_SMALL),
    ("J", "3600", ("Wh",), _DECIMAL),
    # A multiply-add counts as two operations or as one: both are in use.
    ("FLOP", "2", ("MAC", "MACs"), _DECIMAL),
    ("FLOP", "1", ("MAC", "MACs"), _DECIMAL),
    ("FLOP/s", "2", ("MAC/s", "MACS"), _DECIMAL),
    ("FLOP/s", "1", ("MAC/s", "MACS"), _DECIMAL),
)
_BASES = tuple(dict.fromkeys(base for base, *_ in _SPELLINGS))
_EXAMPLES = {
    "B": "80 GB", "B/s": "300 GB/s", "FLOP": "2 TFLOP", "FLOP/s": "989 TFLOP/s", "OP": "2 TOP", "OP/s": "1979 TOP/s",
    "FLOP/B": "295 FLOP/B", "s": "2 µs", "Hz": "1.98 GHz", "W": "700 W", "J": "3 pJ",
}  # fmt: skip
_LONG_NAMES = {
    "byte": "B",
    "bytes": "B",
    "byte/s": "B/s",
    "bytes/s": "B/s",
    "FLOP/byte": "FLOP/B",
    "second": "s",
    "seconds": "s",
    "hertz": "Hz",
    "watt": "W",
    "watts": "W",
    "joule": "J",
    "joules": "J",
}


def parse(text: str, unit: str | None = None) -> float:
    """Parse a quantity such as ``"400 Gb/s"`` and return it in its base unit.

    Parameters
    ----------
    text : str
        Number and unit. B is a byte, b or bit an eighth of it; GB is 10**9
        and GiB 2**30 bytes; FLOPS is a rate, FLOP a count.
    unit : str, optional
        Required base unit: ``"B"``, ``"B/s"``, ``"s"``, ``"FLOP"``, ``"FLOP/s"``,
        ``"OP"``, ``"OP/s"``, ``"FLOP/B"``, ``"Hz"``, ``"W"`` or ``"J"``. Another
        dimension is rejected, and a spelling with two meanings is read as the one
        that fits. None requires a text with a single meaning.

    Returns
    -------
    float
        Value in the base unit: bytes, bytes/s, seconds, FLOP, FLOP/s ...

    Raises
    ------
    ValueError
        The unit is missing, unknown, ambiguous or of another dimension, or the
        number is negative, too large or has a comma; the message lists the meanings.

    Notes
    -----
    A wrong letter case is never corrected: "gbps" may mean bits or bytes, a factor
    of eight. Source: prefixes of the SI brochure (BIPM) and of IEC 80000-13.

    Examples
    --------
    >>> parse("400 Gb/s", "B/s") == parse("50 GB/s", "B/s") == 50e9
    True
    >>> parse("80 GB"), parse("80 GiB")
    (80000000000.0, 85899345920.0)
    >>> parse("50 G", "B/s")
    Traceback (most recent call last):
        ...
    ValueError: '50 G' is ambiguous: write 50 GB/s (5e+10 B/s) or 50 Gb/s (6.25e+09 B/s)
    """
    wanted = _base(unit)
    number, spelling = _split(text)
    matches = _table().get(spelling, ())
    fitting = [one for one in matches if wanted in (None, one[0])]
    if len(fitting) != 1:
        raise ValueError(_complaint(text, number, spelling, wanted, matches, fitting))
    try:
        value = float(_EXACT.multiply(_EXACT.create_decimal(number), fitting[0][1]))
    except ArithmeticError:
        value = float("inf")
    if value == float("inf"):
        raise ValueError(f"{text!r} is too large for a 64-bit float")
    return value


def _base(unit: str | None) -> str | None:
    if unit is None or unit in _BASES:
        return unit
    if not isinstance(unit, str):
        raise TypeError(f"unit must be text such as 'B/s' or None, got {unit!r}")
    if unit in _LONG_NAMES:
        return _LONG_NAMES[unit]
    raise ValueError(f"unit must be one of the base units {', '.join(_BASES)}, got {unit!r}")


def _split(text: str) -> tuple[str, str]:
    if not isinstance(text, str):
        raise TypeError(f"text must be a string such as '400 Gb/s', got {text!r}")
    stripped = text.strip()
    match = _NUMBER.fullmatch(stripped)
    if not match:
        raise ValueError(f"{text!r} must begin with a plain number, as in '400 Gb/s'")
    sign, number, rest = match.groups()
    if rest.startswith((",", "_", "'")):
        raise ValueError(f"{text!r} is ambiguous: {rest[0]!r} may group thousands or begin decimals; write 1000 or 1.0")
    if sign == "-":
        raise ValueError(f"{text!r} is negative; a quantity must be zero or more")
    spelling = re.sub(r"\s*(?:/|\sper\s)\s*", "/", rest.strip())
    return number, re.sub(r"/(sec|second)$", "/s", spelling)


@cache
def _table() -> dict[str, list[Meaning]]:
    table: dict[str, list[Meaning]] = {}
    for base, size, spellings, prefixes in _SPELLINGS:
        for prefix, factor in prefixes.items():
            for spelling in spellings:
                table.setdefault(prefix + spelling, []).append((base, Decimal(size) * factor))
    return table


def _complaint(
    text: str, number: str, spelling: str, wanted: str | None, matches: Sequence[Meaning], fitting: Sequence[Meaning]
) -> str:
    if fitting:
        meanings = [f"{_value(number, factor)} {base}" for base, factor in fitting]
        return f"{text!r} is ambiguous: it may mean {_join(meanings)}"
    if matches:
        return f"{text!r} is in {_join(sorted({base for base, _ in matches}))}, but {wanted} is asked for"
    candidates = _candidates(spelling, wanted)
    if not candidates:
        known = f"{wanted}, such as {_EXAMPLES[wanted]}" if wanted else f"one of {', '.join(_BASES)}"
        missing = f"has no unit: write {known}" if not spelling else f"has an unknown unit {spelling!r}: use {known}"
        return f"{text!r} {missing}"
    options: dict[Meaning, str] = {}  # the micro sign and the Greek letter are one reading
    for name in candidates:
        for base, factor in _table()[name]:
            if wanted in (None, base):
                options.setdefault((base, factor), f"{number} {name} ({_value(number, factor)} {base})")
    verdict = "is ambiguous" if len(options) > 1 else "is not a known spelling"
    return f"{text!r} {verdict}: write {_join(list(options.values()))}"


def _candidates(spelling: str, wanted: str | None) -> list[str]:
    """Return spellings that a bare prefix or a wrong letter case may mean."""
    table = _table()
    if spelling and spelling in _DECIMAL_AND_BINARY | _DECIMAL_AND_SMALL:
        symbols = ("B", "b", "B/s", "b/s", "FLOP", "FLOP/s", "s", "Hz", "W")
        spellings = [spelling + symbol for symbol in symbols]
        spellings += ["min"] if spelling == "m" else []
    else:
        spellings = [name for name in table if name.casefold() == spelling.casefold()]
    return [name for name in spellings if any(wanted in (None, base) for base, _ in table.get(name, ()))]


def _value(number: str, factor: Decimal) -> str:
    return f"{float(number) * float(factor):g}"


def _join(options: list[str]) -> str:
    return options[0] if len(options) == 1 else f"{', '.join(options[:-1])} or {options[-1]}"
