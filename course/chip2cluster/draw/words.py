"""How amounts are written in a picture."""

from ..units import show


def amount(size):
    """A round number of bytes without needless zeros.

    >>> amount(500), amount(5e3), amount(2e7)
    ('500 bytes', '5 kB', '20 MB')
    """
    if size < 1000:
        return f"{size:g} bytes"
    text = show(size, "B")
    number, unit = text.split()
    return f"{float(number):g} {unit}"


def giga(rate):
    """A rate in GB/s with three digits, small ones with fewer zeros.

    >>> giga(450e9), giga(6.7246e9), giga(1.8e12), giga(29.6e6)
    ('450', '6.72', '1,800', '0.0296')
    """
    value = rate / 1e9
    return f"{value:,.0f}" if value >= 999.5 else f"{value:#.3g}".rstrip(".")


def binary(size):
    """A number of bytes that is a power of two, as benchmarks write it.

    >>> binary(512), binary(2**21), binary(2**34)
    ('512 bytes', '2 MiB', '16 GiB')
    """
    for unit in ("bytes", "KiB", "MiB"):
        if size < 1024:
            return f"{size:g} {unit}"
        size /= 1024
    return f"{size:g} GiB"
