"""Proof that every exercise marks as it says.

The stub scores 0, the reference scores full marks, every mutant gets its stated
share of the points, its verdict and its message, and no constant or echoed input
passes. Graded work cannot be looked up in a table of what `check` has shown.
"""

from .ask import ask
from .exercises import exercises
from .judge import decide
from .lookups import leaks
from .secret import student, student_seed
from .verdict import CORRECT, NOT_WRITTEN

SEEDS = (1, 2, 3)


def examine(exercise):
    """Return a list of complaints about one exercise; an empty list is health."""
    complaints = leaks(exercise) if exercise.graded else []
    if exercise.constants:
        # As it is for whoever runs this, since sources ask `given` for the constants.
        exercise = exercise.personal(exercise.given(student_seed(student(), exercise.id)))

    def expect(what, source, verdict, share, says=""):
        namespace = {}
        exec(compile(source, f"<{exercise.id}: {what}>", "exec"), namespace)  # our own text, from the registry
        function = namespace[exercise.function_name]
        for seed in SEEDS:
            found = judge(exercise, function, seed)
            if (
                found.verdict != verdict
                or abs(found.score - share * exercise.points) > 1e-9
                or says not in found.message
            ):
                complaints.append(
                    f"{exercise.id}: {what} got {found.verdict!r}, {found.score:g} points, {found.message!r}; "
                    f"wanted {verdict!r}, {share * exercise.points:g} points, {says!r}"
                )
                return

    expect("the stub", exercise.stub, NOT_WRITTEN, 0)
    if exercise.solution:
        expect("the solution", exercise.solution, CORRECT, 1)
    elif not exercise.graded:
        complaints.append(f"{exercise.id}: has no solution to reveal")
    for seed in SEEDS:
        cases = exercise.cases(seed)
        found = decide(exercise, cases, ask(exercise.reference, cases, ("chip2cluster", "autograder")))
        if found.verdict != CORRECT or found.score != exercise.points:
            complaints.append(f"{exercise.id}: the reference got {found.verdict!r} and {found.score:g} points")
    if len(exercise.mutants) < 3:
        complaints.append(f"{exercise.id}: has fewer than three mutants")
    for mutant in exercise.mutants:
        expect(f"mutant {mutant.source!r}", mutant.source, mutant.verdict, mutant.share, mutant.says)
    complaints += _short_cuts(exercise)
    return complaints


def judge(exercise, function, seed):
    """The verdict on a function, asked in this process."""
    cases = exercise.cases(seed)
    # This module's own lambdas play the student, so they are not the package's answer.
    return decide(exercise, cases, ask(function, cases, (*exercise.allowed, __name__)))


def _short_cuts(exercise):
    """Constants and echoes must not earn a point."""
    cases = exercise.cases(SEEDS[0])
    constants = [exercise.expected(case) for case in cases]
    functions = [(f"constant {value!r}", lambda *_, value=value: value) for value in constants]
    names = list(cases[0].inputs)
    functions += [(f"echo of {name}", lambda *args, at=at: args[at]) for at, name in enumerate(names)]
    return [
        f"{exercise.id}: {what} earns {found.score:g} points"
        for what, function in functions
        if (found := judge(exercise, function, SEEDS[1])).score
    ]


def examine_all():
    """Complaints about all exercises of the course."""
    return [complaint for exercise in exercises().values() for complaint in examine(exercise)]
