"""How a box can be made, and what a caller may ask for."""

from enum import StrEnum

from .inside.codes import Isolation


class SandboxUnavailable(RuntimeError):
    """Bubblewrap is missing or may not run here; the message says which and what to do."""


class Sandbox(StrEnum):
    """What a report says of the place where code ran."""

    BUBBLEWRAP = "bubblewrap"
    UNSANDBOXED = "unsandboxed"


class Kind(StrEnum):
    """How a box is made; a cold one is a new room for each notebook."""

    WARM = "bubblewrap"
    COLD = "bubblewrap-cold"
    SEATBELT = "sandbox-exec"
    UNSANDBOXED = "unsandboxed"


# By what a caller asks for: the kinds that may be taken, the strongest first.
LADDERS: dict[str, tuple[Kind, ...]] = {
    "auto": (Kind.WARM, Kind.COLD),
    "unsandboxed": (Kind.WARM, Kind.COLD, Kind.SEATBELT, Kind.UNSANDBOXED),
}
# The locked rooms. Of the others a report says that there was none.
ROOMS = (Kind.WARM, Kind.COLD)
ISOLATION = {
    Kind.WARM: Isolation.NAMESPACES,
    Kind.COLD: Isolation.PRIVILEGES,
    Kind.SEATBELT: Isolation.NONE,
    Kind.UNSANDBOXED: Isolation.NONE,
}
