"""In sanitized Markdown no renderer finds a tag, a link, a picture or an anchor."""

import re
from html.parser import HTMLParser
from urllib.parse import quote

from hypothesis import given, settings
from hypothesis import strategies as st
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

from autograder.grading.sanitize import notebook_cells
from tests.grading.injection_texts import VECTORS

PIECES = [
    *"<>/!?[]():#&;-=|`~*_$\\ \n\t'\"a1",
    *("\n\n", "<script>", "</script>", "<img src=x onerror=x>", "javascript:", "](", "![", "]: ", "<br>"),
    *("<sub>", "</sub>", "<sup>a</sup>", "&lt;", "&#60;", "```", "mermaid", "# a", "\n===\n", "\n---\n"),
    *("> ", "- ", "1. ", "| a | b |\n|---|---|\n", "$$", "\\begin{x}", "\\end{x}", "https://ok.test/"),
    *("[a]", "[^1]", "<!--", "-->", "<![CDATA[", "files/", "\x00", "\x1b[0m", "\u2060", "\u200b"),
    *("&colon;", "&Tab;"),
]
TAGS = {
    *("p", "div", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "dl", "dt", "dd", "blockquote", "hr"),
    *("table", "thead", "tbody", "tr", "th", "td", "a", "em", "strong", "code", "span", "del", "pre", "br"),
    *("sub", "sup", "kbd", "mark", "input"),
}


class Tags(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.seen = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.seen.append((tag, dict(attributes)))

    def handle_comment(self, data):
        self.seen.append(("comment", {}))

    handle_decl = handle_pi = unknown_decl = handle_comment


def rendered(markdown):
    return MarkdownWithMath(renderer=IPythonRenderer(escape=False)).render(markdown)


@settings(max_examples=300)
@given(
    st.lists(st.sampled_from(PIECES), max_size=30).map("".join)
    | st.lists(st.sampled_from(VECTORS), max_size=4).map(" ".join)
)
def test_whatever_is_written_no_tag_comes_of_it(text):
    apart = notebook_cells.neutralize_markdown(text)
    assert notebook_cells.neutralize_markdown(apart) == apart and apart.replace(
        notebook_cells.WORD_JOINER, ""
    ) == text.replace(notebook_cells.WORD_JOINER, "")
    for tag, attributes in Tags(rendered(apart)).seen:
        assert tag in TAGS
        assert set(attributes) <= {"href", "id", "class", "type", "disabled", "checked", "start", "style"}, attributes
        assert attributes.get("href", "#").startswith(("#", "http://", "https://"))
        assert "id" not in attributes or quote(notebook_cells.WORD_JOINER) in attributes["id"]
        assert re.fullmatch("|text-align:(left|right|center)", attributes.get("style", ""))


HONEST = """
## Which chip I would buy

**The H100** has a ridge of *295* FLOP/byte, and `a < b` or `x[0](y)` is code. A&B; C# too.

| chip | ridge | note |
|:-----|------:|:----:|
| H100 | 295   | H<sub>2</sub>O<br>cooled |
| MI300X | 123 | 10<sup>3</sup> |

1. First, $t = \\max(f/p, b/w) < 1$ and $$\\frac{a}{b} \\le c$$
2. Then ~~that~~ this: https://example.org/sheet.pdf

> A quotation -- with dashes

```python
if a < b: print("<b>", x[1](2))  # a comment
```

- [x] done
- not done

***

\\begin{align} a &< b \\\\ c &= d \\end{align}
"""


def plainly(html):
    """Remove separators, syntax colours and ids of headings."""
    return re.sub(f'</?span[^>]*>|&#8288; |{notebook_cells.WORD_JOINER}|(id|href)="#?[^"]*Which[^"]*"', "", html)


def test_an_honest_text_looks_the_same():
    before, after = rendered(HONEST), rendered(notebook_cells.neutralize_markdown(HONEST))
    assert plainly(after) == plainly(before) and "<sub>2</sub>" in after and "<table>" in after and "<br>" in after
    # nbconvert itself parses half of this sentence as a tag.
    assert "If n&lt;m and" in rendered(notebook_cells.neutralize_markdown("If n<m and a > b, then")).replace(
        notebook_cells.WORD_JOINER, ""
    )
