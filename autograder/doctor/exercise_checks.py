"""Proof that every exercise marks as it says.

The stub scores 0, the reference full marks. Every named mistake, played as if it
were a student's answer, is called by its name, on the inputs that `check` shows
and on hidden ones, and earns its share of the points there, never everything.
Every mutant gets its stated share, its verdict and its message; no constant or
echoed input passes. Graded work cannot be looked up in a table of what `check` has
shown. All this holds on each draw of hidden inputs: who hands in again is asked
something else, and must not gain by it.
"""

from dataclasses import replace
from functools import cache

from chip2cluster.exercise.answers import agree, plain
from chip2cluster.exercise.verdict_codes import CORRECT, NOT_WRITTEN

from ..checking.judge import decide
from ..checking.outcome import Kind, Outcome, returned
from ..checking.run_locally import ask
from ..exercises import Unfair
from ..secret import student, student_seed
from .memorization import Draw, leaks

DRAWS = 20  # of hidden inputs, on which all is tried
SEEDS = range(1, DRAWS + 1)  # what each is drawn with
RATED = 4  # where answers are rated, which takes longer, and all that is hidden is the luck they are tried with


def examine(exercise, seeds=SEEDS):
    """Return a list of complaints about one exercise; an empty list is health.

    Parameters
    ----------
    exercise : Exercise
    seeds : iterable of int
        What the hidden inputs are drawn with that everything is tried on. A mistake that coincides with another is met
        under both names only if they are many.
    """
    # As it is for whoever runs this, since sources ask `given` for the constants.
    seeds = [*seeds][:RATED] if exercise.rate else [*seeds]
    own = _remembering(exercise.personal(exercise.given(student_seed(student(), exercise.numbers_of or exercise.id))))
    hidden = cache(own.cases)
    asked = cache(lambda seed: _drawn(exercise, seed) if exercise.constants else Draw({}, own, hidden(seed)))
    try:
        complaints = list(_untold(exercise, seeds, own, asked))
    except Unfair as problem:
        return [str(problem)]  # no cases, no verdicts
    if exercise.graded and not exercise.rate:
        complaints += leaks(exercise, seeds, asked)
    if not exercise.solution and not exercise.graded:
        complaints.append(f"{exercise.id}: has no solution to reveal")
    if len(exercise.mistakes) + len(exercise.mutants) < 3:
        complaints.append(f"{exercise.id}: has fewer than three wrong solutions, named mistakes counted")
    complaints += _misjudged(own, seeds, hidden)
    # Where many answers are right each of them is a constant, and copying it out is no short cut.
    return complaints if exercise.rate else complaints + list(_short_cuts(own, seeds, hidden))


def judge(exercise, function, seed):
    """The verdict on a function, asked in this process."""
    cases = exercise.cases(seed)
    # This module's own lambdas play the student, so they are not the package's answer.
    return decide(exercise, cases, ask(function, cases, (*exercise.allowed, __name__)))


def _misjudged(exercise, seeds, hidden):
    """Complaints about the reference and sources that do not get what they must, one for each."""
    wanted = [("the stub", exercise.stub, NOT_WRITTEN, 0, "")]
    if exercise.solution:
        wanted.append(("the solution", exercise.solution, CORRECT, 1, ""))
    wanted += [(f"mutant {one.source!r}", one.source, one.verdict, one.share, one.says) for one in exercise.mutants]
    tried = {"the reference": (None, CORRECT, exercise.points, "")}
    for label, source, verdict, share, says in wanted:
        namespace = {}
        exec(compile(source, f"<{exercise.id}: {label}>", "exec"), namespace)  # our own text, from the registry
        tried[label] = namespace[exercise.function_name], verdict, share * exercise.points, says
    for seed in seeds:
        cases = hidden(seed)
        for label, (function, verdict, points, says) in [*tried.items()]:
            outcomes = (
                ask(function, cases, exercise.allowed) if function else [*map(returned, map(exercise.expected, cases))]
            )
            judged = decide(exercise, cases, outcomes)
            if judged.verdict != verdict or abs(judged.score - points) > 1e-9 or says not in judged.message:
                yield (
                    f"{exercise.id}: {label} got {judged.verdict!r}, {judged.score:g} points, {judged.message!r} "
                    f"with seed {seed}; wanted {verdict!r}, {points:g} points, {says!r}"
                )
                del tried[label]


def _untold(exercise, seeds, own, asked):
    """Complaints about named mistakes that go unnamed when somebody makes them, one for each."""
    played = {where: _played(mine, cases) for where, mine, cases in _draws(exercise, seeds, own, asked)}
    for mistake in exercise.mistakes:
        title = f"{exercise.id}: the mistake {mistake.name!r}"
        names = set()
        for where, verdicts in played.items():
            verdict = verdicts[mistake.name]
            names.add(verdict.mistake)
            if verdict.correct:
                yield f"{title} earns all points {where}"
            elif abs(verdict.score - mistake.share * exercise.points) > 1e-6:
                yield f"{title} earns {verdict.score:g} points {where}, and its share is {mistake.share:g} of them"
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


def _draws(exercise, seeds, own, asked):
    """Where mistakes are played, in words; the exercise with some student's constants; the cases."""
    personal = _remembering(exercise.personal(exercise.given(0))) if exercise.constants else own
    yield "on the inputs that `check` shows", personal, personal.visible_cases
    for seed in seeds:
        _, mine, cases = asked(seed)
        yield f"with seed {seed}", mine, cases


def _drawn(exercise, seed):
    """What a student with other constants is asked, with a memory: what tells that it is fair tells the verdicts too."""
    given = exercise.given(seed)
    mine = _remembering(exercise.personal(given))
    return Draw(given, mine, mine.cases(seed))


def _played(exercise, cases):
    """The verdict on each mistake as a student's answer to these cases, by its name."""
    answers = {
        mistake.name: [Outcome(Kind.VALUE, exercise.mistaken(mistake, case)) for case in cases]
        for mistake in exercise.mistakes
    }
    return {name: decide(exercise, cases, outcomes) for name, outcomes in answers.items()}


def _remembering(exercise):
    """The exercise for one student. The judge asks reference and mistakes for each verdict; once is enough."""
    return replace(
        exercise,
        reference=_remembered(exercise.reference),
        mistakes=tuple(replace(mistake, wrong=_remembered(mistake.wrong)) for mistake in exercise.mistakes),
    )


def _remembered(function):
    """The function, asked once for each case; a case is known by its inputs, the very objects, which are kept for that."""
    answers = {}

    def remembered(**inputs):
        key = tuple(map(id, inputs.values()))
        if key not in answers:
            answers[key] = function(**inputs), inputs
        return answers[key][0]

    return remembered


def _short_cuts(exercise, seeds, hidden):
    """Complaints about constants and echoes that earn a point, one for each."""
    shown = exercise.visible_cases
    heart = exercise.groups[0].name
    answers = [(f"constant {value!r}", lambda _, value=value: value) for value in map(exercise.expected, shown)]
    answers += [(f"echo of {name}", lambda inputs, name=name: inputs[name]) for name in shown[0].inputs]
    for seed in seeds:
        cases = [case for case in hidden(seed) if case.group == heart]
        expected = [plain(exercise.expected(case)) for case in cases]
        for short_cut in [*answers]:
            label, answer = short_cut
            told = [returned(answer(case.inputs)).value for case in cases]
            if all(agree(value, right, exercise.tolerance) for value, right in zip(told, expected, strict=True)):
                yield f"{exercise.id}: {label} earns points with seed {seed}"
                answers.remove(short_cut)
