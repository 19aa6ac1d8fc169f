"""Parser of Slurm's ``--constraint`` expressions."""

from __future__ import annotations

import re
from dataclasses import dataclass

_TOKEN = re.compile(r"\s*(?:([A-Za-z0-9_.:\-=+]+)|([&|()*\[\]]))")


@dataclass(frozen=True)
class Term:
    """A feature or a group in parentheses, the operator before it, and the number of nodes that need it (0: all).

    ``options`` are the alternatives in brackets, one of which all nodes must share.
    """

    operator: str
    content: str | tuple[Term, ...] = ()
    count: int = 0
    options: tuple[str, ...] = ()


def parse(expression: str) -> tuple[Term, ...]:
    """Parse an expression into its terms."""
    if not isinstance(expression, str):
        raise TypeError(f"expression must be a text such as 'a100&nvlink', got {expression!r}")
    tokens, place, text = [], 0, expression.rstrip()
    while place < len(text):
        match = _TOKEN.match(text, place)
        if not match:
            raise ValueError(f"expression breaks at {text[place:]!r}, in {expression!r}")
        tokens.append(match[1] or match[2])
        place = match.end()
    reader = _Reader(tokens, expression)
    terms = reader.counts() if tokens[:1] == ["["] and "*" in tokens else reader.terms()
    if reader.position < len(tokens):
        raise reader.error()
    if len(terms) > 1 and any(term.count for term in terms) and tokens[0] != "[":
        raise ValueError(f"a count with other features must be in brackets, as in [a*1&b*2]; got {expression!r}")
    return terms


class _Reader:
    """Recursive-descent reader of tokens; ``position`` is the next one."""

    def __init__(self, tokens: list[str], expression: str) -> None:
        self.tokens, self.expression, self.position = tokens, expression, 0

    def error(self) -> ValueError:
        """Return an error that shows the position."""
        rest = "".join(self.tokens[self.position :])
        return ValueError(f"expression breaks at {rest or 'its end'!r}, in {self.expression!r}")

    def skip(self, token: str) -> None:
        """Skip a required token."""
        if self.next() != token:
            raise self.error()
        self.position += 1

    def next(self) -> str:
        """Return the next token, empty at the end."""
        return self.tokens[self.position] if self.position < len(self.tokens) else ""

    def terms(self, inside: bool = False) -> tuple[Term, ...]:
        """Read terms joined by & and |."""
        found, operator = [], ""
        while True:
            if self.next() == "[" and not inside:
                found.append(Term(operator, options=self.options()))
            else:
                content = self.content(inside)
                found.append(Term(operator, content, 0 if inside else self.count()))
            operator = self.next()
            if operator not in ("&", "|"):
                return tuple(found)
            self.position += 1

    def options(self) -> tuple[str, ...]:
        """Read ``[a|b]``; only features, because Slurm misparses groups here."""
        self.skip("[")
        found = [self.feature()]
        while self.next() == "|":
            self.position += 1
            found.append(self.feature())
        self.skip("]")
        return tuple(found)

    def counts(self) -> tuple[Term, ...]:
        """Read ``[a*1&(b&c)*2]``, each with its count."""
        self.skip("[")
        found: list[Term] = []
        while not found or self.next() == "&":
            self.position += bool(found)
            content = self.content(inside=False)
            if self.next() != "*":
                raise self.error()
            found.append(Term("&" if found else "", content, self.count()))
        self.skip("]")
        return tuple(found)

    def content(self, inside: bool) -> str | tuple[Term, ...]:
        """Read a feature or a group in parentheses."""
        if self.next() != "(" or inside:  # Slurm has no nested parentheses
            return self.feature()
        self.position += 1
        group = self.terms(inside=True)
        self.skip(")")
        return group

    def feature(self) -> str:
        """Read a feature."""
        if not re.match(r"[\w.:\-=+]", self.next()):
            raise self.error()
        self.position += 1
        return self.tokens[self.position - 1]

    def count(self) -> int:
        """Read an optional count; 0 if there is none."""
        if self.next() != "*":
            return 0
        self.position += 1
        if not self.next().isdigit() or not int(self.next()):
            raise self.error()
        self.position += 1
        return int(self.tokens[self.position - 1])
