"""The code and the documents use the field's terms: words that were replaced are in `tests/words.toml`."""

import json
import re
import subprocess
import tomllib
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

from tests.tables import every_row

ROOT = Path(__file__).resolve().parents[1]
LIST = tomllib.loads((ROOT / "tests/words.toml").read_text(encoding="utf-8"))
KINDS = {".py": "code", ".js": "code", ".css": "code", ".toml": "code", ".md": "docs", ".j2": "docs", ".ipynb": "pages"}


def files(exempt=LIST["exempt"]):
    """Return the tracked files of code, documents and notebooks, exempt ones left out."""
    names = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True).stdout.splitlines()
    return [name for name in names if Path(name).suffix in KINDS and not any(fnmatch(name, one) for one in exempt)]


@cache
def lines(name):
    """Return the lines of a file, of a notebook those of its cells."""
    text = (ROOT / name).read_text(encoding="utf-8")
    if name.endswith(".ipynb"):
        text = "\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"])
    return text.splitlines()


def found(pattern, where, names):
    """Return the places of a pattern, as ``file:line``."""
    expression = re.compile(pattern, re.IGNORECASE)
    return [
        f"{name}:{number}: {line.strip()[:100]}"
        for name in names
        if where in ("all", KINDS[Path(name).suffix])
        for number, line in enumerate(lines(name), 1)
        if expression.search(line)
    ]


@every_row("word", LIST["words"])
def test_replaced_words_are_gone(word):
    assert word["where"] in ("all", "code", "docs", "pages")
    left = {place.partition(":")[0] for place in found(word["pattern"], word["where"], files(()))}
    assert set(word.get("exempt", ())) <= left, "an exempt file no longer holds the word"
    names = [name for name in files() if name not in word.get("exempt", ())]
    assert found(word["pattern"], word["where"], names) == [], f"write: {word['write']}"


@every_row("pattern, left", LIST["left"].items())
def test_chapters_hold_no_more_replaced_words(pattern, left):
    """Chapters and notebooks are revised together; until then, their number of replaced words may only fall."""
    names = [name for name in files(()) if fnmatch(name, pattern)]
    assert len(names) > 10
    count = sum(len(found(word["pattern"], word["where"], names)) for word in LIST["words"])
    assert count == left, f"{pattern}: {count} replaced words; lower the number in tests/words.toml, never raise it"


def test_search_for_words_finds_them():
    names = files()
    assert len(names) > 500
    assert found(r"Imports_run_DOWN", "code", ["tests/test_repository.py"])
    assert found(r"imports_run_down", "docs", ["tests/test_repository.py"]) == []
    assert found(r"roofline", "pages", ["course/03_roofline.ipynb"])
