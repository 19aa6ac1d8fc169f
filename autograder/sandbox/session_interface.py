"""Interface of the sandbox that a session uses."""

import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from .limits import Limits


class FunctionAnswers(Protocol):
    """Answers the calls of functions whose code must not be in the sandbox of a submission."""

    def prepare(self) -> None:
        """Get ready to reply, before the time of a call counts."""

    def reply(self, name: str, arguments: list[Any], keywords: dict[str, Any]) -> dict[str, Any]:
        """Return ``{"value": packed value}``, or ``{"raised": name of an exception}``; values are packed for messages."""


@dataclass(frozen=True)
class Channel:
    """Connection to an open sandbox.

    Attributes
    ----------
    control : socket
        Control socket of the warm interpreter.
    root_pid : int
        Process below which everything in the sandbox runs.
    interpreter_pid : int
        Process of the warm interpreter.
    user_id : int
        User id for the submission's processes, so that their limits count for this sandbox alone.
    isolated : bool
        Whether the kernel ends all processes of a submission together.
    limits : Limits
    working_folder : callable
        Returns the path, as the submission sees it, of the working folder with a given name.
    oom_kills : callable
        Returns how many processes of the sandbox the kernel has killed for lack of memory.
    """

    control: socket.socket
    root_pid: int
    interpreter_pid: int
    user_id: int
    isolated: bool
    limits: Limits
    working_folder: Callable[[str], Path]
    oom_kills: Callable[[], int]
