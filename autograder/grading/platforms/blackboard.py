"""Blackboard: no format of it is supported yet; a plain folder and nbgrader's CSV file stand in for its files."""

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
