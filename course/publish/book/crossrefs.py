"""Cross-references between pages and the reference: names of the package in code link to their entry, and back."""

import re

from docutils import nodes
from sphinx.addnodes import desc

from . import sources

CODE = re.compile(r"`([^`\n]+)`")
NAME = re.compile(r"""(?<![\w."'])([A-Za-z_]\w*(?:\.\w+)*)(\()?""")
BEGINS = re.compile(r"((?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*)(\()?")
PACKAGE, LEARNER = "chip2cluster", "autograder"


def pages_that_use(books, modules):
    """Return the pages that use each ``(module,)`` and ``(module, name)``: addresses with titles, in course order.

    ``books`` are notebooks by name, ``modules`` the public names by full name of their module.
    """
    spelled = {}
    for module, names in modules.items():
        package, _, home = module.rpartition(".")
        for name in names:
            # What the package holds is used through its module; the learner's names stand alone, and are called.
            spelled[f"{home}.{name}" if package else f"{name}("] = (module, name)
    users = {}
    for name, book in books.items():
        address = f"{sources.page(name)}.html"
        title = sources.short(sources.title(book)).replace(" · ", "\u00a0·\u00a0")  # stays on one line
        for cell in book.cells:
            code = [cell.source] if cell.cell_type == "code" else CODE.findall(cell.source)
            for match in (match for text in code for match in NAME.finditer(text)):
                dotted = ".".join(match[1].removeprefix(f"{PACKAGE}.").split(".")[:2])
                key = spelled.get(dotted) or spelled.get(f"{match[1]}{match[2] or ''}")
                if key:
                    users.setdefault(key[:1], {})[address] = title
                    users.setdefault(key, {})[address] = title
    return users


def link(app, doctree, page):
    """Link code in prose that begins with a public name to its entry."""
    objects = app.env.get_domain("py").objects
    module = next((name for name, entry in objects.items() if entry.docname == page and entry.objtype == "module"), "")
    for literal in list(doctree.findall(nodes.literal)):
        entry = objects.get(_full_name(literal, objects, module))
        if entry and not any(isinstance(parent, nodes.title | nodes.reference) for parent in _ancestors(literal)):
            reference = nodes.reference("", "", refuri=f"{entry.docname}.html#{entry.node_id}", internal=True)
            literal.replace_self(reference)
            reference += literal


def _full_name(literal, objects, module):
    """Return the full name that a piece of code begins with, or None; a module's own page may omit the module."""
    match = BEGINS.match(literal.astext())
    if not match:
        return None
    name, called = match.groups()
    full = [f"{parent[0]['ids'][0]}.{name}" for parent in _ancestors(literal) if isinstance(parent, desc)]
    full += [f"{module}.{name}"] if module else []
    full += [name, f"{PACKAGE}.{name}"] if "." in name else []  # a word alone may be an argument of an exercise
    full += [f"{LEARNER}.{name}"] if called else []
    return next((candidate for candidate in full if candidate in objects), None)


def _ancestors(node):
    while node := node.parent:
        yield node
