"""Slides of a Markdown cell: its slide texts with its formulas and tables; its prose goes to the speaker's notes.

Without slide texts a heading is a slide, and a formula or table has the section's heading as title. An empty list of
texts is no slide at all.
"""

from autograder import slide_texts

from .markdown_blocks import TAG, blocks, html, notes_html


class NoSuchBlock(ValueError):
    """A slide text names a formula or table that its cell doesn't have."""


LONG = 8  # lines: longer tables have closer rows


def markdown_slides(cell, heading):
    """Return the slides of a cell, each as name, title, HTML, kind and notes; and notes for a neighbor if it has none.

    ``heading`` is that of the section in which the cell stands.
    """
    parts = blocks(cell.source)
    texts = slide_texts.entries(cell)
    if cell.id == "title":
        return [_title_slide(cell, parts, texts)], []
    shown = [part for part in parts if part.is_shown]
    if "slide" not in cell.metadata:
        texts = _without_texts(parts, heading)
    if not texts:
        return [], _said(parts)
    texts = _with_blocks(texts, len(shown))
    for entry in texts:
        if wrong := [place for place in entry["shows"] if not 1 <= place <= len(shown)]:
            raise NoSuchBlock(
                f"cell {cell.id} shows {wrong[0]}; it has {len(shown)} formulas and tables outside of folds"
            )
    made = []
    for number, (entry, said) in enumerate(zip(texts, _shares(parts, shown, texts), strict=True)):
        name = f"{cell.id}-{number}" if number else cell.id
        seen = [shown[place - 1] for place in entry["shows"]]
        kind = entry.get("box") or _kind(seen)
        made.append((name, entry["title"], _body(entry, seen), kind, _said(said)))
    return made, []


def _title_slide(cell, parts, texts):
    """Return the first slide of a chapter; goals, time and needs go to the notes."""
    title, *others = parts
    said = texts[0].get("text", "") if texts else ""
    return cell.id, title.heading, html(said), "title", _said(others)


def _with_blocks(texts, count):
    """Return the slide texts, each with the formulas and tables that it shows; a single one shows them all."""
    default = list(range(1, count + 1)) if len(texts) == 1 else []
    return [{**entry, "shows": entry.get("shows", default)} for entry in texts]


def _without_texts(parts, heading):
    """Return the slides of a cell that has no texts: one with its heading and its formulas, one for each table."""
    own = next((part.heading for part in parts if part.kind == "heading"), "")
    shown = [part for part in parts if part.is_shown]
    formulas = [place for place, part in enumerate(shown, 1) if part.kind == "formula"]
    made = [{"title": own, "shows": []}] if own else []
    for place in formulas:
        tag = TAG.search(shown[place - 1].text)
        name = f"equation ({tag[1]})" if tag else "formula"
        made.append({"title": f"{own or heading}: {name}", "shows": [place]})
    for place, part in enumerate(shown, 1):
        if part.kind == "table":
            made.append({"title": f"{own or heading}: table", "shows": [place]})
    # A heading alone is a slide only where the cell shows nothing else.
    return made[1:] if own and len(made) > 1 else made


def _body(entry, shown):
    """Return the HTML of a slide below its title."""
    text = html(entry.get("text", ""))
    if entry.get("box"):
        label = entry["box"].replace("-", " ").capitalize()
        text = f'<div class="box {entry["box"]}"><p class="label">{label}</p>{text}</div>'
    return "".join(html(block.text) for block in shown) + text


def _kind(seen):
    if not seen:
        return "words"
    return seen[0].kind + " tall" * (seen[0].kind == "table" and len(seen[0].text.splitlines()) > LONG)


def _shares(parts, shown, texts):
    """Return the blocks that are said to each slide: those up to the last one that it shows, else an equal share."""
    ends, start = [], 0
    for number, entry in enumerate(texts):
        if number == len(texts) - 1:
            end = len(parts)
        elif entry["shows"]:
            end = parts.index(shown[max(entry["shows"]) - 1]) + 1
        else:
            end = start + max(1, (len(parts) - start) // (len(texts) - number))
        ends.append((start, max(start, end)))
        start = max(start, end)
    return [parts[first:last] for first, last in ends]


def _said(parts):
    """Return the prose of blocks as HTML for the notes."""
    return [notes_html(part.text) for part in parts if part.kind == "prose"]
