"""Definitions of a cell with a syntax error that compile without the rest of the cell."""

import ast
import re
import warnings
from collections.abc import Iterator

from .statements import defines

MAX_BLOCKS = 200  # of a cell with more, nothing is used
# A line that continues a statement at the top level, although it is not indented.
_CONTINUES = re.compile(r"[\s#)\]}]|(?:elif|else|except|finally)\b")
_BEGUN_AT = re.compile(r"on line (\d+)")
_BOUND = re.compile(r"(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)|(\w+)[ \t]*(?::[^=\n]*)?=(?!=)")


def compilable_definitions(source: str) -> str:
    r"""Return a cell with only its definitions that compile, each line at its number; "" if there are none.

    A top-level statement with an error is removed as a whole. So are all definitions of the names that it binds, because
    an earlier version of a function never stands for the last one that the student wrote.

    >>> compilable_definitions("def f(x):\n    return x +\ndef g(x):\n    return x\nprint(g(1))")
    '\n\ndef g(x):\n    return x\n'
    """
    lines = source.split("\n")
    blocks = list(_blocks(lines))
    if len(blocks) > MAX_BLOCKS:
        return ""
    removed: set[str] = set()
    while problem := _syntax_error(lines):
        faulty = _faulty_block(problem, lines, blocks)
        if faulty is None:
            return ""
        removed.update(name for number in faulty for name in _bound_names(lines[number]))
        blocks.remove(faulty)
        for number in faulty:
            lines[number] = ""
    kept = [""] * len(lines)
    for statement in ast.parse("\n".join(lines)).body:
        if defines(statement) and not _names(statement) & removed:
            decorators = getattr(statement, "decorator_list", [])
            first = min(one.lineno for one in [statement, *decorators])
            kept[first - 1 : statement.end_lineno] = lines[first - 1 : statement.end_lineno]
    return "\n".join(kept) if any(kept) else ""


def _blocks(lines: list[str]) -> Iterator[range]:
    """Yield the lines of each top-level statement, its decorators included, judged by indentation."""
    begin, decorated = 0, False
    for number, line in enumerate(lines):
        if number and line.strip() and not _CONTINUES.match(line):
            if not decorated and any(one.strip() for one in lines[begin:number]):
                yield range(begin, number)
                begin = number
            decorated = line.startswith("@")
        elif not number:
            decorated = line.startswith("@")
    yield range(begin, len(lines))


def _syntax_error(lines: list[str]) -> SyntaxError | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile("\n".join(lines), "<cell>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    except SyntaxError as problem:
        return problem
    except (ValueError, RecursionError, MemoryError, OverflowError):
        return SyntaxError()
    return None


def _faulty_block(problem: SyntaxError, lines: list[str], blocks: list[range]) -> range | None:
    """Return the statement that causes an error; it can be the one before that where Python noticed it."""
    begun = _BEGUN_AT.search(problem.msg or "")
    number = int(begun[1]) if begun else problem.lineno
    if number is None or not blocks:
        return None
    index = max((place for place, block in enumerate(blocks) if block.start < number), default=0)
    if index and _syntax_error(lines[blocks[index].start : blocks[index].stop]) is None:
        index -= 1
    return blocks[index]


def _bound_names(line: str) -> Iterator[str]:
    if found := _BOUND.match(line):
        yield from filter(None, found.groups())


def _names(statement: ast.stmt) -> set[str]:
    """Return the names that a definition binds, and perhaps those of its parts."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {statement.name}
    names = set()
    for node in ast.walk(statement):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                names.add(name)
            case ast.Name(id=name, ctx=ast.Store()):
                names.add(name)
            case ast.alias(name=name, asname=other):
                names.add(other or name.partition(".")[0])
    return names
