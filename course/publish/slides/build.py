"""The slides as a folder that opens from a disk or a web server, with nothing fetched from elsewhere."""

import re
import shutil
import tempfile
from base64 import b64encode
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template

import nbformat

from chip2cluster import __version__
from chip2cluster.draw import typeface
from chip2cluster.explore import script

from ..book import check, execute, mathfont, picture_files, sources
from . import deck
from .markdown_blocks import inline_html
from .markdown_slides import NoSuchBlock

HERE = Path(__file__).parent
REVEAL = ("LICENSE", "dist/reset.css", "dist/reveal.css", "dist/reveal.js", "plugin/notes/notes.js")


def build(folder, executed=None):
    """Write a deck for each chapter into ``folder``, and ``index.html`` that leads to them.

    ``executed`` is a folder that `book.execute.pages` has filled; without it the chapters run now.
    An older folder of slides is replaced when all has gone well; a folder with anything else in it is refused.
    """
    folder = Path(folder).resolve()
    if folder.exists() and any(folder.iterdir()) and not (folder / "_static/reveal").is_dir():
        raise SystemExit(
            f"{folder} holds something that is no slides; name another: python -m course.publish slides FOLDER"
        )
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".slides-", dir=folder.parent) as place:
        pages, made = Path(executed or Path(place, "pages")), Path(place, "slides")
        if executed is None:
            execute.pages(pages, only={file.stem for file in chapters()})
        write(pages, made)
        if folder.exists():
            folder.rename(Path(place, "old"))
        made.rename(folder)


def chapters():
    """The notebooks that have slides."""
    return [file for file in execute.sources() if file.stem[:2].isdigit() and file.stem != sources.FIRST]


def write(pages, made):
    """Make the decks of executed pages."""
    _static(made / "_static")
    decks = {}
    for file in chapters():
        notebook = nbformat.read(pages / file.name, as_version=4)
        try:
            decks[file.stem] = sources.title(notebook), deck.slides(notebook, pages / "_static")
        except (deck.UnknownSlideType, NoSuchBlock) as error:
            raise SystemExit(f"{file.name}: {error}") from None
    for name, (title, slides) in decks.items():
        # An audience must not see a picture arrive late.
        html = page(title, slides).replace(picture_files.LAZY, "")
        (made / f"{name}.html").write_text(html, encoding="utf-8")
        _copy_pictures(html, pages, made)
    (made / "index.html").write_text(_index(decks), encoding="utf-8")
    wanted = set().union(*(mathfont.characters(file.read_text(encoding="utf-8")) for file in made.glob("*.html")))
    mathfont.write(wanted, made / "_static/fonts")
    pages = check.pages(made)
    # A filmstrip's address is a data URL.
    broken = [problem for problem in check.broken(pages) if ": data:" not in problem]
    if problems := check.outside(pages) + broken:
        raise sources.BrokenReference("\n".join(problems))


def _copy_pictures(html, pages, made):
    for name in picture_files.names(html):
        (made / name).parent.mkdir(exist_ok=True)
        shutil.copy(pages / name, made / name)


def page(title, slides):
    """A deck as HTML."""
    columns = re.sub(r"^</section>", "", "".join(map(_section, slides))) + "</section>"
    minutes = sum(slide.seconds for slide in slides) / 60
    template = Template((HERE / "deck.html").read_text(encoding="utf-8"))
    return template.substitute(title=escape(title), slides=columns, minutes=f"{minutes:.0f}", strips=_strips())


def _section(slide):
    notes = "".join(slide.notes)
    column = "</section><section>" if slide.column else ""
    level = 1 if slide.kind == "title" else 2
    title = f"<h{level}>{inline_html(slide.title)}</h{level}>" if slide.title else ""
    return (
        f'{column}<section id="{escape(slide.name)}" class="{slide.kind}" data-timing="{slide.seconds}">'
        f'<div class="slide">{title}{slide.html}</div><aside class="notes">{notes}</aside></section>\n'
    )


def _strips():
    """The script of the strips with the one that it stands on inside: a file may import no other file."""
    address = f"data:text/javascript;base64,{b64encode(script.SCRIPT.encode()).decode()}"
    return (HERE.parent / "filmstrips/filmstrip.js").read_text(encoding="utf-8").replace("./explorer.js", address)


def _static(target):
    """What every deck uses: reveal.js with its licence, letters, our own sheet and script."""
    shipped = files("sphinx_revealjs") / "_static/revealjs"
    for name in REVEAL:
        file = target / "reveal" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes((shipped / name).read_bytes())
    (target / "fonts").mkdir()
    licence = mathfont.LICENCE
    for file in (*typeface.FOLDER.glob("*.woff2"), *typeface.FOLDER.glob("*-licence.txt"), licence):
        shutil.copy(file, target / "fonts")
    for file in (*(HERE / "static").iterdir(), mathfont.LICENCE.parent / "favicon.svg"):
        shutil.copy(file, target)
    script.write_style(target)


def _index(decks):
    rows = "".join(
        f'<li><a href="{name}.html">{escape(title)}</a> '
        f"<span>{len(slides)} slides, {sum(slide.seconds for slide in slides) / 60:.0f} minutes</span></li>"
        for name, (title, slides) in decks.items()
    )
    template = Template((HERE / "index.html").read_text(encoding="utf-8"))
    return template.substitute(rows=rows, version=__version__)
