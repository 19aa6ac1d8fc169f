"""Display formatters of the book: HTML for each type of result, registered in the process that executes a page."""

from pathlib import Path

from autograder.checking.verdict import Verdict
from autograder.student.contents import FOLDED, CourseContents
from autograder.student.progress import Progress
from autograder.student.review_view import Review
from chip2cluster.draw.picture import Picture
from chip2cluster.explore import Explorer
from chip2cluster.predict import Form, Notes
from chip2cluster.specs import Accelerator
from course.publish import filmstrips

from . import exercises, picture_files, predictions, review, sources, tables

PICTURE = '<div class="c2c"><div class="c2c-picture">{}</div></div>'


def register(shell, static, moving=None):
    """Register a formatter for explorers, prediction forms, verdicts, tables and pictures.

    ``moving`` names the classes of the explorers whose strips have all states; by default all explorers.
    """

    def strip(explorer):
        whole = moving is None or type(explorer).__name__ in moving
        return filmstrips.html(explorer, strips, whole), explorer.sentence

    strips = Path(static) / "filmstrips"
    shows = {
        Explorer: strip,
        Form: lambda form: (predictions.form(form), f"Predict ({form.question.unit}): {form.question.text}"),
        Notes: lambda notes: (predictions.notes(notes), "Your own words first: what did you see?"),
        Verdict: lambda verdict: (exercises.html(verdict), repr(verdict)),
        Progress: lambda progress: (predictions.record(), "Your record"),
        Review: lambda _: (review.html(), "What comes back today"),
        Picture: lambda picture: (PICTURE.format(picture._repr_html_()), picture.description),
        CourseContents: lambda chart: (_contents(chart), repr(chart)),
        Accelerator: lambda chip: (tables.boxed(chip._repr_html_(), f"{chip.name}, value by value"), repr(chip)),
    }
    shell.display_formatter.ipython_display_formatter.enabled = (
        False  # live displays of a notebook are shown by their MIME bundle
    )
    formatter = shell.display_formatter.mimebundle_formatter
    for kind, show in shows.items():
        formatter.for_type(kind, lambda shown, show=show: _mime_bundle(*show(shown), static))
    for module in ("pandas", "pandas.core.frame"):  # as pandas 3 and pandas 2 name it
        formatter.for_type_by_name(
            module, "DataFrame", lambda shown: _mime_bundle(tables.frame(shown), str(shown), static)
        )
    formatter.for_type_by_name(
        "pandas.io.formats.style", "Styler", lambda shown: _mime_bundle(tables.styled(shown), "a table", static)
    )


def _contents(chart):
    """Return the map, and the table of the chapters folded below it."""
    rows = tables.boxed(chart.html(_address, _lab_address), "The chapters")
    return PICTURE.format(chart.map_html(_address)) + FOLDED.format(rows)


def _address(notebook):
    return f"{sources.page(notebook.name)}.html"


def _lab_address(lab):
    # The book has no labs; the lab in the browser has.
    return sources.lab(lab.parent.name, lab.name)


def _mime_bundle(html, text, static):
    return {"text/html": picture_files.write(html, static), "text/plain": text}
