"""Brightspace: no format of it is supported yet; a plain folder and nbgrader's CSV file stand in for its files."""

from .interface import Platform

PLATFORM = Platform(
    name="brightspace",
    label="Brightspace",
    is_learning_platform=True,
    roster=None,
    submissions=None,
    worksheet=None,
    export=None,
    feedback_zip=None,
)
