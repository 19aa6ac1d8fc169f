"""Prove the numbers in prose: every quantity in a Markdown cell is a claim.

A cell lists its claims in its metadata, ``{"295 FLOP/byte": EXPRESSION}``. An
expression is evaluated and must round to the printed digits; ``{"cite": "…"}``
names the publication of a figure that nothing can recompute, ``{"given": "…"}``
marks a premise.
"""

import math
import re

import chip2cluster

PREFIX = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18, "m": 1e-3, "µ": 1e-6, "n": 1e-9}
BASES = ("FLOP/s", "FLOP/byte", "FLOP", "B/s", "b/s", "T/s", "B", "OP/s", "Hz", "W", "s")
WORDS = {
    "%": 0.01,
    "times": 1.0,
    "tokens a second": 1.0,
    "tokens": 1.0,
    "tokens/s": 1.0,
    "days": 86400.0,
    "GPU-hours": 3600.0,
    "million GPU-hours": 3600e6,
    "operations": 1.0,
    "bytes": 1.0,
    "bits": 1.0,
    "warps": 1.0,
    "billion parameters": 1e9,
    "KiB": 2.0**10,
    "MiB": 2.0**20,
    "GiB": 2.0**30,
}
_UNITS = WORDS | {prefix + base: scale for prefix, scale in PREFIX.items() for base in BASES if prefix + base != "Es"}
_UNIT = "|".join(re.escape(unit) for unit in sorted(_UNITS, key=len, reverse=True))
_NUMBER = r"\d[\d,]*(?:\.\d+)?"
QUANTITY = re.compile(rf"(?<![\w.^])({_NUMBER})[  ]?({_UNIT})(?![\w/])")
_NOT_PROSE = re.compile(r"```.*?```|`[^`]*`|\$\$.*?\$\$|\$[^$\n]*\$|\]\([^)]*\)", re.S)
NAMES = {"chip2cluster": chip2cluster, "math": math} | {
    name: getattr(chip2cluster, name) for name in chip2cluster.__all__
}


def uncovered(cell):
    """Quantities with units in a Markdown cell that no claim covers."""
    text = _NOT_PROSE.sub(lambda match: " " * len(match.group()), "".join(cell["source"]))
    for claim in cell["metadata"].get("claims", {}):
        text = text.replace(claim, " " * len(claim))
    return [match.group() for match in QUANTITY.finditer(text)]


def problems(cell):
    """What is wrong with the claims of a cell, in words."""
    text = "".join(cell["source"])
    wrong = [f"no claim covers {quantity!r}" for quantity in uncovered(cell)]
    for claim, proof in cell["metadata"].get("claims", {}).items():
        if claim not in text:
            wrong.append(f"the cell does not say {claim!r}")
        elif isinstance(proof, dict):
            if not any(proof.get(kind) for kind in ("cite", "given")):
                wrong.append(f"{claim!r} needs a citation or must say that it is given")
        else:
            wrong += _disagreement(claim, proof)
    return wrong


def _disagreement(claim, expression):
    number, scale = printed(claim)
    value = float(eval(expression, dict(NAMES)))  # the project's own metadata
    digits = number.replace(",", "")
    half_of_last_digit = 0.5 * 10.0 ** -len(digits.partition(".")[2])
    if abs(value / scale - float(digits)) > half_of_last_digit * (1 + 1e-9):
        return [f"{claim!r}, but {expression} gives {value / scale:g}"]
    return []


def printed(claim):
    """The number printed in a claim, as text, and the factor of its unit."""
    if match := QUANTITY.search(claim):
        return match.group(1), _UNITS[match.group(2)]
    return re.search(_NUMBER, claim).group(), 1.0
