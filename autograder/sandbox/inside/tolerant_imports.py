"""Tolerant imports: a failing import at the top level of a cell affects the code that uses it, not the rest of the cell."""

import ast
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

# ``except`` deletes its name afterwards, so this is a name that no student would choose.
_PROBLEM = "_import_problem"
_STAND_IN = "__import__({module!r}, fromlist=['missing_module']).missing_module({problem})"

_show_error: Callable[[Exception], None] | None = None


class MissingModule:
    """Stand-in for a module that is not installed; every use raises the import's error."""

    def __init__(self, problem: ModuleNotFoundError) -> None:
        self._problem = str(problem), problem.name

    def _raise(self) -> NoReturn:
        words, name = self._problem
        raise ModuleNotFoundError(words, name=name)

    def __getattr__(self, name: str) -> Any:
        """Raise the import's error."""
        if name.startswith("_"):
            raise AttributeError(name)
        self._raise()

    def __call__(self, *_: Any, **__: Any) -> Any:
        """Raise the import's error."""
        self._raise()


def missing_module(problem: ModuleNotFoundError) -> MissingModule:
    """Show the error as if the cell had ended with it, and return a stand-in for the module."""
    if _show_error is not None:
        _show_error(problem)
    return MissingModule(problem)


class TolerantImports(ast.NodeTransformer):
    """Transform each top-level import into one that tolerates a missing module; an import within a ``try`` stays.

    Parameters
    ----------
    show_error : callable
        Shows an exception among the outputs of the running cell.
    """

    def __init__(self, show_error: Callable[[Exception], None]) -> None:
        global _show_error  # the transformed code reaches it through this module
        _show_error = show_error

    def visit_Module(self, node: ast.Module) -> ast.Module:
        """Transform the statements of a cell."""
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
            yield _tolerant(ast.copy_location(one, statement), "_" if name == "*" else name)


def _tolerant(statement: ast.stmt, name: str) -> ast.stmt:
    call = _STAND_IN.format(module=__name__, problem=_PROBLEM)
    (made,) = ast.parse(f"try:\n    pass\nexcept ModuleNotFoundError as {_PROBLEM}:\n    {name} = {call}").body
    assert isinstance(made, ast.Try)
    made.body = [statement]
    # A traceback names the line of the import, whatever part of this fails.
    for node in ast.walk(made):
        if "lineno" in node._attributes:
            ast.copy_location(node, statement)
    return made
