"""Statements of a cell that are used even if a line above them fails: definitions, imports and constants."""

import ast

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)


def defines(statement: ast.stmt) -> bool:
    """Return whether a top-level statement defines something without computing it.

    >>> [defines(one) for one in ast.parse("import math; PEAK = -2 * 1e12; rates = f(8); print(PEAK)").body]
    [True, True, False, False]
    """
    match statement:
        case ast.Assign(value=value) | ast.AnnAssign(value=ast.expr() as value):
            return _is_constant(value)
        case ast.If() | ast.Try():
            # Guards of an import or of a definition, such as those that the grader writes.
            return any(isinstance(node, _DEFINITIONS) for node in ast.walk(statement))
    return isinstance(statement, _DEFINITIONS)


def _is_constant(value: ast.expr) -> bool:
    parts = (ast.Constant, ast.UnaryOp, ast.BinOp, ast.operator, ast.unaryop, ast.Tuple, ast.List, ast.Dict, ast.Load)
    return all(isinstance(node, parts) for node in ast.walk(value))
