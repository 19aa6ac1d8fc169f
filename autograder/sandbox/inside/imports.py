"""An import at the top level of a cell that fails costs what uses it, not the rest of the cell."""

import ast
from collections.abc import Iterator
from typing import Any, NoReturn

# What `except` names is deleted after it: no name that a student would take.
_PROBLEM = "_import_problem"
_LOST = "__import__({module!r}, fromlist=['lost']).lost({problem})"


class Lost:
    """Stands under the name of a module that is not installed: whoever uses it hears so."""

    def __init__(self, problem: ModuleNotFoundError) -> None:
        self._problem = str(problem), problem.name

    def _raise(self) -> NoReturn:
        words, name = self._problem
        raise ModuleNotFoundError(words, name=name)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        self._raise()

    def __call__(self, *_: Any, **__: Any) -> Any:
        self._raise()


def lost(problem: ModuleNotFoundError) -> Lost:
    """Show what went wrong, as if the cell had ended with it, and give what stands in."""
    from .shell import Shell

    Shell.instance().goes_on(problem)
    return Lost(problem)


class Patient(ast.NodeTransformer):
    """Wraps each import that is a statement of its own; one inside of a ``try`` is left to it."""

    def visit_Module(self, node: ast.Module) -> ast.Module:
        node.body = [made for statement in node.body for made in self._wrapped(statement)]
        return ast.fix_missing_locations(node)

    def _wrapped(self, statement: ast.stmt) -> Iterator[ast.stmt]:
        if not isinstance(statement, ast.Import | ast.ImportFrom) or getattr(statement, "module", "") == "__future__":
            yield statement
            return
        for alias in statement.names:
            if isinstance(statement, ast.Import):
                one: ast.stmt = ast.Import([alias])
                name = alias.asname or alias.name.partition(".")[0]
            else:
                one = ast.ImportFrom(statement.module, [alias], statement.level)
                name = alias.asname or alias.name
            yield _patient(ast.copy_location(one, statement), "_" if name == "*" else name)


def _patient(statement: ast.stmt, name: str) -> ast.stmt:
    call = _LOST.format(module=__name__, problem=_PROBLEM)
    (made,) = ast.parse(f"try:\n    pass\nexcept ModuleNotFoundError as {_PROBLEM}:\n    {name} = {call}").body
    assert isinstance(made, ast.Try)
    made.body = [statement]
    # A traceback names the line of the import, whatever part of this fails.
    for node in ast.walk(made):
        if "lineno" in node._attributes:
            ast.copy_location(node, statement)
    return made
