"""Many long texts that differ in little, written down once.

`packed` turns texts into *parts*: a part is a string or a list of strings and of
numbers of other parts, to be read one after the other. Texts are cut into pieces, the
pieces into words, and then, round after round, neighbours that often stand side by
side become a part of their own (re-pair compression). Reading needs no more than `read`.
"""

import re

import numpy as np

_PIECES = re.compile(r"<[^>]*>[^<]*|[^<.:]+(?:[.:]+|$)|.", re.DOTALL)  # elements of markup, sentences of prose
_WORDS = re.compile(r"\d[\d.,]*|[^\d<>]+|.", re.DOTALL)  # numbers, and what stands between them
_OFTEN = 4  # a pair that stands less often is cheaper where it stands
_LITERAL = 3  # characters; a string no longer than this is no longer than its number


def read(parts, part):
    """The text of a part, given by number, string or list: the whole of what a page has to do."""
    said, waiting = [], [part]  # parts may lie hundreds deep, too deep to recurse
    while waiting:
        part = waiting.pop()
        if isinstance(part, str):
            said.append(part)
        else:
            waiting += reversed(part) if isinstance(part, list) else [parts[part]]
    return "".join(said)


def packed(texts):
    """Return the parts and, in a dict, the number of the part of every text."""
    texts = list(dict.fromkeys(texts))
    pieces, words = _Numbers(), _Numbers()
    in_pieces = [[pieces[piece] for piece in _PIECES.findall(text)] for text in texts]
    in_words = [[words[word] for word in _WORDS.findall(piece)] for piece in pieces.known]
    # One row of symbols for all: first the words, then the pieces, each ended by a mark of its own.
    first = len(words.known)
    rows = in_words + [[first + piece for piece in text] for text in in_pieces]
    rules, rows = _paired(rows, first + len(pieces.known))
    meanings = {at: word for at, word in enumerate(words.known)}
    meanings |= {first + at: row for at, row in enumerate(rows[: len(pieces.known)])}
    meanings |= {at: list(pair) for at, pair in rules.items()}
    top = max(meanings, default=0) + 1
    roots = list(range(top, top + len(texts)))
    meanings |= dict(zip(roots, rows[len(pieces.known) :]))
    parts, numbers = _written(meanings, roots)
    return parts, dict(zip(texts, numbers))


class _Numbers(dict):
    """Numbers things in the order in which they are first seen."""

    def __init__(self):
        self.known = []

    def __missing__(self, thing):
        self.known.append(thing)
        self[thing] = len(self.known) - 1
        return self[thing]


def _paired(rows, symbols):
    """Replace frequent neighbours by new symbols until none is left. Returns the pairs and the rows."""
    ends = -1 - np.arange(len(rows))
    line = np.concatenate([np.array([*row, end], dtype=np.int64) for row, end in zip(rows, ends)])
    rules = {}
    while True:
        left, right = line[:-1], line[1:]
        places = np.flatnonzero((left >= 0) & (right >= 0))
        codes, at, counts = np.unique(left[places] << 32 | right[places], return_inverse=True, return_counts=True)
        often = counts[at] >= _OFTEN
        places, at = places[often], at[often]
        # Pairs overlap: of neighbours in conflict the more frequent wins; in a run of equals, every other one.
        rank = np.full(len(line) + 1, len(codes))
        rank[places] = np.argsort(np.argsort(-counts, kind="stable"))[at]
        begins = np.append(True, (np.diff(places) > 1) | (np.diff(at) != 0))[: len(places)]
        order = np.arange(len(places))
        within = order - np.maximum.accumulate(np.where(begins, order, 0))
        wins = (within % 2 == 0) & (rank[places] <= rank[places - 1]) & (rank[places] <= rank[places + 1])
        places, at = places[wins], at[wins]
        used, at, counts = np.unique(at, return_inverse=True, return_counts=True)
        enough = counts >= _OFTEN
        if not enough.any():
            break
        places, at = places[enough[at]], at[enough[at]]
        new = symbols + np.cumsum(enough) - 1
        for code, symbol in zip(codes[used[enough]], new[enough]):
            rules[int(symbol)] = (int(code >> 32), int(code & 0xFFFFFFFF))
        line[places] = new[at]
        line = np.delete(line, places + 1)
        symbols += int(enough.sum())
    cuts = np.flatnonzero(line < 0)
    return rules, [row[row >= 0].tolist() for row in np.split(line, cuts)[:-1]]


def _written(meanings, roots):
    """Number what is used more than once, the most used first; write everything else where it stands."""
    uses = dict.fromkeys(meanings, 0)
    for meaning in meanings.values():
        if not isinstance(meaning, str):
            for symbol in meaning:
                uses[symbol] += 1

    spelled = {}

    def here(symbol):
        """What stands in the place of a symbol: its number, or the thing itself."""
        what = spelled[symbol]
        if isinstance(what, str):
            return [what] if uses[symbol] == 1 or len(what) <= _LITERAL else [(symbol,)]
        return what if uses[symbol] == 1 else [(symbol,)]

    for symbol in _inner_first(meanings, roots):
        meaning = meanings[symbol]
        spelled[symbol] = (
            meaning if isinstance(meaning, str) else _joined(flat for one in meaning for flat in here(one))
        )

    tops = [spelled[root] for root in roots]
    wanted, waiting = {}, list(tops)
    while waiting:
        for one in waiting.pop():
            if isinstance(one, tuple):
                if one not in wanted:
                    waiting.append(spelled[one[0]])
                wanted[one] = wanted.get(one, 0) + 1
    order = sorted(wanted, key=lambda one: (-wanted[one], one))
    numbers = {one: at for at, one in enumerate(order)}
    parts = [_with(numbers, spelled[symbol]) for (symbol,) in order] + [_with(numbers, top) for top in tops]
    return parts, [len(order) + at for at in range(len(tops))]


def _inner_first(meanings, roots):
    """All symbols that the roots are made of, each behind those that it is made of itself."""
    order, waiting = {}, [(root, False) for root in roots]
    while waiting:
        symbol, opened = waiting.pop()
        if opened:
            order[symbol] = None
        elif symbol not in order:
            waiting.append((symbol, True))
            if not isinstance(meanings[symbol], str):
                waiting += [(one, False) for one in meanings[symbol]]
    return order


def _joined(row):
    """Strings side by side are one."""
    made = []
    for one in row:
        if made and isinstance(one, str) and isinstance(made[-1], str):
            made[-1] += one
        else:
            made.append(one)
    return made[0] if len(made) == 1 and isinstance(made[0], str) else made


def _with(numbers, what):
    if isinstance(what, str):
        return what
    return [one if isinstance(one, str) else numbers[one] for one in what]
