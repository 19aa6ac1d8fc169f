"""What the notebook of a lab is called: ``lab_NN_topic.ipynb`` in the folder of the assignment ``NN_topic``.

In the tab bar that tells it from its chapter. The assignment's own name alone, as labs were called before and as
nbgrader users call theirs, is taken everywhere as well: in ``solutions/``, and in what is handed in.
"""

PREFIX = "lab_"


def notebook(assignment: str) -> str:
    """The name of a lab's notebook, without the suffix.

    >>> notebook("03_roofline"), other("lab_03_roofline"), other("03_roofline"), assignment("lab_03_roofline")
    ('lab_03_roofline', '03_roofline', 'lab_03_roofline', '03_roofline')
    """
    return f"{PREFIX}{assignment}"


def other(name: str) -> str:
    """The other name under which the same notebook may come."""
    return name.removeprefix(PREFIX) if name.startswith(PREFIX) else notebook(name)


def assignment(name: str) -> str:
    """The assignment that a notebook of either name belongs to."""
    return name.removeprefix(PREFIX)
