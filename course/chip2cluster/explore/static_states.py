"""Which controls of an explorer can still be moved where there is no kernel, as in the book."""

from dataclasses import dataclass, field

ALL = None  # every option that the control offers


@dataclass(frozen=True)
class Strip:
    """What of an explorer travels, drawn beforehand.

    The reel is the control that a reader moves most; beside it stand those that the
    chapter's prose asks for. A declared subset keeps the story where all combinations
    would be too many. Whatever is not named here stands fixed, and the page says so.

    ``reel`` is the name of a control, all of whose options travel unless ``steps`` names some.
    ``beside`` maps the names of further controls to their options, or to `ALL`.
    """

    reel: str
    beside: dict = field(default_factory=dict)
    steps: tuple | None = ALL

    @property
    def options(self):
        """The options of every control that travels, by name."""
        return {self.reel: self.steps, **self.beside}
