"""The learner's names while work is graded: they are there, and say nothing.

The grader asks the functions itself, from outside.
"""

_given = {}


def check(id, function):
    """Do nothing: the grader checks."""


def hint(id):
    """Do nothing."""


def reveal(id):
    """Do nothing."""


def progress(*_, **__):
    """Do nothing."""


def given(id):
    """The student's own constants, as the page shows them."""
    return dict(_given[id])
