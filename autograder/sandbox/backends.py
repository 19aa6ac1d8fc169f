"""Backends of the sandbox, strongest first, and what each isolates."""

from enum import StrEnum

from .inside.reply_codes import Isolation


class SandboxUnavailable(RuntimeError):
    """Bubblewrap is missing or may not run on this machine; the message gives the reason and the remedy."""


class SandboxType(StrEnum):
    """Type of sandbox that reports and stored results name."""

    BUBBLEWRAP = "bubblewrap"
    UNSANDBOXED = "unsandboxed"


class Backend(StrEnum):
    """Mechanism that isolates student code; a cold sandbox starts a new interpreter for each notebook."""

    WARM = "bubblewrap"
    COLD = "bubblewrap-cold"
    SEATBELT = "sandbox-exec"
    UNSANDBOXED = "unsandboxed"


# Backends to try for each mode that a caller can request, strongest first.
FALLBACKS: dict[str, tuple[Backend, ...]] = {
    "auto": (Backend.WARM, Backend.COLD),
    "unsandboxed": (Backend.WARM, Backend.COLD, Backend.SEATBELT, Backend.UNSANDBOXED),
}
# Backends that isolate; reports call the others unsandboxed.
ISOLATED = (Backend.WARM, Backend.COLD)
ISOLATION = {
    Backend.WARM: Isolation.NAMESPACES,
    Backend.COLD: Isolation.PRIVILEGES,
    Backend.SEATBELT: Isolation.NONE,
    Backend.UNSANDBOXED: Isolation.NONE,
}
