"""Words of a sentence that say what a row of the table says."""

import re
from collections.abc import Collection

_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
LEAST = 3  # digits, or a fraction: shorter numbers occur everywhere


def row_words(rows: list[tuple[str, ...]], sentence: str, about: Collection[str] = ()) -> list[tuple[str, str]]:
    """Find the names and numbers of rows in a sentence.

    Parameters
    ----------
    rows : list of tuples of str
        Cells of a table as they are written; the first is the row's name.
    sentence : str
        Sentence beside the table.
    about : collection of str
        Names of rows that the sentence is about, even if it does not name them.

    Returns
    -------
    list of (str, str)
        Piece of the sentence, and the name of the row that has it: each row's name, and every number that occurs in the
        sentence once and in one row alone, if the sentence is about that row.

    Examples
    --------
    >>> row_words([("ring", "366"), ("tree", "120"), ("switch", "120")], "The ring reaches 366 GB/s, the others 120.")
    [('ring', 'ring'), ('366', 'ring')]
    >>> row_words([("carol 1", "2.5")], "carol 16.7 node-hours, factor of carol 1.00")
    []
    """
    found = []
    for name, *_ in rows:
        whole = re.compile(rf"\b{re.escape(name)}\b(?![.,]\d)", re.IGNORECASE)
        match = whole.search(sentence) if re.search("[^\\W\\d]", name) else None
        # A page marks the first place where the piece occurs: it must not be the beginning of a longer number.
        if match and sentence.index(match[0]) == match.start():
            found.append((match[0], name))
    said = _NUMBER.findall(sentence)
    named = {name for _, name in found}.union(about)
    for name, *cells in rows:
        for cell in dict.fromkeys(cells):
            long = "." in cell or sum(digit.isdigit() for digit in cell) >= LEAST
            once = long and name in named and said.count(cell) == 1
            if once and sentence.count(cell) == 1 and sum(cell in others[1:] for others in rows) == 1:
                found.append((cell, name))
    return found
