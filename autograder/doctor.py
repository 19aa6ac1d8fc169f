"""Proof that every exercise marks as it says.

The stub scores 0, the reference full marks. Every named mistake, played as if it
were a student's answer, is called by its name, on the inputs that `check` shows
and on hidden ones, and never earns everything. Every mutant gets its stated share
of the points, its verdict and its message; no constant or echoed input passes.
Graded work cannot be looked up in a table of what `check` has shown.
"""

from dataclasses import replace

from .answers import plain
from .ask import ask
from .judge import decide
from .lookups import leaks
from .outcome import Kind, Outcome
from .secret import student, student_seed
from .verdict import CORRECT, NOT_WRITTEN

SEEDS = (1, 2, 3)
HIDDEN = 20  # draws of hidden inputs on which each named mistake is played


class _Unanswered(Exception):
    """A mistake raised an error, or gave what no answer can be."""


def examine(exercise, hidden=HIDDEN):
    """Return a list of complaints about one exercise; an empty list is health.

    Parameters
    ----------
    exercise : Exercise
    hidden : int
        How many draws of hidden inputs the named mistakes must be told on.
    """
    try:
        complaints = list(_untold(exercise, hidden))
    except _Unanswered as problem:
        return [str(problem)]  # the judge asks every mistake, so that nothing more can be said
    if exercise.graded:
        complaints += leaks(exercise)
    # As it is for whoever runs this, since sources ask `given` for the constants.
    exercise = exercise.personal(exercise.given(student_seed(student(), exercise.id)))

    def expect(label, source, verdict, share, says=""):
        namespace = {}
        exec(compile(source, f"<{exercise.id}: {label}>", "exec"), namespace)  # our own text, from the registry
        function = namespace[exercise.function_name]
        for seed in SEEDS:
            judged = judge(exercise, function, seed)
            if (
                judged.verdict != verdict
                or abs(judged.score - share * exercise.points) > 1e-9
                or says not in judged.message
            ):
                complaints.append(
                    f"{exercise.id}: {label} got {judged.verdict!r}, {judged.score:g} points, {judged.message!r}; "
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
        judged = decide(exercise, cases, ask(exercise.reference, cases, ("chip2cluster", "autograder")))
        if judged.verdict != CORRECT or judged.score != exercise.points:
            complaints.append(f"{exercise.id}: the reference got {judged.verdict!r} and {judged.score:g} points")
    if len(exercise.mistakes) + len(exercise.mutants) < 3:
        complaints.append(f"{exercise.id}: has fewer than three wrong solutions, named mistakes counted")
    for mutant in exercise.mutants:
        expect(f"mutant {mutant.source!r}", mutant.source, mutant.verdict, mutant.share, mutant.says)
    complaints += _short_cuts(exercise)
    return complaints


def judge(exercise, function, seed):
    """The verdict on a function, asked in this process."""
    cases = exercise.cases(seed)
    # This module's own lambdas play the student, so they are not the package's answer.
    return decide(exercise, cases, ask(function, cases, (*exercise.allowed, __name__)))


def _untold(exercise, hidden):
    """Complaints about named mistakes that go unnamed when somebody makes them, one for each."""
    draws = {where: _played(mine, cases, where) for where, mine, cases in _draws(exercise, hidden)}
    for mistake in exercise.mistakes:
        title = f"{exercise.id}: the mistake {mistake.name!r}"
        names = set()
        for where, verdicts in draws.items():
            verdict = verdicts[mistake.name]
            names.add(verdict.mistake)
            if verdict.correct:
                yield f"{title} earns all points {where}"
            elif not verdict.mistake or verdict.mistake not in (mistake.name, mistake.coincides):
                yield f"{title} is told as {verdict.heading!r} {where}: {verdict.message}"
            else:
                continue
            break
        else:
            if mistake.name not in names:
                yield f"{title} is always told as {mistake.coincides!r}: one of the two is enough"
            elif mistake.coincides and mistake.coincides not in names:
                yield f"{title} always gets its own name: it does not coincide with {mistake.coincides!r}"


def _draws(exercise, hidden):
    """Where mistakes are played, in words; the exercise with some student's constants; the cases."""
    for seed in range(hidden + 1):
        personal = exercise.personal(exercise.given(seed))
        if seed:
            yield f"with seed {seed}", personal, personal.cases(seed)
        else:
            yield "on the inputs that `check` shows", personal, personal.visible_cases


def _played(exercise, cases, where):
    """The verdict on each mistake as a student's answer to these cases, by its name."""
    # The judge asks the reference and every mistake for each verdict; here one answer of theirs serves all.
    exercise = replace(
        exercise,
        reference=_remembered(exercise.reference),
        mistakes=tuple(replace(mistake, wrong=_remembered(mistake.wrong)) for mistake in exercise.mistakes),
    )
    answers = {}
    for mistake in exercise.mistakes:
        try:
            answers[mistake.name] = [Outcome(Kind.VALUE, plain(mistake.wrong(**case.inputs))) for case in cases]
        except Exception as problem:
            title = f"{exercise.id}: the mistake {mistake.name!r}"
            raise _Unanswered(f"{title} gives no plain answer {where}: {problem!r}") from problem
    return {name: decide(exercise, cases, outcomes) for name, outcomes in answers.items()}


def _remembered(function):
    """The function, asked once for each case; a case is known by its inputs, the very objects."""
    answers = {}

    def remembered(**inputs):
        key = tuple(map(id, inputs.values()))
        if key not in answers:
            answers[key] = function(**inputs)
        return answers[key]

    return remembered


def _short_cuts(exercise):
    """Constants and echoes must not earn a point."""
    cases = exercise.cases(SEEDS[0])
    constants = [exercise.expected(case) for case in cases]
    functions = [(f"constant {value!r}", lambda *_, value=value: value) for value in constants]
    names = list(cases[0].inputs)
    functions += [
        (f"echo of {name}", lambda *args, position=position: args[position]) for position, name in enumerate(names)
    ]
    return [
        f"{exercise.id}: {label} earns {judged.score:g} points"
        for label, function in functions
        if (judged := judge(exercise, function, SEEDS[1])).score
    ]
