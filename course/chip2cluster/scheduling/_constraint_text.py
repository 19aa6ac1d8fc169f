"""How a ``--constraint`` is written: text in, terms out."""

from __future__ import annotations

import re
from dataclasses import dataclass

_TOKEN = re.compile(r"\s*(?:([A-Za-z0-9_.:\-=+]+)|([&|()*\[\]]))")


@dataclass(frozen=True)
class Term:
    """A feature or a group in parentheses, the operator before it, and how many nodes are to have it (0: all).

    ``options`` are those of brackets, of which all nodes are to have the same one.
    """

    operator: str
    content: str | tuple[Term, ...] = ()
    count: int = 0
    options: tuple[str, ...] = ()


def parsed(expression: str) -> tuple[Term, ...]:
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
    if reader.at < len(tokens):
        raise reader.wrong()
    if len(terms) > 1 and any(term.count for term in terms) and tokens[0] != "[":
        raise ValueError(f"a count beside other features stands in brackets, as in [a*1&b*2]; got {expression!r}")
    return terms


class _Reader:
    """Reads tokens; ``at`` is the next one."""

    def __init__(self, tokens: list[str], expression: str) -> None:
        self.tokens, self.expression, self.at = tokens, expression, 0

    def wrong(self) -> ValueError:
        rest = "".join(self.tokens[self.at :])
        return ValueError(f"expression breaks at {rest or 'its end'!r}, in {self.expression!r}")

    def skip(self, token: str) -> None:
        if self.next() != token:
            raise self.wrong()
        self.at += 1

    def next(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def terms(self, inside: bool = False) -> tuple[Term, ...]:
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
            self.at += 1

    def options(self) -> tuple[str, ...]:
        """``[a|b]``: features alone, as Slurm misreads groups here."""
        self.skip("[")
        found = [self.feature()]
        while self.next() == "|":
            self.at += 1
            found.append(self.feature())
        self.skip("]")
        return tuple(found)

    def counts(self) -> tuple[Term, ...]:
        """``[a*1&(b&c)*2]``: each with its count."""
        self.skip("[")
        found: list[Term] = []
        while not found or self.next() == "&":
            self.at += bool(found)
            content = self.content(inside=False)
            if self.next() != "*":
                raise self.wrong()
            found.append(Term("&" if found else "", content, self.count()))
        self.skip("]")
        return tuple(found)

    def content(self, inside: bool) -> str | tuple[Term, ...]:
        if self.next() != "(" or inside:  # Slurm knows no nested parentheses
            return self.feature()
        self.at += 1
        group = self.terms(inside=True)
        self.skip(")")
        return group

    def feature(self) -> str:
        if not re.match(r"[\w.:\-=+]", self.next()):
            raise self.wrong()
        self.at += 1
        return self.tokens[self.at - 1]

    def count(self) -> int:
        if self.next() != "*":
            return 0
        self.at += 1
        if not self.next().isdigit() or not int(self.next()):
            raise self.wrong()
        self.at += 1
        return int(self.tokens[self.at - 1])
