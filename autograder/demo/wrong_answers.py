"""Wrong answers as a student would hand them in: an exercise's mutants, and its named mistakes whose code stands alone."""

import ast
import builtins
import inspect
import symtable
import textwrap
from collections.abc import Iterator

from chip2cluster.exercise.model import Exercise, Mistake

IMPORTS = {"math": "import math", "np": "import numpy as np"}


def slips(exercise: Exercise) -> Iterator[tuple[str, str]]:
    """What is wrong, in words, and the source of a function that is wrong in that way.

    A named mistake is kept as Python, not as text: it is taken where its lines need nothing of the file around them.
    """
    if exercise.constants:  # the student's own function finds its numbers elsewhere
        return
    for mistake in exercise.mistakes:
        if source := _source(exercise, mistake):
            yield mistake.name, source
    for mutant in exercise.mutants:
        if mutant.share < 1:
            yield mutant.verdict, mutant.source


def _source(exercise: Exercise, mistake: Mistake) -> str:
    """A mistake's own code under the name of the student's function, or nothing."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(mistake.wrong)))
    except (OSError, TypeError, SyntaxError):
        return ""
    found = next((node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.Lambda))), None)
    if isinstance(found, ast.Lambda):
        body: list[ast.stmt] = [ast.Return(found.body)]
    elif isinstance(found, ast.FunctionDef) and not found.decorator_list:
        body = found.body
    else:
        return ""
    head = ast.parse(exercise.stub).body[0]
    assert isinstance(head, ast.FunctionDef)
    names = [argument.arg for argument in (*found.args.posonlyargs, *found.args.args, *found.args.kwonlyargs)]
    if names != [argument.arg for argument in head.args.args]:
        return ""  # it takes its inputs in another way
    head.body = body
    source = ast.unparse(ast.fix_missing_locations(head))
    needed = _free(source)
    if needed - set(IMPORTS) - set(dir(builtins)) - {exercise.function_name}:
        return ""
    return "\n".join([*(IMPORTS[name] for name in sorted(needed & set(IMPORTS))), source])


def _free(source: str) -> set[str]:
    """Names that a module takes for granted."""
    tables, free = [symtable.symtable(source, "slip", "exec")], set()
    while tables:
        table = tables.pop()
        tables += table.get_children()
        free |= {one.get_name() for one in table.get_symbols() if one.is_global() and not one.is_assigned()}
    return free
