"""Short notes that stand in the margin where a window is wide, and in the text where it is not.

A note is the line of difficulty, importance and minutes under the title of an exercise, which stands beside that title, or a
short warning, which stands beside the prose before it. Whether prose beside it is long enough is estimated here, because a
sheet cannot know; a test looks at every page in a browser.
"""

from math import ceil

from docutils import nodes

SIDE = "c2c-side"  # stands in the margin
LIFTED = "c2c-lifted"  # ends where the text before it ends
EXERCISE = "difficulty "
PROSE = nodes.paragraph, nodes.bullet_list, nodes.enumerated_list, nodes.math_block
LINE, GAP = 27, 17  # px of a line of prose, and between paragraphs
LETTERS = 66  # of a line of prose
SIDE_LINE, SIDE_LETTERS, SIDE_ROOM = 23, 20, 12  # of a note: px of a line, its letters, px above and below


def mark(app, doctree):
    """Mark the notes of a page."""
    for paragraph in doctree.findall(nodes.paragraph):
        if len(paragraph) == 1 and isinstance(paragraph[0], nodes.emphasis) and paragraph.astext().startswith(EXERCISE):
            paragraph["classes"].append(SIDE)
            words = paragraph[0].astext()
            paragraph[0].clear()
            paragraph[0] += list(_parts(words))
    for box in doctree.findall(nodes.block_quote):
        if "watch-out" in box["classes"] and note_height(box.astext()) <= sum(map(_height, _prose_before(box))):
            box["classes"] += [SIDE, LIFTED]


def _parts(words):
    """Yield the parts of a line and the dots between them: in the margin each part is a line, without dots."""
    for place, part in enumerate(words.split(" · ")):
        if place:
            yield nodes.inline(text=" · ", classes=["c2c-dot"])
        yield nodes.inline(text=part, classes=["c2c-part"])


def note_height(text):
    """Estimate the height of a note in the margin, in px.

    >>> note_height("a" * 200)
    242
    """
    return SIDE_LINE * ceil(len(text) / SIDE_LETTERS) + SIDE_ROOM


def _prose_before(box):
    """Yield what stands directly before a box, back to a heading or to whatever is not prose."""
    for node in reversed(box.parent[: box.parent.index(box)]):
        if not isinstance(node, PROSE) or SIDE in node["classes"]:
            return
        yield node


def _height(node):
    parts = [node] if isinstance(node, (nodes.paragraph, nodes.math_block)) else node.findall(nodes.paragraph)
    return sum(LINE * (len(part.astext()) // LETTERS) + GAP for part in parts)  # a last line may be short
