"""Names of lab notebooks: ``lab_NN_topic.ipynb`` in the folder of the assignment ``NN_topic``.

The prefix distinguishes a lab from its chapter in the tab bar. The assignment's name alone, as labs were called before
and as nbgrader users call theirs, is accepted everywhere as well: in ``solutions/``, and in submissions.
"""

PREFIX = "lab_"


def notebook_name(assignment: str) -> str:
    """Return the name of a lab's notebook, without the suffix.

    >>> notebook_name("03_roofline"), other_name("lab_03_roofline"), other_name("03_roofline")
    ('lab_03_roofline', '03_roofline', 'lab_03_roofline')
    """
    return f"{PREFIX}{assignment}"


def other_name(name: str) -> str:
    """Return the other name that the same notebook may have."""
    return name.removeprefix(PREFIX) if name.startswith(PREFIX) else notebook_name(name)


def assignment_name(notebook: str) -> str:
    """Return the assignment of a notebook with either name.

    >>> assignment_name("lab_03_roofline"), assignment_name("03_roofline")
    ('03_roofline', '03_roofline')
    """
    return notebook.removeprefix(PREFIX)
