"""Read a number as people write it by hand: powers of ten, a decimal comma, and a unit other than the task's."""

import math
import re

_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_POWER = re.compile(r"\s*(?:[x×*·]\s*)?\b10\s*(?:\^|\*\*)\s*\(?\s*([+-]?\d+)\)?", re.I)
_RAISED = re.compile(r"10([⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺]+)")
_NUMBER = re.compile(r"([+-]?(?:\d[\d.,]*|\.\d+)(?:[eE][+-]?\d+)?)\s*(.*)", re.S)
_SPACED = re.compile(r"(?<![\d.,])\d{1,3}(?:[ '’\u00a0\u2009\u202f]\d{3})+(?!\d)")
_GROUPED = re.compile(r"[1-9]\d{0,2}(?:,\d{3}){2,}|[1-9]\d{0,2}(?:,\d{3})+\.\d*")
_GROUPED_BY_POINTS = re.compile(r"[1-9]\d{0,2}(?:\.\d{3}){2,}|[1-9]\d{0,2}(?:\.\d{3})+,\d*")

_PREFIXES = {"k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18}
_SMALL = {"m": 1e-3, "u": 1e-6, "µ": 1e-6, "μ": 1e-6, "n": 1e-9, "p": 1e-12}
_BINARY = {f"{letter}i": 1024.0**power for power, letter in enumerate("KMGTPE", 1)}
_WORDS = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
_PERCENT = ("%", "percent", "per cent", "pct")
_TIMES = {
    "s": 1, "sec": 1, "second": 1, "seconds": 1, "min": 60, "minute": 60, "minutes": 60,
    "millisecond": 1e-3, "milliseconds": 1e-3, "microsecond": 1e-6, "microseconds": 1e-6,
    "h": 3600, "hr": 3600, "hour": 3600, "hours": 3600, "d": 86400, "day": 86400, "days": 86400,
}  # fmt: skip
_BYTES = {"B": 1.0, "byte": 1.0, "bytes": 1.0, "Byte": 1.0, "Bytes": 1.0, "b": 0.125, "bit": 0.125, "bits": 0.125}
_FLOPS = ("FLOP", "FLOPs", "flop", "flops", "Flop", "Flops")
_DIMENSIONS = {**dict.fromkeys(("$", "dollar", "dollars", "USD"), "$"), "Hz": "Hz", "W": "W", "J": "J", "Wh": "Wh"}


def parse_number(text: str, unit: str) -> float | None:
    """Return a typed number in the task's unit; None if it cannot be read, or could be read in two ways.

    Parameters
    ----------
    text : str
        Number with or without a unit behind it.
    unit : str
        Unit of the task; empty for a ratio, which may be typed in percent.

    >>> parse_number("2.7 ms", "s"), parse_number("74.7%", ""), parse_number("56,25 kB", "bytes"), parse_number("1,200", "s")
    (0.0027, 0.747, 56250.0, None)
    """
    text = _RAISED.sub(lambda power: f"10^{power[1].translate(_SUPERSCRIPTS)}", text.replace("−", "-")).strip()
    text = text.lstrip("=≈~ ")
    if unit in ("$", "dollars"):
        text = text.removeprefix("$").lstrip()
    text = _SPACED.sub(lambda number: re.sub(r"\D", "", number[0]), text)
    text = _POWER.sub(r"e\1", text, count=1)
    found = _NUMBER.fullmatch(f"1{text}" if text.startswith("e") else text)
    number = _decimal(found[1]) if found else None
    factor = _factor(found[2].strip(), unit) if found else None
    if number is None or factor is None or not math.isfinite(number * factor):
        return None
    return number * factor if factor >= 1 else number / (1 / factor)


def _decimal(text: str) -> float | None:
    mantissa, exponent, power = re.fullmatch(r"([^eE]*)([eE]?)(.*)", text).groups()  # type: ignore[union-attr]
    sign, digits = ("-", mantissa[1:]) if mantissa[:1] == "-" else ("", mantissa.lstrip("+"))
    if _GROUPED.fullmatch(digits):
        digits = digits.replace(",", "")
    elif _GROUPED_BY_POINTS.fullmatch(digits):
        digits = digits.replace(".", "").replace(",", ".")
    elif re.fullmatch(r"\d+,\d+", digits) and not re.fullmatch(r"[1-9]\d{0,2},\d{3}", digits):
        digits = digits.replace(",", ".")  # "1,200" could be 1200 or 1.2, "0,200" and "1,20" cannot
    if "," in digits or digits.count(".") > 1:
        return None
    return float(f"{sign}{digits}{'e' * bool(exponent)}{power}")


def _factor(typed: str, unit: str) -> float | None:
    """Return what a number with the typed unit is multiplied by; None if the unit is not one of the task's kind."""
    if typed in ("", unit):
        return 1.0
    if typed in _WORDS and typed == unit.partition(" ")[0]:
        return 1.0  # "12.9 billion" for billions of parameters
    if unit == "times" and typed in ("x", "×", "-fold", "fold"):
        return 1.0
    if unit == "%":
        return 1.0 if typed in _PERCENT else None
    if not unit:
        return {**dict.fromkeys(_PERCENT, 0.01), "x": 1.0, "×": 1.0, "times": 1.0}.get(
            typed, _PREFIXES.get(typed) if typed != "K" else None
        ) or _WORDS.get(typed)
    wanted = _parse_unit(unit)
    for meant in (typed, re.sub(r"flops$", "FLOP/s", typed, flags=re.I), re.sub(r"ps$", "/s", typed)):
        got = _parse_unit(meant)
        if got and wanted and got[1] == wanted[1]:
            return got[0] / wanted[0]
    # Thousands and millions without the unit behind them.
    return _WORDS.get(typed) or (_PREFIXES.get(typed) if typed in ("k", "M") and wanted and wanted[0] == 1 else None)


def _parse_unit(unit: str) -> tuple[float, str] | None:
    """Return a unit's factor and its dimension, such as ``(1e9, "byte/s")`` for ``GB/s``."""
    factor, dimension = 1.0, []
    for place, part in enumerate(re.split(r"\s*/\s*|\s+(?:a|per)\s+", unit.strip())):
        if (known := _parse_factor_unit(part.strip())) is None:
            return None
        factor = factor / known[0] if place else known[0]
        dimension.append(known[1])
    return factor, "/".join(dimension)


def _parse_factor_unit(unit: str) -> tuple[float, str] | None:
    word, _, rest = unit.partition(" ")
    if rest and word in _WORDS | {"k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}:
        known = _parse_factor_unit(rest)
        return (_WORDS.get(word, _PREFIXES.get(word, 1.0)) * known[0], known[1]) if known else None
    if whole := _base_unit(unit):
        return whole
    for prefixes, most in ((_BINARY, 2), (_PREFIXES, 1), (_SMALL, 1)):
        base = _base_unit(unit[most:])
        if base and unit[:most] in prefixes and (prefixes is not _SMALL or base[1] in ("s", "J", "W")):
            return prefixes[unit[:most]] * base[0], base[1]
    # Anything that is counted, such as tokens; one or many.
    return (1.0, unit.lower().removesuffix("s")) if re.fullmatch(r"[A-Za-z][A-Za-z -]{2,}", unit) else None


def _base_unit(unit: str) -> tuple[float, str] | None:
    if unit in _TIMES:
        return float(_TIMES[unit]), "s"
    if unit in _BYTES:
        return _BYTES[unit], "byte"
    if unit in _FLOPS:
        return 1.0, "FLOP"
    return (1.0, _DIMENSIONS[unit]) if unit in _DIMENSIONS else None
