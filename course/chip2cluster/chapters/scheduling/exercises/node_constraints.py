"""Exercise on the nodes that a Slurm constraint admits, evaluated from left to right."""

import re

import numpy as np

from chip2cluster import scheduling
from chip2cluster.exercise.model import Exercise, Group, Mistake

KINDS = ("a100", "h100", "h200", "mi300x")
ODD = {"h100": "h100nvl", "a100": "a100x", "h200": "h200nvl", "mi300x": "mi300xhf"}  # names that hold another name
MORE = ("nvlink", "ib", "ssd", "big")


def admitted(expression, features):
    """1 for each node that the constraint lets a job use."""
    nodes = {f"n{place}": words.split(",") for place, words in enumerate(features)}
    allowed = set(scheduling.constraint_nodes(expression, nodes))
    return np.array([int(node in allowed) for node in nodes])


def _case(expression, features):
    return {"expression": expression, "features": list(features)}


def _draw(generator):
    count = int(generator.integers(2, 4))
    kinds = [str(kind) for kind in generator.permutation(KINDS)[:count]]
    extra = [str(word) for word in generator.permutation(MORE)[: 2 if count == 2 else 1]]
    words = [str(word) for word in generator.permutation([*kinds, *extra])]
    signs = [str(sign) for sign in generator.choice(["&", "|"], len(words) - 1)]
    if len(set(signs)) == 1:
        signs[int(generator.integers(len(signs)))] = "&" if signs[0] == "|" else "|"
    expression = words[0] + "".join(sign + word for sign, word in zip(signs, words[1:], strict=True))
    nodes = [
        ",".join([kind, *(word for word in extra if generator.random() < 0.5)]) for kind in kinds for _ in range(3)
    ]
    nodes += [",".join([kinds[0], *extra]), ",".join([ODD[kinds[0]], *extra])]
    return _case(expression, [str(node) for node in generator.permutation(nodes)])


def _usable(inputs):
    """Every feature is that of some node, as Slurm wants it."""
    have = {word for node in inputs["features"] for word in node.split(",")}
    return set(re.split(r"[&|]", inputs["expression"])) <= have


def _clusters(generator):
    # The four nodes of the page; a student sees this one.
    cases = [_case("h100&nvlink|a100", ["a100,nvlink", "a100", "h100,nvlink", "h100"])]
    while len(cases) < 9:
        drawn = _draw(generator)
        if _usable(drawn):
            cases.append(drawn)
    return cases


def _edges(generator):
    nodes = ["a100,nvlink", "a100", "h100nvl", "h100,nvlink", "h100"]
    return [_case("h100", nodes), _case("a100|h100&nvlink", nodes), _case("a100&h100", nodes)]


def _left(expression, holds):
    first, *rest = re.split(r"([&|])", expression)
    value = holds(first)
    for sign, word in zip(rest[::2], rest[1::2], strict=True):
        value = (value and holds(word)) if sign == "&" else (value or holds(word))
    return value


def _right(expression, holds):
    first, *rest = re.split(r"([&|])", expression, maxsplit=1)
    if not rest:
        return holds(first)
    sign, more = rest
    return (holds(first) and _right(more, holds)) if sign == "&" else (holds(first) or _right(more, holds))


def _like(rule, has=lambda word, features: word in features.split(",")):
    def wrong(expression, features):
        return np.array([int(bool(rule(expression, lambda word, node=node: has(word, node)))) for node in features])

    return wrong


CONSTRAINTS = Exercise(
    id="scheduling.admitted",
    title="Which nodes may it use?",
    signature="admitted(expression, features)",
    unit="",
    points=3,
    reference=admitted,
    shows=(admitted, scheduling.constraint_nodes),
    groups=(
        Group("clusters", 0.8, _clusters),
        Group(
            "edges", 0.2, _edges, advice="A constraint may be a single word, and one that no node can meet admits none."
        ),
    ),
    hints=(
        "How would you compute 2 + 3 · 4 if you didn't know that · binds tighter?",
        "Begin with the first word: true or false for this node. Then take an operator and a word, an operator and a word.",
        "re.split(r'([&|])', expression) gives words and operators in turn. The features of a node are features[i].split(',').",
    ),
    solution="""
import re


def admitted(expression, features):
    first, *rest = re.split(r"([&|])", expression)
    found = []
    for node in features:
        has = node.split(",")
        value = first in has
        for sign, word in zip(rest[::2], rest[1::2]):
            value = (value and word in has) if sign == "&" else (value or word in has)
        found.append(int(value))
    return found
""",
    explanation=(
        "Slurm gives & and | the same precedence and evaluates from left to right, unlike Python and C. Parentheses group, and brackets "
        "say that all nodes of a job must be alike."
    ),
    meaning=lambda: (
        "Of four nodes, an a100 and an h100 with NVLink and one of each without, "
        f"a100|h100&nvlink admits {_count('a100|h100&nvlink')} and h100&nvlink|a100 admits "
        f"{_count('h100&nvlink|a100')}. A training run on nodes with and without NVLink is as slow as the nodes without."
    ),
    mistakes=(
        Mistake(
            "& binds tighter",
            _like(lambda text, holds: any(all(map(holds, part.split("&"))) for part in text.split("|"))),
            "You let & bind tighter than |, as in Python. Slurm gives both the same precedence and evaluates from left to right.",
        ),
        Mistake(
            "| binds tighter",
            _like(lambda text, holds: all(any(map(holds, part.split("|"))) for part in text.split("&"))),
            "You let | bind tighter than &. Both have the same precedence, and Slurm evaluates from left to right.",
        ),
        Mistake("right to left", _like(_right), "You evaluate from right to left. Slurm begins at the left."),
        Mistake(
            "part of a word",
            _like(_left, lambda word, features: word in features),
            "You look for the word anywhere in the string. Then h100 is found in h100nvl, too: split the features at their commas.",
        ),
        Mistake(
            "any of them",
            _like(lambda text, holds: any(map(holds, re.split(r"[&|]", text)))),
            "You admit a node that has any of the words. & requires both.",
        ),
        Mistake(
            "all of them",
            _like(lambda text, holds: all(map(holds, re.split(r"[&|]", text)))),
            "You admit a node only if it has all of the words. For | one is enough.",
        ),
    ),
)


def _count(expression):
    return sum(admitted(expression, ["a100,nvlink", "a100", "h100,nvlink", "h100"]))
