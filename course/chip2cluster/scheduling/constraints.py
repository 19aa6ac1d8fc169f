"""Nodes that satisfy a Slurm ``--constraint``: features joined by & and |, evaluated from left to right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

from .._validate import one_whole
from ._constraint_text import Term, parse

if TYPE_CHECKING:
    from collections.abc import Iterable


def constraint_nodes(expression: str, features: Mapping[str, str | Iterable[str]]) -> tuple[str, ...]:
    """Find the nodes that a constraint allows.

    ``&`` and ``|`` have equal precedence: Slurm evaluates from left to right, so
    ``a100|h100&nvlink`` means *(a100 or h100) and nvlink*, and ``h100&nvlink|a100``
    allows an a100 without nvlink.

    Parameters
    ----------
    expression : str
        Value of ``--constraint``. Parentheses group. Brackets require that all nodes of the job share one
        feature (``[rack1|rack2]``), or a number of nodes with each feature (``[rack1*2&rack2*4]``);
        ``gpu*3`` alone requires three nodes with the feature.
    features : mapping of str to str or iterable of str
        Features of each node, ``"a100,nvlink"`` or ``["a100", "nvlink"]``.

    Returns
    -------
    tuple of str
        Allowed nodes in the given order; with counts or brackets, the nodes that can be part of the job.

    Raises
    ------
    ValueError
        No node has the feature, or Slurm rejects or does not document the expression; the message shows the
        position.

    Notes
    -----
    Ignores features that change at boot. Source: the ``sbatch`` manual of 22.05; the evaluation
    order was observed on Slurm 22.05.8.

    Examples
    --------
    >>> nodes = {"n1": "a100,nvlink", "n2": "a100", "n3": "h100,nvlink", "n4": "h100"}
    >>> constraint_nodes("a100|h100&nvlink", nodes)
    ('n1', 'n3')
    >>> constraint_nodes("h100&nvlink|a100", nodes)
    ('n1', 'n2', 'n3')
    """
    terms, table = _parse_both(expression, features)
    if len(terms) == 1 and terms[0].count:
        return tuple(table)
    if terms[0].count:
        return tuple(node for node, has in table.items() if any(_has(term.content, has) for term in terms))
    ways = _alternatives(terms)
    return tuple(node for node, has in table.items() if any(_evaluate(way, has) for way in ways))


def constraint_allocation(
    expression: str, features: Mapping[str, str | Iterable[str]], nodes: int
) -> tuple[str, ...] | None:
    """Allocate a number of nodes that satisfy a constraint together.

    Parameters
    ----------
    expression : str
        Constraint, same as in `constraint_nodes`.
    features : mapping of str to str or iterable of str
        Features of each free node, in the order of allocation.
    nodes : int
        Number of nodes of the job.

    Returns
    -------
    tuple of str or None
        Allocated nodes; None if there are not enough.

    Raises
    ------
    ValueError
        There are fewer matching nodes than the expression asks for.

    Notes
    -----
    Ignores running jobs, so pass only free nodes. Nodes beyond the counts are arbitrary
    (Slurm with whole nodes; ``select/cons_tres`` prefers nodes with the feature). Source: same as
    `constraint_nodes`.

    Examples
    --------
    >>> nodes = {"n1": "rack1", "n2": "rack1", "n3": "rack2", "n4": "rack2", "n5": "rack2"}
    >>> constraint_allocation("[rack1|rack2]", nodes, 3), constraint_allocation("rack1|rack2", nodes, 3)
    (('n3', 'n4', 'n5'), ('n1', 'n2', 'n3'))
    >>> constraint_allocation("[rack1*1&rack2*2]", nodes, 3)
    ('n1', 'n3', 'n4')
    """
    terms, table = _parse_both(expression, features)
    wanted = one_whole("nodes", nodes)
    if terms[0].count:
        return _allocate_counts(terms, table, wanted)
    for way in _alternatives(terms):
        fit = [node for node, has in table.items() if _evaluate(way, has)]
        if len(fit) >= wanted:
            return tuple(fit[:wanted])
    return None


def _parse_both(
    expression: str, features: Mapping[str, str | Iterable[str]]
) -> tuple[tuple[Term, ...], dict[str, set[str]]]:
    """Parse the expression and the features, and check that all features exist."""
    terms = parse(expression)
    if not isinstance(features, Mapping) or not features:
        raise TypeError(f"features must map each node to its features, got {features!r}")
    table = {node: set(has.split(",") if isinstance(has, str) else has) - {""} for node, has in features.items()}
    known = set().union(*table.values())
    if unknown := [name for name in _names(terms) if name not in known]:
        raise ValueError(f"no node has the feature {unknown[0]!r}; they have {', '.join(sorted(known))}")
    return terms, table


def _names(terms: Sequence[Term]) -> list[str]:
    inner = [[term.content] if isinstance(term.content, str) else _names(term.content) for term in terms]
    return [name for names in inner for name in names] + [name for term in terms for name in term.options]


def _alternatives(terms: Sequence[Term]) -> list[tuple[Term, ...]]:
    """Return the expression once for each alternative of its brackets."""
    choices = [[replace(term, content=option) for option in term.options] or [term] for term in terms]
    return list(product(*choices))


def _allocate_counts(terms: Sequence[Term], table: dict[str, set[str]], wanted: int) -> tuple[str, ...] | None:
    """Allocate nodes for each count, and any others for the rest."""
    required = sum(term.count for term in terms)
    if required > wanted:
        raise ValueError(f"nodes must be at least the {required} that the counts require, got {wanted}")
    places = [number for number, term in enumerate(terms) for _ in range(term.count)]
    fits = {
        node: {number for number, term in enumerate(terms) if _has(term.content, has)} for node, has in table.items()
    }
    holder: dict[int, str] = {}

    def seat(place: int, seen: set[str]) -> bool:
        """Find a node for a slot, reassigning others if needed (augmenting paths)."""
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
    taken.update([node for node in table if node not in taken and (fits[node] or len(terms) == 1)][: wanted - required])
    return tuple(node for node in table if node in taken) if len(taken) == wanted else None


def _evaluate(terms: Sequence[Term], has: set[str]) -> bool:
    """Evaluate terms from left to right with equal precedence."""
    found = True
    for term in terms:
        here = _has(term.content, has)
        found = found or here if term.operator == "|" else found and here
    return found


def _has(content: str | tuple[Term, ...], has: set[str]) -> bool:
    return content in has if isinstance(content, str) else _evaluate(content, has)
