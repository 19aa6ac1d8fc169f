"""Formats of amounts in pictures: bytes, rates, times."""

from ..units import show, significant

MINUTE, HOUR, DAY = 60.0, 3600.0, 86400.0


def amount(size: float) -> str:
    """A round number of bytes without needless zeros.

    >>> amount(500), amount(5e3), amount(2e7)
    ('500 bytes', '5 kB', '20 MB')
    """
    if size < 1000:
        return f"{size:g} bytes"
    text = show(size, "B")
    number, unit = text.split()
    return f"{float(number):g} {unit}"


def giga(rate: float) -> str:
    """A rate in GB/s with three digits, small ones with fewer zeros.

    >>> giga(450e9), giga(6.7246e9), giga(1.8e12), giga(29.6e6)
    ('450', '6.72', '1,800', '0.0296')
    """
    value = rate / 1e9
    return f"{value:,.0f}" if value >= 999.5 else f"{value:#.3g}".rstrip(".")


def tera(value: float, digits: int = 3) -> str:
    """A rate in units of 10**12, with thousands separators.

    >>> tera(4.5e15), tera(312e12), tera(2.039e12, 2)
    ('4,500', '312', '2.0')
    """
    text = significant(value / 1e12, digits)
    whole, point, rest = text.partition(".")
    return f"{int(whole):,}{point}{rest}"


def binary(size: float) -> str:
    """A number of bytes in binary units, as benchmarks and file systems write it.

    >>> binary(512), binary(2**21), binary(2**34), binary(1.5 * 2**40)
    ('512 bytes', '2 MiB', '16 GiB', '1.5 TiB')
    """
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if size < 1024:
            return f"{size:.4g} {unit}"
        size /= 1024
    return f"{size:.4g} TiB"


def span(seconds: float) -> str:
    """A time in the unit in which it is said.

    >>> span(90), span(1200), span(3.09 * 3600), span(86400 * 63.7), span(0.0153)
    ('90 s', '20 min', '3.1 h', '63.7 days', '15 ms')
    """
    for unit, name in ((DAY, "days"), (HOUR, "h"), (MINUTE, "min")):
        if seconds >= 2 * unit:
            number = seconds / unit
            whole = abs(number - round(number)) < 1e-6
            return f"{number:,.0f} {name}" if whole else f"{significant(number, 3 if number >= 10 else 2)} {name}"
    return show(seconds, "s", 2) if 0 < seconds < 1 else f"{significant(seconds, 2)} s"
