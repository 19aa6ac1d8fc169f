"""Letters with several meanings: where a chapter changes one, its first use says so."""

import re

from tests.notebooks.test_reference import cells, chapter, meanings
from tests.tables import every_row


def changed_letters(rows):
    """Letters that a chapter uses otherwise than two or more chapters before it: chapter, letter, the meaning so far.

    The meaning that most chapters share needs no word.

    >>> rows = [("n", ["1", "6", "7"], "bytes"), ("n", ["3", "5"], "columns"), ("n", ["13"], "nodes")]
    >>> list(changed_letters(rows))
    [(13, 'n', 'bytes')]
    """
    for symbol in sorted({symbol for symbol, *_ in rows}):
        own = [(sorted(map(int, numbers)), text) for letter, numbers, text in rows if letter == symbol]
        usual = max(own, key=lambda row: (len(row[0]), -row[0][0]))[1]
        for numbers, text in own:
            for number in numbers if text != usual else ():
                before = [(sum(one < number for one in others), other) for others, other in own if other != text]
                if (most := max(before, default=(0, "")))[0] >= 2:
                    yield number, symbol, most[1]


def first_use(number, letter):
    """The cell in whose formulas a letter stands first, without the texts in formulas."""
    pattern = rf"(?<![A-Za-z\\]){re.escape(letter)}(?![A-Za-z_])"
    for cell in cells(chapter(number)):
        source = "".join(cell["source"])
        text = re.sub(r"```.*?```|`[^`\n]*`", " ", source, flags=re.S)
        if cell["cell_type"] == "markdown":
            for formula in re.findall(r"\$\$.*?\$\$|\$[^$\n]+\$", text, re.S):
                if re.search(pattern, re.sub(r"\\(?:text|tag)\{[^}]*\}", " ", formula)):
                    return source
    raise AssertionError(f"chapter {number} has no {letter}")


def says(source, letter, meaning):
    """Whether a sentence with the letter says what it does not mean, with a word of that meaning."""
    words = [word for word in re.findall(r"[a-z]{4,}", meaning) if word not in ("with", "from", "each", "that", "here")]
    contrast = rf"\bnot\b[^.;]*(?:{'|'.join(map(re.escape, words))})"
    text = re.sub(r'\]\([^)\s]*(?: "[^"]*")?\)', "]", source)
    return any(f"${letter}$" in part or f"${letter} " in part for part in re.findall(rf"[^.;]*{contrast}", text))


# Papers on language models write s for the tokens of a sequence, as chapter 10 does.
CHANGED = [*changed_letters(list(meanings())), *((number, "s", "tokens of a sequence") for number in (11, 13, 15))]


@every_row(("number", "letter", "meaning"), CHANGED)
def test_a_letter_that_changes_its_meaning_says_so(number, letter, meaning):
    assert says(first_use(number, letter), letter, meaning), f"chapter {number}, {letter}: say that it is not {meaning}"


def test_letters_that_change_are_found():
    assert len(CHANGED) > 30 and (13, "n", "size of a message") in CHANGED
    sentence = "A job wants $n$ nodes (here not the bytes of a message)."
    assert says(sentence, "n", "size of a message") and not says("A job wants $n$ nodes.", "n", "size of a message")
    assert not says("A job wants $n$ nodes. This is not a message.", "n", "size of a message")


OTHERS = [
    (int(numbers[0]), symbol, int(re.search(r"\d+", there[2]).group()), there[1])
    for symbol, numbers, meaning in meanings()
    if (there := re.search(r"\(\$(\w)\$ in (chapters? [^)]+)\)", meaning))
]


@every_row(("number", "letter", "other", "its_letter"), OTHERS)
def test_two_letters_for_one_thing_name_each_other(number, letter, other, its_letter):
    """The first use in one of the two chapters names both letters."""
    texts = [*first_use(number, letter).split("\n"), *first_use(other, its_letter).split("\n")]
    assert any(f"${letter}$" in text and f"${its_letter}$" in text and "chapter" in text for text in texts)
