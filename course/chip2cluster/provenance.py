"""Source of a stored number, and its confidence."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Source:
    """Source of a value.

    Attributes
    ----------
    citation : str
        Author and document.
    as_of : str
        Year, or year and month, of the source; empty for a value given by the user.
    confidence : str
        Confidence: ``"confirmed"``: in the vendor's own document or in two independent
        tables; ``"secondary"``: in one good table; ``"memory"``: the vendor's figure
        from memory, not verified; ``"low"``: sources disagree, or the figure
        rests on an assumption; ``"given"``: given by the user (`specs.own`).
    note : str
        Caveat about the value; often empty.
    """

    citation: str
    as_of: str
    confidence: str
    note: str = ""
