"""Sources of wrong answers to an exercise: its mutants, and its known mistakes whose code needs nothing else."""

import ast
import builtins
import inspect
import symtable
import textwrap
from collections.abc import Iterator

from chip2cluster.exercise.model import Exercise, Mistake

IMPORTS = {"math": "import math", "np": "import numpy as np"}


def wrong_answers(exercise: Exercise) -> Iterator[tuple[str, str]]:
    """Yield the description of a mistake and the source of a function that makes it.

    Known mistakes are Python functions, not text, so those are left out that need other lines of their file.
    """
    if exercise.constants:  # a student's function gets personal values from `given`
        return
    for mistake in exercise.mistakes:
        if source := _source(exercise, mistake):
            yield mistake.name, source
    for mutant in exercise.mutants:
        if mutant.share < 1:
            yield mutant.verdict, mutant.source


def _source(exercise: Exercise, mistake: Mistake) -> str:
    """Return the code of a mistake under the name of the student's function, or an empty text if it needs more."""
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
        return ""  # its parameters are others
    head.body = body
    source = ast.unparse(ast.fix_missing_locations(head))
    needed = _free_names(source)
    if needed - set(IMPORTS) - set(dir(builtins)) - {exercise.function_name}:
        return ""
    return "\n".join([*(IMPORTS[name] for name in sorted(needed & set(IMPORTS))), source])


def _free_names(source: str) -> set[str]:
    """Return the names that a module uses without defining them."""
    tables, free = [symtable.symtable(source, "slip", "exec")], set()
    while tables:
        table = tables.pop()
        tables += table.get_children()
        free |= {one.get_name() for one in table.get_symbols() if one.is_global() and not one.is_assigned()}
    return free
