"""The reference of the package in the book: every public name, its examples, and links both ways."""

import ast
import re
from doctest import DocTestParser
from importlib import import_module

import nbformat
import pytest

from course.publish.book import check, crossrefs, reference, sources
from tests.book.names import CHAPTERS, COURSE, NOTEBOOKS, article, read, words

MODULES = reference.modules()


def body(site, module):
    return article(read(site / f"{reference.page(module)}.html"))


@pytest.mark.parametrize("module", MODULES)
def test_every_public_name_has_an_entry_and_its_examples(site, module):
    html, home = body(site, module), import_module(module)
    text, ids = words(html), check.Page(html).ids
    assert f"module-{module}" in ids
    assert " at 0x" not in text, "a place in memory, another one for each build"
    for name in home.__all__:
        assert {f"{module}.{name}", f"module-{module}.{name}"} & ids, name
        documented = getattr(home, name).__doc__ if callable(getattr(home, name)) else ""
        for example in DocTestParser().get_examples(documented or ""):
            assert f">>> {example.source.splitlines()[0]}" in text, name


@pytest.mark.parametrize("module", MODULES)
def test_every_public_name_says_what_it_is(site, module):
    listed = re.search(r'<dl class="[^"]*\bnames\b.*?</dl>', body(site, module), re.S)[0]
    sentences = re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", re.sub(r"\s*\n\s*", "", listed))
    assert [words(name) for name, _ in sentences] == list(import_module(module).__all__)
    assert all(words(sentence) for _, sentence in sentences)


def test_the_overview_names_everything(site):
    links = {address for _, _, address in check.Page(article(read(site / "api.html"))).links}
    for module in MODULES:
        for name in import_module(module).__all__:
            assert any(link.endswith((f"#{module}.{name}", f"#module-{module}.{name}")) for link in links), name


def used(name):
    """The modules of the package whose public names the code of a notebook asks for, read as Python."""
    for cell in nbformat.read(COURSE / name, 4).cells:
        if cell.cell_type == "code":
            for node in ast.walk(ast.parse(cell.source)):
                if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                    module = f"chip2cluster.{node.value.id}"
                    if module in MODULES and node.attr in import_module(module).__all__:
                        yield module, node.attr


@pytest.mark.parametrize("name", [name for name in NOTEBOOKS if f"{sources.page(name)}.html" in CHAPTERS])
def test_a_page_of_the_package_names_the_chapters_that_use_it(site, name):
    pairs = set(used(name))
    assert pairs
    for module, attribute in pairs:
        entry = body(site, module).partition(f'id="{module}.{attribute}"')[2].partition("On the pages:")[2]
        assert f'href="{name.removesuffix(".ipynb")}.html"' in entry.partition("</p>")[0], (module, attribute)


def test_code_in_prose_is_a_link_to_its_entry(site):
    shown = '<a class="reference internal" href="api_specs.html#chip2cluster.specs.accelerator"><code'
    assert shown in read(site / "03_roofline.html")
    assert 'href="api_units.html#chip2cluster.units.show"' in article(read(site / "notation.html"))
    assert 'href="api_autograder.html#autograder.hint"' in article(read(site / "01_machine.html"))
    # `units` is an argument of an exercise there, and no module.
    assert 'href="api_units' not in article(read(site / "02_accelerators.html"))
    for name in CHAPTERS:
        html = article(read(site / name))
        assert not [heading for heading in re.findall(r"<h[1-6].*?</h[1-6]>", html, re.S) if 'href="api' in heading]
        assert not re.search(r"<pre(?:(?!</pre>).)*href=\"api", html, re.S)


def book(title, *cells):
    made = [nbformat.v4.new_markdown_cell(f"# {title}")]
    kinds = {"code": nbformat.v4.new_code_cell, "markdown": nbformat.v4.new_markdown_cell}
    return nbformat.v4.new_notebook(cells=[*made, *(kinds[kind](source) for kind, source in cells)])


def test_what_counts_as_use():
    pages = {
        "03_a": book(
            "3 · A", ("code", "roofline.ridge(1)"), ("markdown", "the word roofline.table, and `specs.table`")
        ),
        "04_b": book("4 · B", ("code", 'check("roofline.ridge", mine)\nother.roofline.ridge')),
    }
    names = {
        "chip2cluster.roofline": ["ridge", "table"],
        "chip2cluster.specs": ["table"],
        "autograder": ["check", "hint"],
    }
    first, second = {"03_a.html": "3\u00a0·\u00a0A"}, {"04_b.html": "4\u00a0·\u00a0B"}
    assert crossrefs.pages_that_use(pages, names) == {
        ("chip2cluster.roofline",): first,
        ("chip2cluster.roofline", "ridge"): first,
        ("chip2cluster.specs",): first,
        ("chip2cluster.specs", "table"): first,
        ("autograder",): second,
        ("autograder", "check"): second,
    }


NEWCOMER = '''
"""What is new."""

__all__ = ["LIMIT", "Kind", "Special", "kind", "solve"]

LIMIT = 3


class Root:
    def halve(self):
        """Take half."""


class Kind(Root):
    """A kind of thing."""

    def __init__(self, size=1, **values):
        self.size = size

    @property
    def half(self):
        """Half of it."""

    def hidden(self):
        return 0


class Special(Kind):
    """A special kind."""


kind = Kind


def solve(x: float, *, how: str = "fast") -> Kind:
    """Solve it.

    Parameters
    ----------
    x : float
        How much, bytes.
    how : {"fast", "well"}

    Returns
    -------
    Kind
    """
'''


def test_a_new_module_appears_by_itself(tmp_path, monkeypatch):
    (tmp_path / "newcomer.py").write_text(NEWCOMER)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(reference, "modules", lambda: ["newcomer"])
    reference.write(tmp_path, {})
    text = (tmp_path / "api_newcomer.rst").read_text()
    assert ".. py:class:: Kind(size=1, **values)" in text and ".. py:property:: half" in text and "hidden" not in text
    assert text.count("py:property:: half") == text.count("py:method:: halve()") == 1  # Special has them of Kind
    assert ".. py:class:: kind\n\n   Another name of ``Kind``." in text
    assert ".. py:function:: solve(x, *, how='fast')" in text and "**x** : float\n" in text and "``Kind``" in text
    assert '**how** : ``{"fast", "well"}``' in text
    assert ".. py:data:: LIMIT\n   :value: 3" in text
    assert "newcomer <api_newcomer>" in (tmp_path / "api.rst").read_text()


def test_a_section_that_would_be_lost_is_refused():
    def helped():
        """Do it.

        See Also
        --------
        other : Does it too.
        """

    with pytest.raises(sources.BrokenReference, match="helped: the reference cannot show the section See Also"):
        reference._described(helped)
