"""Duration of a chapter's slides with a class, estimated from the page without running it.

An explorer is counted as its filmstrip, any other code cell as a table. The built deck counts the same way with real
results.
"""

from functools import cache

import nbformat

from chip2cluster import _pages

from ..publish.slides import deck

SHOWN = {True: "data-filmstrip", False: "c2c-data"}


@cache
def columns(topic):
    """Return the minutes of each column of slides in order, by the id of the cell that begins it."""
    found, name = {}, ""
    for slide in slides(topic):
        if slide.column:
            name = slide.column
            found[name] = 0.0
        found[name] += slide.seconds / 60
    return found


def slides(topic):
    """Return the slides of a chapter, with a placeholder for each result."""
    notebook = nbformat.read(_pages.chapters()[topic], as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            html = SHOWN["explore." in cell.source]
            cell.outputs = [nbformat.v4.new_output("display_data", data={"text/html": html})]
    return deck.slides(notebook, None)
