"""What the book adds to Sphinx's pages: places that links can name, the bar under a title, a print button."""

import re
from html import unescape
from urllib.parse import quote

from docutils import nodes

from autograder import course_pages

from . import crossrefs, glossary, side_notes, sources

PUNCTUATED = re.compile(r'(\(?)(<math alttext="[^"]*">(?:(?!</math>).)*</math>)([).,;:!?]*)', re.S)
VERDICT = re.compile(r'(<div class="c2c-exercise"[^>]* data-exercise="([^"]*)".*?)(?=<details class="c2c-hint">)', re.S)
TERMLESS = re.compile(r"<dl>\s*((?:<dd>(?:(?!</?d[dlt]\b).)*</dd>\s*)+)</dl>\s*", re.S)
NO_HEADER = re.compile(r"<th\b[^>]*>(?:\s|<p></p>)*</th>")  # a corner, which is no header of anything
EXERCISE = '<div class="c2c-exercise"'
RAN = "From here on, a cell that needs your solution of an exercise has run with the course's own."
DESCRIPTION = 160  # characters, as search engines show them


BOXES = ("Takeaway", "Watch out", "Spot the error", "Sources")
ANCHOR = re.compile(r'<a id="([^"]+)">')


def name_headings(app, doctree):
    """Give each heading the fragment that JupyterLab gives it, beside its own; an anchor of the same name goes."""
    for section in doctree.findall(nodes.section):
        heading = section[0].astext().strip().replace(" ", "-")
        if heading not in section["ids"]:
            section["ids"].append(heading)
    named = {name for section in doctree.findall(nodes.section) for name in section["ids"]}
    for raw in list(doctree.findall(nodes.raw)):
        anchor = ANCHOR.fullmatch(raw.astext())
        if anchor and anchor[1] in named:
            paragraph = raw.parent
            paragraph.remove(paragraph[paragraph.index(raw) + 1])  # </a>
            paragraph.remove(raw)
            if not paragraph.astext():
                paragraph.parent.remove(paragraph)


def mark_boxes(app, doctree):
    """Give the four kinds of box a class of their own."""
    for box in doctree.findall(nodes.block_quote):
        strong = box.next_node(nodes.strong)
        words = strong.astext().rstrip(".").removesuffix(":") if strong is not None else ""
        if words in BOXES and box.astext().startswith(strong.astext()):
            box["classes"] += ["box", words.lower().replace(" ", "-")]


def notebook(name):
    """The notebook behind a page, or None.

    >>> notebook("index"), notebook("search")
    ('00_start.ipynb', None)
    """
    file = f"{sources.FIRST if name == 'index' else name}.ipynb"
    return file if (sources.COURSE / file).exists() else None


def run_addresses(file, repository, ref):
    """Where a notebook can be run or had: the lab in the browser, Binder, the file."""
    return {
        "lite": f"lite/lab/index.html?path={file}",
        "binder": f"https://mybinder.org/v2/gh/{repository}/{quote(ref, safe='')}?urlpath=lab/tree/my_course/{file}",
        "download": f"notebooks/{file}",
    }


def describe(body):
    """The first paragraph of a page, as plain words.

    >>> describe("<h1>A</h1><p>One <em>two</em>.</p><p>Three.</p>")
    'One two.'
    """
    paragraph = re.search(r"<p>(.*?)</p>", body, re.S)
    words = unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]*>", "", paragraph[1]))).strip() if paragraph else ""
    return words if len(words) <= DESCRIPTION else words[:DESCRIPTION].rsplit(" ", 1)[0] + " …"


def keep_together(body):
    """Keep a formula and the punctuation beside it on one line; a browser would break before it.

    >>> keep_together('(<math alttext="k"><mi>k</mi></math>).')
    '<span class="keep">(<math alttext="k"><mi>k</mi></math>).</span>'
    """
    return PUNCTUATED.sub(
        lambda match: f'<span class="keep">{match[0]}</span>' if match[1] or match[3] else match[0], body
    )


def plain_parameters(body):
    r"""Show each parameter of a long signature on a line, because Sphinx writes an invalid list without terms.

    >>> plain_parameters("(<dl>\n<dd><em>a</em>,</dd>\n<dd><em>b</em></dd>\n</dl>\n)")
    '(<span class="parameter"><em>a</em>,</span> <span class="parameter"><em>b</em></span>)'
    """
    return TERMLESS.sub(
        lambda match: re.sub(
            r"<dd>(.*?)</dd>\s*", r'<span class="parameter">\1</span> ', match[1], flags=re.S
        ).rstrip(),
        body,
    )


def complete(app, pagename, templatename, context, doctree):
    """Put the bar under the title, and what the templates need into the context."""
    if "body" in context:
        context["body"] = NO_HEADER.sub("<td></td>", keep_together(plain_parameters(context["body"])))
    context["description"] = describe(context.get("body", ""))
    context["header_buttons"].append(
        {"type": "javascript", "javascript": "window.print()", "tooltip": "Print", "icon": "fa-solid fa-print"}
    )
    file = notebook(pagename)
    if file:
        book = app.config.html_context
        words = {
            "run": run_addresses(file, book["repository"], book["ref"]),
            "book": book,
        }
        if pagename == "index":
            place = f'<div id="{sources.WAYS}"></div>'
            context["body"] = context["body"].replace(place, app.builder.templates.render("front.html", words))
        else:
            context["body"] = context["body"].replace(
                "</h1>", "</h1>" + app.builder.templates.render("run.html", words), 1
            )
            context["body"] = context["body"].replace(EXERCISE, f'<p class="c2c-ran">{RAN}</p>{EXERCISE}', 1)
        # A chapter is long: the way to a kernel is wanted where something is to be written.
        tasks = course_pages.task_cells(sources.COURSE / file)
        write = lambda match: match[1] + _write(f"{words['run']['lite']}#cell-id={tasks[match[2]]}")
        context["body"] = VERDICT.sub(write, context["body"])


def _write(address):
    return f'<p class="c2c-write"><a href="{address}">Work on it in JupyterLab, in your browser</a></p>'


def setup(app):
    """Connect all this."""
    app.connect("doctree-read", name_headings)
    app.connect("doctree-read", mark_boxes)
    app.connect("doctree-read", side_notes.mark)
    app.connect("doctree-read", glossary.add_index_entries)
    app.connect("doctree-resolved", crossrefs.link)
    app.connect("html-page-context", complete, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
