"""Sphinx, as the book needs it. What differs from one build to the next comes from build.py."""

from pathlib import Path

from chip2cluster import __version__
from chip2cluster.specs import data_version

HERE = Path(__file__).parent

project = "Chip to Cluster"
author = "The Chip to Cluster authors"
language = "en"
extensions = ["myst_nb", "course.publish.book.mathml", "course.publish.book.extension"]
html_math_renderer = "mathml"
default_role = "literal"  # a name in a docstring; crossrefs.py makes it a link
add_module_names = False
toc_object_entries_show_parents = "hide"
python_maximum_signature_line_length = 88
exclude_patterns = ["_static"]

nb_execution_mode = "off"
nb_merge_streams = True
myst_enable_extensions = ["dollarmath"]
myst_all_links_external = True  # links between pages are made by sources.py and proved by check.py

html_theme = "sphinx_book_theme"
html_title = "Chip to Cluster"
html_favicon = str(HERE / "static/favicon.svg")
html_logo = str(HERE / "static/favicon.svg")
html_css_files = ["explorer.css", "book.css", "cards.css", "reference.css"]
html_js_files = [
    (file, {"type": "module"}) for file in ("filmstrip.js", "predictions.js", "exercises.js", "book.js", "search.js")
]
html_additional_pages = {"404": "404.html"}
html_copy_source = False
html_show_sourcelink = False
html_use_index = False
html_domain_indices = False
html_last_updated_fmt = None
html_theme_options = {
    "home_page_in_toc": True,
    "logo": {"text": "Chip to Cluster", "alt_text": ""},
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
    "secondary_sidebar_items": ["page-toc"],
    "show_toc_level": 2,
    "toc_title": "On this page",
    "back_to_top_button": False,
    "extra_footer": f"<p>Version {__version__}, catalogue of chips {data_version()}</p>",
    "use_download_button": False,
    "use_fullscreen_button": False,
}
html_sidebars = {"**": ["brand.html", "search-button-field.html", "sbt-sidebar-nav.html"]}
templates_path = [str(HERE / "templates")]
