"""Which controls of each explorer travel into the book, and with which of their options.

The reel is the control that a reader moves most; beside it stand those that the
chapter's prose asks for. A declared subset keeps the story where all combinations
would be too many. Whatever is not named here stands fixed, and the strip says so.
"""

from dataclasses import dataclass, field

from chip2cluster import explore

ALL = None  # every option that the control offers


@dataclass(frozen=True)
class Strip:
    """``reel`` is the name of a control, all of whose options travel unless ``steps`` names some.

    ``beside`` maps the names of further controls to their options, or to `ALL`.
    """

    reel: str
    beside: dict = field(default_factory=dict)
    steps: tuple | None = ALL

    @property
    def options(self):
        """The options of every control that travels, by name."""
        return {self.reel: self.steps, **self.beside}


DEVICES = ("A100 SXM 80GB", "H100 SXM", "B200", "MI300X", "MI355X", "TPU v5p")

STRIPS = {
    explore.Machine: Strip("message", {"system": ALL, "axis": ALL}),
    explore.Accelerators: Strip(
        "chip", {"precision": ("bf16", "fp8", "fp4", "int8", "fp64"), "across": ALL, "count": ALL}
    ),
    explore.Roofline: Strip("batch", {"device": DEVICES, "precision": ("bf16", "fp8", "fp4", "int8"), "group": ALL}),
    explore.Occupancy: Strip("threads", {"registers": ALL, "shared": (0, 57)}),
    explore.Systolic: Strip("cycle", {"rows_of_a": (1, 4, 16), "weights": ((4, 4), (5, 4), (8, 8)), "overlap": ALL}),
    explore.Links: Strip("message", {"node": ALL, "link": ALL, "bandwidth": (1, 2), "latency": (0.5, 1)}),
    explore.Ring: Strip("step", {"way": ALL, "ranks": ALL}),
    explore.Collectives: Strip("message", {"ranks": ALL, "adding": ALL}),
    explore.Bisection: Strip("size", {"topology": ALL, "oversubscription": ALL}),
    explore.Utilization: Strip(
        "micro_batches", {"recompute": ALL, "communication": (0.0, 1.32, 4.0, 12.0), "loader": (60, 100, 120, 200, 500)}
    ),
}


def strip_of(explorer):
    """The declaration for an explorer; a subclass shares that of its base."""
    for kind in type(explorer).__mro__:
        if kind in STRIPS:
            return STRIPS[kind]
    raise LookupError(f"no filmstrip is declared for {type(explorer).__name__}; declare one in {__name__}")
