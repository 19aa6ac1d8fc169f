"""What leads out of the submitted folder, or has no end."""

import os
import zipfile

from .model import FULL, NAME, ROOT, SOLVED, Attack, notebook, write

FILE = f"lab_{NAME}.ipynb"


def _linked(folder):
    other = folder.parent.parent / "somebody" / NAME
    other.mkdir(parents=True)
    write(other, notebook(base=SOLVED))
    folder.rmdir()
    folder.symlink_to(other)


def _link_beside(folder):
    write(folder, notebook(base=SOLVED))
    (folder / "notes.ipynb").symlink_to(ROOT / "solutions" / NAME / FILE)
    (folder / "more").symlink_to(ROOT / "solutions")


def _endless(folder):
    write(folder, notebook(base=SOLVED))
    back = os.open(".", os.O_RDONLY)
    try:
        os.chdir(folder)
        # Longer than any call takes a path; each is made from within the one around it.
        for _ in range(25):
            os.mkdir("n" * 200)
            os.chdir("n" * 200)
        with open("last", "w"):
            pass
    finally:
        os.fchdir(back)
        os.close(back)


def _bomb(folder):
    with zipfile.ZipFile(folder / "lab.zip", "w", zipfile.ZIP_DEFLATED) as archive, archive.open(FILE, "w") as file:
        for _ in range(200):
            file.write(bytes(1 << 20))


def _copy(folder):
    write(folder, notebook(base=SOLVED))
    os.rename(folder / FILE, folder / "03_roofline-Copy1.ipynb")
    write(folder, notebook())


ATTACKS = (
    Attack("linked-folder", "a link to the folder of somebody else", _linked, status="unreadable"),
    Attack(
        "links-beside",
        "links to the solutions beside honest work",
        _link_beside,
        most=FULL,
        least=FULL,
        status="graded",
    ),
    Attack("endless-path", "a path longer than any call takes", _endless, most=FULL, least=FULL, status="graded"),
    Attack("zip-bomb", "200 MB in a zip of 200 kB", _bomb, status="unreadable"),
    Attack(
        "worked-in-copy", "all was done, in a copy beside the original", _copy, most=FULL, least=FULL, status="graded"
    ),
)
