"""Where a stored number comes from, and how far to trust it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Source:
    """Where a value comes from.

    Attributes
    ----------
    citation : str
        Who says so, and where.
    as_of : str
        Year, or year and month, of that source; empty where a reader gave the value.
    confidence : str
        ``"confirmed"``: read in the vendor's own document or in two independent
        tables; ``"secondary"``: one good table; ``"memory"``: the vendor's figure
        as remembered, not read again; ``"low"``: sources disagree, or the figure
        rests on an assumption; ``"given"``: a reader's own (`specs.own`).
    note : str
        What a reader should know before using the value; often empty.
    """

    citation: str
    as_of: str
    confidence: str
    note: str = ""
