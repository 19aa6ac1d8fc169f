"""Steps of a notebook that a sandbox runs, and their results."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from chip2cluster.exercise.answers import UnusableReason

from .inside import message_protocol
from .inside.reply_codes import ReplyCode

MOST_NAME = 200  # letters


@dataclass(frozen=True)
class CodeCell:
    """Code cell to run.

    Attributes
    ----------
    source : str
    defines : bool
        Whether the cell has definitions that others need: a reserve of time is kept for it.
    """

    source: str
    defines: bool = False


@dataclass(frozen=True)
class Query:
    """Calls of a function in the notebook's state at this point, or a test that runs there.

    Attributes
    ----------
    function : str
        Name of the function.
    calls : list of list
        Arguments of each call.
    before : tuple of str
        Sources that run first.
    corrected : tuple of str
        Names of functions that are answered by the grader's own process in place of the notebook, see
        `session_interface.FunctionAnswers`.
    test : str
        Source of a test that runs in place of the calls. Its one reply is the number that it ends with, True if it ends
        with none, or the exception that it raised.
    """

    function: str
    calls: list[list[Any]]
    before: tuple[str, ...] = ()
    test: str = ""
    corrected: tuple[str, ...] = ()


class CellStatus(StrEnum):
    """How a cell ended."""

    OK = "ok"
    ERROR = "error"
    INTERRUPTED = "interrupted"
    KILLED = "killed"
    NOT_RUN = "not run"


@dataclass
class CellResult:
    """Result of a cell. All but the status "interrupted" and worse comes from untrusted code.

    Attributes
    ----------
    status : CellStatus
    outputs : list
    refused : bool
        Whether the cell called a part of the package that graded work may not use.
    continued : bool
        Whether definitions below a line that failed were run.
    salvaged : bool
        Whether the cell has a syntax error, and its definitions that compile were run.
    """

    status: CellStatus
    outputs: list[Any] = field(default_factory=list)
    refused: bool = False
    continued: bool = False
    salvaged: bool = False


class NoReply(StrEnum):
    """Why a call has no reply; the grader sets these, the sandbox never sends them."""

    SLOW = "slow"
    DIED = "died"
    NEVER = "never"
    GARBLED = "garbled"
    BUDGET = "budget"


@dataclass(frozen=True)
class CallReply:
    """ReplyCode to one call, from untrusted code.

    Attributes
    ----------
    code : ReplyCode or NoReply
    value : object
        Value that the function returned.
    name : str
        Name of a type, or of a part of the package, that the reply contains.
    reason : UnusableReason or None
        Why the value cannot be an answer.
    line : tuple of int or None
        Position in the notebook where the exception was raised, as (step, line).
    """

    code: ReplyCode | NoReply
    value: Any = None
    name: str = ""
    reason: UnusableReason | None = None
    line: tuple[int, int] | None = None

    @classmethod
    def read(cls, message: dict[str, Any]) -> "CallReply":
        """Parse a message of the sandbox.

        Raises
        ------
        autograder.sandbox.inside.message_protocol.Malformed
            If the message is not a valid reply.
        """
        match message:
            case {"reply": ReplyCode.VALUE, "value": value}:
                return cls(ReplyCode.VALUE, message_protocol.unpack_answer(value))
            case {"reply": ReplyCode.RAISED, "type": str(name), "line": [int(step), int(line)]}:
                return cls(ReplyCode.RAISED, name=name[:MOST_NAME], line=(step, line))
            case {"reply": ReplyCode.RAISED, "type": str(name)}:
                return cls(ReplyCode.RAISED, name=name[:MOST_NAME])
            case {"reply": ReplyCode.UNUSABLE, "reason": str(reason), "type": str(name)} if reason in set(
                UnusableReason
            ):
                return cls(ReplyCode.UNUSABLE, name=name[:MOST_NAME], reason=UnusableReason(reason))
            case {"reply": ReplyCode.UNUSABLE}:
                return cls(ReplyCode.UNUSABLE)
            case {"reply": ReplyCode.PACKAGE, "name": str(name)}:
                return cls(ReplyCode.PACKAGE, name=name[:MOST_NAME])
            case {"reply": (ReplyCode.UNWRITTEN | ReplyCode.MISSING | ReplyCode.UNCALLABLE | ReplyCode.ARITY) as code}:
                return cls(ReplyCode(code))
        raise message_protocol.Malformed("an invalid reply")
