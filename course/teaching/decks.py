"""How long the slides of a chapter take with a class, from the page as it is: nothing runs.

What a cell will show is taken for what such cells show: an explorer its strip, any other code a table. The built deck
counts the same way with what was really shown.
"""

from functools import cache

import nbformat

from chip2cluster import _pages

from ..publish.slides import deck

SHOWN = {True: "data-filmstrip", False: "c2c-data"}


@cache
def columns(topic):
    """Minutes of each column of the slides, by the cell that it begins with, in order."""
    found = {}
    for slide in slides(topic):
        if slide.first or not found:
            name = slide.name
            found[name] = 0.0
        found[name] += slide.seconds / 60
    return found


def slides(topic):
    """The slides of a chapter, with a stand-in for each result."""
    notebook = nbformat.read(_pages.chapters()[topic], as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            html = SHOWN["explore." in cell.source]
            cell.outputs = [nbformat.v4.new_output("display_data", data={"text/html": html})]
    return deck.slides(notebook, None)
