"""The last hint of graded work does not contain the expression: it is compared with the model answer's formulas."""

import ast
import copy
import re

from autograder import course_pages
from autograder.exercises import exercises
from tests.grading.course import ROOT
from tests.tables import every_row

SIGNS = str.maketrans({"·": "*", "×": "*", "−": "-", "∓": "-", "±": "+", "`": " ", "²": "2", "³": "3", "$": " "})
OPERATORS = re.compile(r"[-+*/%<>&|(]")
TWO_WORDS = re.compile(r"[\w)\]] (?!(?:for|in|if|else|and|or|not|is)\b)[\w]|[;:] ")
GRADED = [exercise for exercise in exercises().values() if exercise.graded]


def operations(tree):
    """Count the operations of an expression: operators, calls, comparisons."""
    return sum(isinstance(node, ast.BinOp | ast.Call | ast.Compare | ast.BoolOp) for node in ast.walk(tree))


def shape(tree):
    """Return an expression without its names: two that differ only in names have the same shape."""
    tree = copy.deepcopy(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            node.id = "_"
    return re.sub(r"\b_\[[^\]]*\]", "_", ast.unparse(tree))


def expressions(text):
    """Yield every expression of at least two operations in a text."""
    words = text.translate(SIGNS).replace(";", " ; ").split()
    found = []
    for begin in range(len(words)):
        for end in range(begin + 1, len(words) + 1):
            # Two words in a row are prose.
            if end - begin > 1 and TWO_WORDS.search(f"{words[end - 2]} {words[end - 1]}"):
                break
            piece = " ".join(words[begin:end]).strip(" .,:;")
            for side in piece.split(" = ") if len(OPERATORS.findall(piece)) > 1 else ():
                try:
                    tree = ast.parse(side.strip(), mode="eval").body
                except (SyntaxError, ValueError):
                    continue
                if operations(tree) >= 2 and not isinstance(tree, ast.Tuple):
                    found.append(tree)
    return found


def formulas(kind):
    """Return the expressions of every lab's model answers, or only the returned ones, by function."""
    found = {}
    for page in sorted((ROOT / "solutions").glob("*/lab_*.ipynb")):
        for cell in course_pages.cells(page):
            source = "".join(cell["source"])
            if "### BEGIN SOLUTION" in source:
                tree = ast.parse(source)
                nodes = [node for node in ast.walk(tree) if isinstance(node, kind)]
                nodes = [node.value for node in nodes] if kind is ast.Return else nodes
                parts = [node for node in nodes if operations(node) >= 2]
                names = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
                for name in names:
                    found.setdefault(name, set()).update(shape(node) for node in parts)
    return found


FORMULAS = formulas(ast.expr)
RETURNED = formulas(ast.Return)


def given_away(exercise, hint):
    """Return what a hint reveals: a part of the model answer, or any formula of three operations."""
    answer = FORMULAS[exercise.function_name]
    return [ast.unparse(one) for one in expressions(hint) if operations(one) >= 3 or shape(one) in answer]


@every_row("exercise", GRADED)
def test_the_last_hint_stops_short_of_the_expression(exercise):
    assert given_away(exercise, exercise.hints[-1]) == []


@every_row("exercise", GRADED)
def test_no_earlier_hint_is_the_answer(exercise):
    for hint in exercise.hints[:-1]:
        assert not {shape(one) for one in expressions(hint)} & RETURNED[exercise.function_name]


def test_a_hint_that_says_it_all_is_found():
    known = {exercise.id: exercise for exercise in GRADED}
    for name, hint in (
        ("lab.roofline.shortest_time", "When the slower is: max(flops / peak, bytes / bandwidth)."),
        ("lab.roofline.efficiency", "measured / min(p, b * i)"),
        ("lab.links.message_for", "It is latency · bandwidth · share / (1 − share), and no more."),
        ("lab.parallelism.implied_micro_batches", "x = (gain - 1) / (1 - gain / chunks), and m = (stages - 1) / x."),
    ):
        assert given_away(known[name], hint)
    assert not given_away(known["lab.roofline.shortest_time"], "Divide each by its own rate, and take the longer time.")
