"""The book, from executed notebooks to a folder that any web server can show."""

import gc
import shutil
import tempfile
import tomllib
from contextlib import contextmanager
from pathlib import Path

import chip2cluster
from chip2cluster.draw import typeface
from chip2cluster.explore import script

from . import check, execute, glossary, guides, live_exercises, mathfont, reference, sources

HERE = Path(__file__).parent
ROOT = sources.COURSE.parent
UNREAD = (  # what the theme brings and no page asks for
    ".buildinfo", "objects.inv", "_sources", "_static/**/*.map", "_static/locales", "_static/*macros.html", "_static/no-lab.html",
    "_static/scripts/fontawesome.js*", "_static/vendor/fontawesome/webfonts/fa-[br]*", "_static/images/logo_*", "_static/*.png", "_static/scorer.js",
)  # fmt: skip
NO_LAB = HERE / "static" / "no-lab.html"
# The branch exists in every clone; a tag exists only after a release.
DEFAULT_REF = "main"


def build(site, repository=None, ref=None, executed=None, python=None):
    """Build the book into ``site``; a lab in ``site/lite`` stays as it is.

    ``repository`` ("owner/name") and ``ref`` (a branch, tag or commit) are where Binder and links to files look.
    ``executed`` is a folder that `execute.pages` has filled already; without it the pages run now. ``python`` is the
    `Distribution` of Pyodide with which pages check exercises; without it they show tasks, hints and solutions only.
    """
    site = Path(site).resolve()
    repository, ref = repository or default_repository(), ref or DEFAULT_REF
    site.parent.mkdir(parents=True, exist_ok=True)
    # Beside the site, so that it can be moved into place at once when all has gone well.
    with tempfile.TemporaryDirectory(prefix=".book-", dir=site.parent) as folder:
        source, made = Path(folder, "source"), Path(folder, "site")
        if executed:
            shutil.copytree(executed, source)
        else:
            execute.pages(source)
        render(source, made, repository, ref, python)
        _keep_lab(site, made)
        _move(made, site, Path(folder, "old"))


def render(source, made, repository, ref, python=None):
    """Turn a folder of executed notebooks into a site."""
    from sphinx.application import Sphinx

    if not (source / "images").exists():
        shutil.copytree(sources.COURSE / "images", source / "images")
    host = f"https://github.com/{repository}/blob/{ref}"
    guides.write(source, host)
    sources.prepare(source, host, guides.entries())
    reference.write(source, sources.notebooks(sources.COURSE))
    own = source / "_static"
    own.mkdir(exist_ok=True)
    script.write(own)
    shutil.copy(HERE.parent / "filmstrips/filmstrip.js", own)
    live_exercises.write(own, python)
    (own / "fonts").mkdir(exist_ok=True)
    for file in (*typeface.FOLDER.glob("*.woff2"), *typeface.FOLDER.glob("*-licence.txt")):
        shutil.copy(file, own / "fonts")
    scorer = own / "scorer.js"
    scorer.write_text(glossary.scorer(), encoding="utf-8")
    app = Sphinx(
        srcdir=source,
        confdir=HERE,
        outdir=made,
        doctreedir=source.parent / "doctrees",
        buildername="html",
        confoverrides={
            "release": chip2cluster.__version__,
            "html_static_path": [str(HERE / "static"), str(own)],
            "html_search_scorer": str(scorer),
            "html_context": {"repository": repository, "ref": ref, "default_mode": "auto"},
        },
        status=None,
        warningiserror=True,
    )
    with _rare_garbage_collection():
        app.build()
    if app.statuscode:
        raise sources.BrokenReference("Sphinx warned; see its messages above")
    _add_downloads(made)
    pages = check.pages(made)
    if problems := check.broken(pages) + check.outside(pages):
        raise sources.BrokenReference("\n".join(problems))


@contextmanager
def _rare_garbage_collection():
    """Collect garbage rarely: Sphinx keeps most objects, and collection would take a tenth of its time."""
    before = gc.get_threshold()
    gc.set_threshold(100_000, 20, 20)
    try:
        yield
    finally:
        gc.set_threshold(*before)


def _add_downloads(made):
    """Add the font of the formulas and the notebooks to download; remove files that no page uses."""
    wanted = set().union(*(mathfont.characters(page.read_text(encoding="utf-8")) for page in made.glob("*.html")))
    mathfont.write(wanted, made / "_static/fonts")
    shutil.move(made / "_static" / mathfont.LICENCE.name, made / "_static/fonts" / mathfont.LICENCE.name)
    (made / "notebooks").mkdir()
    for notebook in sources.COURSE.glob("*.ipynb"):
        shutil.copy(notebook, made / "notebooks")
    for pattern in UNREAD:
        for path in list(made.glob(pattern)):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    (made / ".nojekyll").touch()  # or the usual host would not serve folders that begin with an underscore


def _keep_lab(site, made):
    """Copy an existing lab; without one, a page that says so."""
    if (site / "lite").exists() and not _is_placeholder(site / "lite"):
        shutil.copytree(site / "lite", made / "lite")
    else:
        (made / "lite/lab").mkdir(parents=True)
        shutil.copy(NO_LAB, made / "lite/lab/index.html")


def _is_placeholder(lab):
    page = lab / "lab/index.html"
    return page.exists() and page.read_bytes() == NO_LAB.read_bytes()


def _move(made, site, old):
    if site.exists():
        site.rename(old)
    made.rename(site)


def default_repository():
    """Owner and name of the repository, from ``pyproject.toml``."""
    urls = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"].get("urls", {})
    if "Repository" not in urls:
        raise SystemExit("pyproject.toml names no Repository: say --repository OWNER/NAME")
    return "/".join(urls["Repository"].rstrip("/").removesuffix(".git").rsplit("/", 2)[1:])
