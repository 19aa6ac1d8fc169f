"""What a box is told to do with a notebook, and what came of it."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from chip2cluster.exercise.answers import Reason

from .inside import wire
from .inside.codes import Reply

MOST_NAME = 200  # letters


@dataclass(frozen=True)
class Cell:
    """Run this source."""

    source: str


@dataclass(frozen=True)
class Question:
    """Ask ``function``, as it is at this point of the notebook, about each of ``calls`` (lists of arguments).

    The sources in ``before`` run first. Where there is a ``test``, no function is asked:
    that source runs instead, and its one answer is the number that it ends with, True
    where it ends with none, or what it raised.
    """

    function: str
    calls: list[list[Any]]
    before: tuple[str, ...] = ()
    test: str = ""


class Ending(StrEnum):
    """How a cell ended."""

    OK = "ok"
    ERROR = "error"
    INTERRUPTED = "interrupted"
    KILLED = "killed"
    NOT_RUN = "not run"


@dataclass
class Ran:
    """What a cell gave; the outputs come from a place that must not be trusted."""

    ending: Ending
    outputs: list[Any] = field(default_factory=list)


class Silence(StrEnum):
    """Why there is no reply to a call; no box says these."""

    SLOW = "slow"
    DIED = "died"
    NEVER = "never"
    GARBLED = "garbled"
    BUDGET = "budget"


@dataclass(frozen=True)
class Answered:
    """What came of one call, from a place that must not be trusted.

    ``value`` is what the function returned, ``name`` the type or part of the package
    that the reply names, ``reason`` why the value can be no answer, ``line`` where in
    the notebook it happened, as (step, line).
    """

    code: Reply | Silence
    value: Any = None
    name: str = ""
    reason: Reason | None = None
    line: tuple[int, int] | None = None

    @classmethod
    def read(cls, message: dict[str, Any]) -> "Answered":
        """Take a box's message for what it may say.

        Raises
        ------
        autograder.sandbox.inside.wire.Malformed
            For anything else.
        """
        match message:
            case {"reply": Reply.VALUE, "value": value}:
                return cls(Reply.VALUE, wire.unpack_answer(value))
            case {"reply": Reply.RAISED, "type": str(name), "line": [int(step), int(line)]}:
                return cls(Reply.RAISED, name=name[:MOST_NAME], line=(step, line))
            case {"reply": Reply.RAISED, "type": str(name)}:
                return cls(Reply.RAISED, name=name[:MOST_NAME])
            case {"reply": Reply.UNUSABLE, "reason": str(reason), "type": str(name)} if reason in set(Reason):
                return cls(Reply.UNUSABLE, name=name[:MOST_NAME], reason=Reason(reason))
            case {"reply": Reply.UNUSABLE}:
                return cls(Reply.UNUSABLE)
            case {"reply": Reply.PACKAGE, "name": str(name)}:
                return cls(Reply.PACKAGE, name=name[:MOST_NAME])
            case {"reply": (Reply.UNWRITTEN | Reply.MISSING | Reply.UNCALLABLE | Reply.ARITY) as code}:
                return cls(Reply(code))
        raise wire.Malformed("a reply that is none")
