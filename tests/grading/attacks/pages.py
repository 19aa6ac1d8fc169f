"""Submissions aimed at the person who marks them: at a browser, and at what lies beside the notebook."""

import base64
import struct
import zlib

from tests.grading.injection_texts import VECTORS

from .model import FULL, SOLVED, Attack, notebook, write

WIDE = base64.b64encode(
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"
    + struct.pack(">IIBBBBB", 36_000, 36_000, 1, 0, 0, 0, 0)
    + zlib.compress(bytes(10**6))
).decode()


def _solved(essay, last="", beside=()):
    """Full marks by right answers; what it tries must change nothing about them."""

    def build(folder):
        made = notebook({"recommendation": essay}, last=last, base=SOLVED)
        made["cells"] += [
            {"cell_type": kind, "id": f"own-{kind}", "metadata": {}, "source": essay} for kind in ("markdown", "raw")
        ]
        write(folder, made)
        for name in beside:
            (folder / name).write_text("<script>alert(1)</script>", encoding="utf-8")

    return build


ATTACKS = tuple(
    Attack(name, claim, build, most=FULL, least=FULL, status="graded")
    for name, claim, build in (
        (
            "page-scripts",
            "writes a hundred kinds of script, link and picture for its marker",
            _solved("\n\n".join(VECTORS)),
        ),
        (
            "page-files",
            "hands in pages, drawings and scripts beside the notebook, to be run by the instructor's browser",
            _solved(
                "See evil.html.", beside=("evil.html", "EVIL.SVG", "evil", "evil.txt.htm", "evil.html ", "evil.js")
            ),
        ),
        (
            "page-bombs",
            "a picture of a thousand million points, and towers of accents over the page",
            _solved("a" + "\u0301" * 10_000, last=f"display({{'image/png': {WIDE!r}}}, raw=True)"),
        ),
    )
)
