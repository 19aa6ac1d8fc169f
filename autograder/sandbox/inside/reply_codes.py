"""Codes that the sandbox sends to the grader. A sentence could carry a hidden input out, so there are none."""

from enum import StrEnum

TEST = 1_000_000  # number of a test's own source among the cells, in the position of an error


class Isolation(StrEnum):
    """Mechanism that separates one submission of a warm interpreter from the next."""

    NAMESPACES = "namespaces"
    PRIVILEGES = "privileges"
    NONE = "none"


class ReplyCode(StrEnum):
    """Result of one call, as the sandbox reports it."""

    VALUE = "value"
    RAISED = "raised"
    UNWRITTEN = "unwritten"
    UNUSABLE = "unusable"
    PACKAGE = "package"
    MISSING = "missing"
    UNCALLABLE = "uncallable"
    ARITY = "arity"
