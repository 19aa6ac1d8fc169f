"""The numbers of an exercise that each student gets different ones of."""

from ..exercises import exercise as find
from ..secret import student, student_seed


def given(id):
    """Return your own constants of an exercise, the same each time.

    Parameters
    ----------
    id : str
        Id of a personal exercise.

    Returns
    -------
    dict
        Numbers by name, in SI base units.

    Raises
    ------
    UnknownExercise, ValueError
        For an id that does not exist, and for an exercise that is the same for all.

    Notes
    -----
    Drawn for ``CHIP2CLUSTER_STUDENT``, or your name on JupyterHub, or your account's.
    """
    found = find(id)
    if found.constants is None:
        raise ValueError(f"{id} is the same for everybody; it has no numbers of your own")
    return found.given(student_seed(student(), found.id))


def own(id):
    """The exercise as it is for whoever works on this page."""
    found = find(id)
    return found.personal(given(id)) if found.constants else found
