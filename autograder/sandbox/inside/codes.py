"""The words between a box and the grader: codes alone, since a sentence could carry a hidden input out."""

from enum import StrEnum

TEST = 1_000_000  # number of a test's own source among the cells, in the place of an error


class Isolation(StrEnum):
    """What keeps one submission of a warm interpreter from the next."""

    NAMESPACES = "namespaces"
    PRIVILEGES = "privileges"
    NONE = "none"


class Reply(StrEnum):
    """What came of one call, as a box tells it."""

    VALUE = "value"
    RAISED = "raised"
    UNWRITTEN = "unwritten"
    UNUSABLE = "unusable"
    PACKAGE = "package"
    MISSING = "missing"
    UNCALLABLE = "uncallable"
    ARITY = "arity"
