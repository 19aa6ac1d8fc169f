"""The code and the documents use the field's terms: words that were replaced are in `tests/words.toml`."""

import re
import subprocess
import tomllib
from fnmatch import fnmatch
from pathlib import Path

from tests.tables import every_row

ROOT = Path(__file__).resolve().parents[1]
LIST = tomllib.loads((ROOT / "tests/words.toml").read_text(encoding="utf-8"))
KINDS = {".py": "code", ".js": "code", ".css": "code", ".toml": "code", ".md": "docs", ".j2": "docs"}


def files():
    """Return the tracked files of code and documents, exempt ones left out."""
    names = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True).stdout.splitlines()
    return [
        name for name in names if Path(name).suffix in KINDS and not any(fnmatch(name, one) for one in LIST["exempt"])
    ]


def found(pattern, where, names):
    """Return the places of a pattern, as ``file:line``."""
    expression = re.compile(pattern, re.IGNORECASE)
    return [
        f"{name}:{number}: {line.strip()[:100]}"
        for name in names
        if where in ("all", KINDS[Path(name).suffix])
        for number, line in enumerate((ROOT / name).read_text(encoding="utf-8").splitlines(), 1)
        if expression.search(line)
    ]


@every_row("word", LIST["words"])
def test_replaced_words_are_gone(word):
    names = [name for name in files() if name not in word.get("exempt", ())]
    assert found(word["pattern"], word["where"], names) == [], f"write: {word['write']}"


def test_search_for_words_finds_them():
    names = files()
    assert len(names) > 500
    assert found(r"Imports_run_DOWN", "code", ["tests/test_repository.py"])
    assert found(r"imports_run_down", "docs", ["tests/test_repository.py"]) == []
