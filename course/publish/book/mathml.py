"""TeX to MathML, once, while the book is built: a reader's browser sets formulas without any script.

latex2mathml finds the structure; the spacing that TeX would give is put right here.
Every formula carries its TeX as alternative text, and a formula that cannot be set is a warning,
which ends the build.
"""

import re
from html import escape
from xml.etree import ElementTree

from docutils.nodes import SkipNode
from latex2mathml.converter import convert
from sphinx.util import logging

TAG = re.compile(r"\s*\\tag\{([^}]+)\}")
NAMESPACE = "{http://www.w3.org/1998/Math/MathML}"
FUNCTIONS = {"max", "min", "log", "ln", "exp", "sin", "cos", "gcd", "lim", "sup", "inf"}
LIMITS = {"max", "min", "lim", "sup", "inf", "gcd"}
OPEN, BINARY, TIGHT, RELATIONS = "([{⌈⌊|", "×⋅·", "/.!", "=≈≤≥"
OPENING, CLOSING = ("{", "(", r"\left", r"\begin"), ("}", ")", r"\right", r"\end")
BREAKS = ("=", r"\approx", r"\le", r"\ge", r"\leq", r"\geq", r"\times")  # a line may end before them
THIN, MEDIUM, THICK = "0.167em", "0.222em", "0.278em"

logger = logging.getLogger(__name__)


def mathml(tex, display=False):
    """A formula as a ``<math>`` element.

    >>> mathml("n/2")
    '<math alttext="n/2"><mrow><mi>n</mi><mo lspace="0" rspace="0">/</mo><mn>2</mn></mrow></math>'
    """
    tex = re.sub(r"\s+", " ", tex).strip()
    root = ElementTree.fromstring(convert(tex.replace(r"\!", ""), display="block" if display else "inline"))
    for node in root.iter():
        node.tag = node.tag.removeprefix(NAMESPACE)
        if node.text and "\\" in node.text:
            raise ValueError(f"{node.text} is not known in ${tex}$")
    for row in [node for node in root.iter() if node.tag in ("mrow", "math", "mtd", "mstyle")]:
        _space(row, display)
    root.attrib = {**({"display": "block"} if display else {}), "alttext": tex}
    return ElementTree.tostring(root, encoding="unicode")


def pieces(tex):
    r"""A displayed formula in the parts between which a line may end, each with whether a gap stands before it.

    >>> pieces(r"a = b = c, \qquad d")
    [('a', False), ('= b', False), ('= c,', False), ('d', True)]
    """
    parts, depth = [["", False]], 0
    for token in re.findall(r"\\[a-zA-Z]+|\\.|.", re.sub(r"\s+", " ", tex)):
        depth += (token in OPENING) - (token in CLOSING)
        if not depth and token == r"\qquad":
            parts.append(["", True])
            continue
        if not depth and token in BREAKS and parts[-1][0].strip():
            parts.append(["", False])
        parts[-1][0] += token
    return [(re.sub(r"(\\[ ,;!]|\s)+$", "", part).strip(), apart) for part, apart in parts]


def _space(row, display):
    """Give the children of a row the distances that TeX gives them."""
    children = list(row)
    for place, node in enumerate(children):
        before = children[place - 1] if place else None
        after = children[place + 1] if place + 1 < len(children) else None
        name = node[0] if node.tag in ("msub", "msup", "msubsup") else node
        if name.tag in ("mo", "mi") and name.text in FUNCTIONS:
            name.tag, name.attrib = "mi", {}
            if display and node.tag == "msub" and name.text in LIMITS:
                node.tag = "munder"
            if after is not None and not _opens(after) and after.tag not in ("mtext", "mspace"):
                row.insert(list(row).index(node) + 1, ElementTree.Element("mspace", width=THIN))
            if before is not None and before.tag in ("mn", "mi"):
                row.insert(list(row).index(node), ElementTree.Element("mspace", width=THIN))
        elif node.tag == "mi" and node.text in tuple("⌈⌊⌉⌋"):
            node.tag, node.attrib = "mo", {"stretchy": "false", "form": "prefix" if node.text in OPEN else "postfix"}
        elif node.tag == "mo" and before is None and node.text in tuple(RELATIONS + BINARY):
            # At the head of a piece that may begin a line. MathML takes a row of a sign and words for one sign, and gives the
            # space of the sign to the row; so the space is an element of its own.
            node.set("lspace", "0"), node.set("rspace", "0")
            for at in (0, 2) if after is not None and after.tag != "mspace" else (0,):
                row.insert(at, ElementTree.Element("mspace", width=MEDIUM if node.text in BINARY else THICK))
        elif node.tag == "mo" and node.text in tuple(BINARY):
            node.set("lspace", MEDIUM), node.set("rspace", MEDIUM)
        elif node.tag == "mo" and node.text in tuple(TIGHT):
            node.set("lspace", "0"), node.set("rspace", "0")
        elif (
            node.tag == "mo"
            and node.text in ("−", "-")
            and (before is None or (before.tag == "mo" and before.text == ","))
        ):
            node.set("form", "prefix")


def _opens(node):
    """Whether a node begins with an opening bracket."""
    while len(node) and node.tag == "mrow":
        node = node[0]
    return node.tag == "mo" and (node.text or " ") in OPEN


def anchor(number):
    """The fragment of a numbered equation.

    >>> anchor("3.2")
    'eq-3-2'
    """
    return "eq-" + number.replace(".", "-").lower()


def visit_inline(writer, node):
    """Write an inline formula."""
    writer.body.append(_set(node.astext(), display=False, place=node))
    raise SkipNode


def visit_block(writer, node):
    """Write a displayed formula, its number at the right."""
    tex = node.astext()
    writer.body.append(block(tex, lambda part: _set(part, display=True, place=node)) + "\n")
    raise SkipNode


def block(tex, one=lambda part: mathml(part, display=True)):
    """A displayed formula as HTML, its number at the right; ``one`` sets each part between which a line may end."""
    number = TAG.search(tex)
    parts = "".join(
        f'<span class="apart">{one(part)}</span>' if apart else one(part) for part, apart in pieces(TAG.sub("", tex))
    )
    formula = f'<div class="formula">{parts}</div>'
    name = ""
    if number:
        label = escape(number[1])
        name = f' id="{anchor(label)}"'
        formula += f'<a class="eqno" href="#{anchor(label)}" aria-label="Equation {label}">({label})</a>'
    return f'<div class="equation"{name}>{formula}</div>'


def _set(tex, display, place):
    try:
        return mathml(tex, display)
    except Exception as error:  # the converter raises whatever its parser met
        logger.warning("this formula cannot be set: %s (%s)", tex, error, location=place)
        return f"<code>{escape(tex)}</code>"


def setup(app):
    """Register the renderer with Sphinx."""
    app.add_html_math_renderer("mathml", inline_renderers=(visit_inline, None), block_renderers=(visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
