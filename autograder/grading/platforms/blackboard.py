"""Blackboard, not supported yet: use `--from folder` and `autograder export --format csv`."""

from .interface import Platform

PLATFORM = Platform(
    name="blackboard",
    label="Blackboard",
    is_learning_platform=True,
    roster=None,
    submissions=None,
    worksheet=None,
    export=None,
    feedback_zip=None,
)
