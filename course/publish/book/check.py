"""Whether every address inside the book leads somewhere. The build fails where one does not."""

from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

ADDRESSES = {"href", "src", "poster", "data-filmstrip", "data-src"}
MADE_LATER = "lite/"  # the lab in the browser is a site of its own


class Page(HTMLParser):
    """What a page offers (``ids``) and what it asks for (``links``, with tag and attribute)."""

    def __init__(self, html):
        super().__init__()
        self.ids, self.links, self.twice = set(), [], set()
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        """Collect the ids and addresses of a tag."""
        for name, value in attributes:
            if name == "id" or (tag == "a" and name == "name"):
                (self.twice if value in self.ids else self.ids).add(value)
            elif name in ADDRESSES and value:
                self.links.append((tag, name, value))
            elif name == "srcset" and value:
                self.links += [(tag, name, entry.split()[0]) for entry in value.split(",")]


def pages(site):
    """Every page of the site by its path."""
    return {path: Page(path.read_text(encoding="utf-8")) for path in sorted(site.glob("*.html"))}


def broken(pages):
    """Every address of every page that leads nowhere, as ``"page: address"``."""
    dead_ends = []
    for path, page in pages.items():
        dead_ends += [f"{path.name}: two things are called #{name}" for name in sorted(page.twice)]
        for _, _, address in page.links:
            parts = urlsplit(address)
            if parts.scheme or parts.netloc or parts.path.startswith(MADE_LATER):
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.is_file() or (
                parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].ids
            ):
                dead_ends.append(f"{path.name}: {address}")
    return dead_ends


def outside(pages):
    """Every address that a page would fetch from elsewhere by itself (links for the reader are not among them)."""
    fetched = []
    for path, page in pages.items():
        for tag, name, address in page.links:
            if tag != "a" and (urlsplit(address).netloc or urlsplit(address).scheme in ("http", "https")):
                fetched.append(f"{path.name}: <{tag} {name}={address}>")
    return fetched
