"""What can lie where a notebook should be."""

import json
import os

from .model import FULL, NAME, ROOT, SOLVED, Attack, notebook, write

FILE = f"lab_{NAME}.ipynb"


def _bytes(content):
    return lambda folder: (folder / FILE).write_bytes(content)


def _symlink(folder):
    os.symlink(ROOT / "solutions" / NAME / FILE, folder / FILE)


def _fifo(folder):
    os.mkfifo(folder / FILE)


def _directory(folder):
    (folder / FILE).mkdir()


def _renamed(folder):
    (folder / "Übung 3 – Kopie (final).ipynb").write_text(json.dumps(notebook(base=SOLVED)), encoding="utf-8")


def _huge(folder):
    made = notebook(base=SOLVED)
    made["cells"][1]["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "@"}]
    before, after = json.dumps(made).split('"@"')
    with open(folder / FILE, "w") as file:
        file.write(before + '"')
        for _ in range(200):
            file.write("x" * 2**20)
        file.write('"' + after)


def _latin(folder):
    text = json.dumps(notebook(base=SOLVED, last="# Größe"), ensure_ascii=False)
    (folder / FILE).write_bytes(text.encode("latin-1", "replace"))


def _nothing(folder):
    pass


def _unreadable(name, claim, build, **more):
    return Attack(name, claim, build, status="unreadable", **more)


ATTACKS = (
    _unreadable("no-json", "half a notebook", _bytes(b'{"cells": [{"cell_type": "co')),
    _unreadable("binary", "random bytes", _bytes(bytes(range(256)) * 400)),
    _unreadable("empty-file", "an empty file", _bytes(b"")),
    _unreadable("other-json", "JSON that is not a notebook", _bytes(b'[1, {"score": 25}]')),
    _unreadable("deep-json", "brackets nested a hundred thousand deep", _bytes(b"[" * 100_000)),
    _unreadable("symlink", "a link to the solutions", _symlink),
    _unreadable("fifo", "a pipe that never ends", _fifo),
    _unreadable("directory", "a folder with the notebook's name", _directory),
    _unreadable("empty-folder", "a folder with nothing in it", _nothing),
    _unreadable("200-MB", "a notebook of 200 MB", _huge, slow=True),
    Attack("renamed", "another file name", _renamed, most=FULL, least=FULL, status="graded"),
    Attack("latin-1", "another encoding", _latin, most=FULL, least=FULL, status="graded"),
    Attack("untouched", "nothing was done", lambda folder: write(folder, notebook()), status="graded"),
    Attack(
        "honest",
        "all was done",
        lambda folder: write(folder, notebook(base=SOLVED)),
        most=FULL,
        least=FULL,
        status="graded",
    ),
)
