"""The pages of the book, by name, and how tests read one."""

import re
from functools import cache
from html import unescape

from course.publish.book import guides, reference, sources

COURSE = sources.COURSE
NOTEBOOKS = sorted(file.name for file in COURSE.glob("*.ipynb"))
PAGES = [f"{sources.page(name)}.html" for name in NOTEBOOKS]
REFERENCE = [f"{reference.page(module)}.html" for module in reference.modules()]
GUIDES = [f"{guides.page(guide)}.html" for guide in guides.guides()]
EVERY = [*PAGES, "api.html", *REFERENCE, *GUIDES, "search.html", "404.html"]
CHAPTERS = [name for name in PAGES if name[:2].isdigit()]


@cache
def read(path):
    return path.read_text(encoding="utf-8")


def words(html):
    return unescape(re.sub(r"<[^>]*>", "", html))


def article(html):
    return html.partition('<article class="bd-article">')[2].partition("</article>")[0]
