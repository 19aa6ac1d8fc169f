"""Essays of a class, odd ones among them."""

import json
import random

from tests.grading.course import LAB, ROOT
from tests.grading.injection_texts import HTML, VECTORS

CHIPS = ("H100", "H200", "MI300X", "B200", "A100")
REASONS = (
    "memory bandwidth decides because every token reads all weights once",
    "the intensity of 6.3 FLOP/byte is far below the ridge",
    "the caches of 256 users outgrow the weights",
    "it gives the most tokens per joule",
    "capacity decides which chips remain at batch 256",
    "before signing I would measure a real decode loop",
    "its peak is the highest of all",
    "two of the figures are marked as low-confidence",
)
WORDS = " ".join(REASONS).split()
MATHEMATICS = (
    r"$$T = \max\left(\frac{W}{P}, \frac{Q}{b}\right)$$ so $I = \frac{W}{Q} = 6.3$, and "
    r"$\smash{\raise 900px{\Rule{900px}{400px}{400px}}}$ $\href{javascript:xss(1)}{x}$ is no formula."
)
TABLE = "| chip | GB | TB/s | tokens/s | tokens/J |\n|---|--:|--:|--:|--:|\n" + "\n".join(
    f"| {chip} | {80 + 10 * row} | {3.35 + row / 2:.2f} | {1321 + 143 * row} | {1.9 + row / 10:.1f} |"
    for row, chip in enumerate(CHIPS)
)
CODE = "```python\ndef rate(batch):\n    return batch / max(flops(batch) / peak, moved(batch) / bandwidth)\n```\n" + (
    "    indented = True  # " + "x" * 300
)
RIGHT_TO_LEFT = (
    "أختار شريحة H200 لأن عرض النطاق الترددي للذاكرة (4.8 TB/s) هو ما يحدد السرعة عند الدفعة 8.\n\n"
    "אני בוחר ב־H200 כי רוחב הפס של הזיכרון קובע."
)
ODD = {
    "empty": "",
    "blank": " \n\n\u200b\n",
    "right to left": RIGHT_TO_LEFT,
    "long": None,  # 5,000 words
    "picture": "My plot says it all: ![image.png](attachment:image.png)",
    "table": f"I compared five.\n\n{TABLE}\n\nSo the last one.",
    "wide table": "| " + " | ".join(f"column {n}" for n in range(40)) + " |\n|" + "---|" * 40 + "\n|" + " 1 |" * 40,
    "injection": "\n\n".join(VECTORS),
    "page": "\n".join(HTML),
    "mathematics": MATHEMATICS,
    "code": CODE,
    "one word": "w" * 9_000,
    "marks": "Z\u0351\u036b\u0343\u036a\u0302\u036b\u033d\u034f\u0334\u0319\u0324" * 40 + " 🤷🏽‍♀️ \u202egnp.exe",
    "copy": None,  # of the essay before
    "model answer": None,
}


def odd_essays(count):
    """Return essays by student; each kind of `ODD` comes once in thirty, at least once."""
    essays, kinds = {}, [*ODD]
    for number in range(count):
        choose = random.Random(number)
        student = f"{choose.choice('abcdefghij')}{choose.choice(['lma', 'ben', 'chen'])}{number:03}"
        place = number % 30 - 4
        kind = kinds[place] if 0 <= place < len(kinds) else ""
        essays[student] = _essay(kind, choose, [*essays.values()])
    return essays


def _essay(kind, choose, before):
    if kind == "long":
        return "\n\n".join(" ".join(choose.choice(WORDS) for _ in range(100)) + "." for _ in range(50))
    if kind == "copy":
        return next(text for text in before if text.startswith("I would buy")).replace(", ", ",\n").upper()
    if kind == "model answer":
        notebook = json.loads((ROOT / f"solutions/{LAB}/lab_{LAB}.ipynb").read_text(encoding="utf-8"))
        return next("".join(cell["source"]) for cell in notebook["cells"] if cell["id"] == "recommendation")
    if kind:
        return ODD[kind]
    one, other = choose.sample(CHIPS, 2)
    return f"I would buy the {one}, not the {other}, because {', and '.join(choose.sample(REASONS, 5))}."
