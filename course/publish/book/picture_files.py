"""Pictures of the book as files, so that a page is light and a browser fetches only those that come near.

A notebook carries its pictures inside; a page of the book names them, and two pages share one that is the same.
"""

import hashlib
import re
from base64 import b64decode
from pathlib import Path

FOLDER = "_static/pictures"  # as the pages see it
INSIDE = re.compile(r'<img ([^>]*)src="data:image/svg\+xml;base64,([^"]*)"')
LAZY = 'loading="lazy" '
FILE = re.compile(rf'src="({FOLDER}/\w+\.svg)"')


def write(html, static):
    """Write every picture that HTML carries to ``static/pictures``; return the HTML with their addresses."""
    folder = Path(static) / Path(FOLDER).name

    def file(image):
        picture = b64decode(image[2])
        name = hashlib.sha256(picture).hexdigest()[:16] + ".svg"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(picture)
        return f'<img {image[1]}{LAZY}src="{FOLDER}/{name}"'

    return INSIDE.sub(file, html)


def names(html):
    """Return the files that HTML names, as its page sees them."""
    return set(FILE.findall(html))
