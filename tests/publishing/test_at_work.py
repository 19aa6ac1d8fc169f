"""`docs/at-work.md`: each command runs, and each line of output that is shown is a line of the real output."""

import contextlib
import io
import re
import shlex
from pathlib import Path

import pytest

from chip2cluster import shell

DOCUMENT = Path(__file__).resolve().parents[2] / "docs/at-work.md"
BLOCKS = re.findall(r"^```console\n(.*?)^```", DOCUMENT.read_text(encoding="utf-8"), re.M | re.S)


def squeezed(line):
    """Columns are as wide as their widest cell, so a shortened table has other blanks."""
    return " ".join(line.split())


def output(words):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        code = shell.main(words)
    return code, out.getvalue()


def test_there_are_ten_questions():
    assert re.findall(r"^\*\*(\d+)\. .+\?\*\*$", DOCUMENT.read_text(encoding="utf-8"), re.M) == [
        str(n) for n in range(1, 11)
    ]
    assert len(BLOCKS) == 10


@pytest.mark.parametrize("block", BLOCKS, ids=[block.split()[2] for block in BLOCKS])
def test_shown_output_is_the_real_one(block, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = block.splitlines()
    shown = [line for line in lines if not line.startswith("$ ") and line != "..."]
    real = []
    for line in lines:
        if line.startswith("$ chip2cluster "):
            asked, _, file = line.removeprefix("$ chip2cluster ").partition(" > ")
            code, text = output(shlex.split(asked))
            assert code in (0, 1), line
            if file:
                Path(file).write_text(text, encoding="utf-8")
            real = [squeezed(one) for one in text.splitlines()]
    assert shown
    places = [real.index(squeezed(line)) for line in shown]
    assert places == sorted(places)
