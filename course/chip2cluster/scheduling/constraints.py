"""Which nodes a ``--constraint`` admits: features joined by & and |, read from left to right."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .._validate import whole

if TYPE_CHECKING:
    from collections.abc import Iterable

_TOKEN = re.compile(r"\s*(?:([A-Za-z0-9_.:\-=+]+)|([&|()*\[\],]))")


@dataclass(frozen=True)
class _Term:
    """A feature or a group in parentheses, the operator before it, and how many nodes are to have it (0: all)."""

    operator: str
    content: str | tuple[_Term, ...]
    count: int = 0


def constraint_nodes(expression: str, features: Mapping[str, str | Iterable[str]]) -> tuple[str, ...]:
    """The nodes that a constraint lets a job use.

    ``&`` and ``|`` bind equally: Slurm reads from left to right, so that
    ``a100|h100&nvlink`` means *(a100 or h100), and nvlink*, and ``h100&nvlink|a100``
    admits an a100 without.

    Parameters
    ----------
    expression : str
        As for ``--constraint``; parentheses group, brackets ask that all nodes of the job have the
        same one (``[rack1|rack2]``) or so many of each (``[rack1*2&rack2*4]``), and ``feature*3`` that
        three nodes have it.
    features : mapping of str to str or iterable of str
        Features of each node: ``"a100,nvlink"`` or ``["a100", "nvlink"]``.

    Returns
    -------
    tuple of str
        In the order in which the nodes were given. Of an expression in brackets, the nodes
        that can be part of the job.

    Raises
    ------
    ValueError, TypeError
        For an expression that Slurm would refuse, with the place where it breaks.

    Notes
    -----
    A feature that no node has admits none; Slurm refuses such a job at once. Ignores features
    that a node changes at boot. Source: the ``sbatch`` manual of 22.05; the order of reading
    was observed on Slurm 22.05.8.

    Examples
    --------
    >>> nodes = {"n1": "a100,nvlink", "n2": "a100", "n3": "h100,nvlink", "n4": "h100"}
    >>> constraint_nodes("a100|h100&nvlink", nodes)
    ('n1', 'n3')
    >>> constraint_nodes("h100&nvlink|a100", nodes)
    ('n1', 'n2', 'n3')
    """
    brackets, terms = _parsed(expression)
    table = _table(features)
    if brackets or any(term.count for term in terms):
        return tuple(node for node, has in table.items() if any(_holds(term.content, has) for term in terms))
    return tuple(node for node, has in table.items() if _together(terms, has))


def constraint_allocation(
    expression: str, features: Mapping[str, str | Iterable[str]], nodes: int
) -> tuple[str, ...] | None:
    """So many nodes that meet a constraint together, or None where there are none.

    Parameters
    ----------
    expression, features
        As `constraint_nodes`, the nodes in the order in which they are to be taken.
    nodes : int
        Nodes of the job.

    Returns
    -------
    tuple of str or None

    Raises
    ------
    ValueError, TypeError
        As `constraint_nodes`, and for fewer nodes than the counts ask for.

    Notes
    -----
    Ignores who else runs: give the free nodes alone. Source: as `constraint_nodes`.

    Examples
    --------
    >>> nodes = {"n1": "rack1", "n2": "rack1", "n3": "rack2", "n4": "rack2", "n5": "rack2"}
    >>> constraint_allocation("[rack1|rack2]", nodes, 3), constraint_allocation("rack1|rack2", nodes, 3)
    (('n3', 'n4', 'n5'), ('n1', 'n2', 'n3'))
    >>> constraint_allocation("[rack1*1&rack2*2]", nodes, 3)
    ('n1', 'n3', 'n4')
    """
    brackets, terms = _parsed(expression)
    table, wanted = _table(features), int(whole("nodes", nodes))
    if brackets and all(term.operator != "&" and not term.count for term in terms):
        for term in terms:
            fit = [node for node, has in table.items() if _holds(term.content, has)]
            if len(fit) >= wanted:
                return tuple(fit[:wanted])
        return None
    if any(term.count for term in terms):
        return _counted(terms, table, wanted, only=brackets)
    fit = [node for node, has in table.items() if _together(terms, has)]
    return tuple(fit[:wanted]) if len(fit) >= wanted else None


def _counted(terms: Sequence[_Term], table: dict[str, set[str]], wanted: int, only: bool) -> tuple[str, ...] | None:
    """Nodes for each count, those first that fit fewer of the counts; the rest are any that fit a term, or at all."""
    asked = sum(term.count for term in terms)
    if asked > wanted:
        raise ValueError(f"nodes must be at least the {asked} that the counts ask for, got {wanted}")
    places = [number for number, term in enumerate(terms) for _ in range(term.count)]
    fits = {
        node: {number for number, term in enumerate(terms) if _holds(term.content, has)} for node, has in table.items()
    }
    holder: dict[int, str] = {}

    def seat(place: int, seen: set[str]) -> bool:
        """Find a node for a place, moving others on (augmenting paths)."""
        for node in table:
            if places[place] not in fits[node] or node in seen:
                continue
            seen.add(node)
            other = next((at for at, name in holder.items() if name == node), None)
            if other is None or seat(other, seen):
                holder[place] = node
                return True
        return False

    if not all(seat(place, set()) for place in range(len(places))):
        return None
    taken = set(holder.values())
    more = [node for node in table if node not in taken and (fits[node] or not only)]
    taken.update(more[: wanted - asked])
    return tuple(node for node in table if node in taken) if len(taken) == wanted else None


def _table(features: Mapping[str, str | Iterable[str]]) -> dict[str, set[str]]:
    if not isinstance(features, Mapping):
        raise TypeError(f"features must map each node to its features, got {features!r}")
    return {node: set(has.split(",") if isinstance(has, str) else has) - {""} for node, has in features.items()}


def _together(terms: Sequence[_Term], has: set[str]) -> bool:
    """From left to right, whatever the operators."""
    found = True
    for term in terms:
        here = _holds(term.content, has)
        found = found or here if term.operator == "|" else found and here
    return found


def _holds(content: str | tuple[_Term, ...], has: set[str]) -> bool:
    return content in has if isinstance(content, str) else _together(content, has)


def _parsed(expression: str) -> tuple[bool, tuple[_Term, ...]]:
    if not isinstance(expression, str):
        raise TypeError(f"expression must be a text such as 'a100&nvlink', got {expression!r}")
    text = expression.strip()
    brackets = text.startswith("[") and text.endswith("]")
    tokens = _tokens(text[1:-1] if brackets else text, expression)
    reader = _Reader(tokens, expression)
    terms = reader.terms(inside=False)
    if reader.at < len(tokens):
        raise reader.wrong()
    operators = {term.operator for term in terms[1:]}
    if brackets and len(operators) > 1:
        raise ValueError(f"brackets hold | alone or & alone, got {expression!r}")
    return brackets, terms


def _tokens(text: str, expression: str) -> list[str]:
    found, place = [], 0
    while place < len(text.rstrip()):
        match = _TOKEN.match(text, place)
        if not match or ((match[2] or "") in "[]," and not match[1]):
            raise ValueError(f"expression breaks at {text[place:]!r}, in {expression!r}")
        found.append(match[1] or match[2])
        place = match.end()
    return found


class _Reader:
    def __init__(self, tokens: list[str], expression: str) -> None:
        self.tokens, self.expression, self.at = tokens, expression, 0

    def wrong(self) -> ValueError:
        rest = "".join(self.tokens[self.at :])
        return ValueError(f"expression breaks at {rest or 'its end'!r}, in {self.expression!r}")

    def next(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def terms(self, inside: bool) -> tuple[_Term, ...]:
        found, operator = [], ""
        while True:
            content = self.content(inside)
            found.append(_Term(operator, content, self.count()))
            operator = self.next()
            if operator not in ("&", "|"):
                return tuple(found)
            self.at += 1

    def content(self, inside: bool) -> str | tuple[_Term, ...]:
        token = self.next()
        if token == "(" and not inside:  # Slurm knows no nested parentheses
            self.at += 1
            group = self.terms(inside=True)
            if self.next() != ")":
                raise self.wrong()
            self.at += 1
            return group
        if not token or not re.match(r"[\w.:\-=+]", token):
            raise self.wrong()
        self.at += 1
        return token

    def count(self) -> int:
        if self.next() != "*":
            return 0
        self.at += 1
        if not self.next().isdigit() or not int(self.next()):
            raise self.wrong()
        self.at += 1
        return int(self.tokens[self.at - 1])
