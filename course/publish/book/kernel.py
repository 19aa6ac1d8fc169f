"""How results look in the book. Registered in the kernel that executes a page, and known to nobody else."""

from html import escape
from pathlib import Path

from autograder.student.progress import Progress
from autograder.verdict import Verdict
from chip2cluster.explore import Explorer
from chip2cluster.predict import Form

from . import exercises, predictions, tables


def register(shell, static):
    """Show explorers as filmstrips, forms as forms of the page, verdicts with hints and solution."""
    strips = Path(static) / "filmstrips"
    shows = {
        Explorer: lambda explorer: (_strip(explorer, strips), explorer.sentence),
        Form: lambda form: (predictions.form(form), f"Predict ({form.question.unit}): {form.question.text}"),
        Verdict: lambda verdict: (exercises.html(verdict), repr(verdict)),
        Progress: lambda progress: (predictions.record(), "Your record"),
    }
    formatter = shell.display_formatter.mimebundle_formatter
    for kind, show in shows.items():
        formatter.for_type(kind, lambda shown, show=show: _bundle(*show(shown)))
    formatter.for_type_by_name("pandas", "DataFrame", lambda shown: _bundle(tables.frame(shown), str(shown)))
    formatter.for_type_by_name("pandas.io.formats.style", "Styler", lambda shown: _bundle(tables.styled(shown), "a table"))


def _bundle(html, text):
    return {"text/html": html, "text/plain": text}


def _strip(explorer, folder):
    try:
        from course.publish.filmstrips import html
    except ModuleNotFoundError:
        return explorer.still()
    return html(explorer, folder)
