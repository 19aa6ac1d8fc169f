"""Points for one exercise, as the last value of an nbgrader test cell."""

from ..ask import ask
from ..judge import decide
from ..secret import seed_for
from ..student.given import own


def award(id, function):
    """Judge ``function`` on hidden cases and return its points.

    Parameters
    ----------
    id : str
        Id of the exercise.
    function : callable
        The student's function.

    Returns
    -------
    float
        nbgrader reads the last value of a test cell as the points earned, which
        is how partial credit works there.

    Notes
    -----
    Prints the verdict and its message, without inputs or expected values. The
    cell must print nothing to stderr: nbgrader gives 0 for that.
    """
    found = own(id)
    cases = found.cases(seed_for(id))
    verdict = decide(found, cases, ask(function, cases, found.allowed), hidden=True)
    print(f"{verdict.verdict}: {verdict.message} ({verdict.score:g} of {verdict.max_score:g} points)")
    return verdict.score
