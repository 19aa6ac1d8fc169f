"""Search by glossary: each term and synonym is a main index entry, and the search page knows the chapters that teach it."""

import json
import re
from functools import cache

import nbformat
from docutils import nodes
from sphinx import addnodes

from . import sources

PAGE = "glossary"
ENTRY = re.compile(r'^<a id="([^"]+)"></a>\*\*([^*]+)\*\*(?: \(([^)]+)\))?: .+ \*→ (.+)\*$', re.M)
ANCHOR = re.compile(r'<a id="([^"]+)">')
TAUGHT = re.compile(r"\]\((\w+)\.(?:ipynb|html)\)")
# Sphinx's own weights; only `score`, which orders the kinds of pages, is the book's.
SCORER = """var Scorer = (() => {
  const TAUGHT = %s;
  const query = (new URLSearchParams(location.search).get("q") ?? "").toLowerCase().trim();
  const taught = Object.hasOwn(TAUGHT, query) ? TAUGHT[query] : [];
  // The entry of the glossary first, then the chapters that teach it, other chapters, other pages, the package last.
  const score = ([docname, , anchor, , weight, , kind]) => {
    if (docname === "glossary" && kind === "index") return 3000 + weight;
    if (taught.includes(docname)) return 2900 - 10 * taught.indexOf(docname) + (anchor ? 0 : 5);
    if (/^api(_|$)/.test(docname)) return weight - 1000;
    return /^\\d\\d_/.test(docname) ? 1000 + weight : weight;
  };
  return {
    score, objNameMatch: 11, objPartialMatch: 6, objPrio: { 0: 15, 1: 5, 2: -5 }, objPrioDefault: 0,
    title: 15, partialTitle: 7, term: 5, partialTerm: 2,
  };
})();
"""


def terms(text):
    """Forms of each entry of the glossary: the anchor, the term with its synonyms, the pages that teach it.

    >>> terms('<a id="kv-cache"></a>**KV cache** (key-value cache): Keys. *→ [3](03_roofline.ipynb)*')
    [('kv-cache', ['KV cache', 'key-value cache'], ['03_roofline'])]
    """
    return [
        (place, [term, *(other.split(", ") if other else [])], TAUGHT.findall(links))
        for place, term, other, links in ENTRY.findall(text)
    ]


@cache
def entries():
    """The entries of the course's glossary, see `terms`."""
    book = nbformat.read(sources.COURSE / f"{PAGE}.ipynb", as_version=4)
    return [entry for cell in sources.markdown(book) for entry in terms(cell.source)]


def scorer():
    """JavaScript that ranks the results of Sphinx's search."""
    return SCORER % json.dumps(
        {form.lower(): taught for _, forms, taught in entries() for form in forms}, ensure_ascii=False, indent=1
    )


def add_index_entries(app, doctree):
    """Make each form of a term a main index entry of the glossary and of the chapters that teach it.

    Sphinx's search finds a page by these even if its text has only a synonym, and shows a page once.
    """
    page = app.env.docname
    if page == PAGE:
        _move_anchors(doctree)
        named = [(form, place) for place, forms, _ in entries() for form in forms]
    else:
        named = [(form, "") for _, forms, taught in entries() if page in taught for form in forms]
    section = next(doctree.findall(nodes.section), None)
    if section is not None and named:
        section.append(addnodes.index(entries=[("single", form, place, "main", None) for form, place in named]))


def _move_anchors(doctree):
    """Move the anchor of each entry to its paragraph, so that the search page finds the sentence to show."""
    places = {place for place, _, _ in entries()}
    for raw in list(doctree.findall(nodes.raw)):
        anchor = ANCHOR.fullmatch(raw.astext())
        if anchor and anchor[1] in places:
            paragraph = raw.parent
            paragraph.remove(paragraph[paragraph.index(raw) + 1])  # </a>
            paragraph.remove(raw)
            paragraph["ids"].append(anchor[1])
