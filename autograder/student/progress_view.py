"""Views of the progress: a chapter with its exercises and predictions, or the course chapter by chapter."""

from html import escape

from chip2cluster.html import INLINE, Head, Html, table

from .. import course_pages
from ..checking.html_cards import card, format_inline
from ..exercise_headers import topic

STAR = "★"
LEGEND = f"{STAR} on the short path: the exercises that matter most."
ALL = '`progress("all")` shows the whole course.'


def page_html(progress):
    """Return a chapter as HTML: what to do next, its exercises, its lab, its predictions, and the course in a line."""
    chapter, lab = _split(progress, progress.page)
    parts = [f"<p><strong>{escape(_name(progress.page))}</strong> · {escape(_counts(chapter))}</p>"]
    if coming := _next(chapter):
        parts.append(f"<p>{escape(coming)}</p>")
    parts.append(_exercises(chapter))
    if any(row["short"] for row in chapter):
        parts.append(f'<p style="font-size:90%">{LEGEND}</p>')
    if lab:
        summary = f"{_lab_name(progress.page)}: {_solved(lab)}"
        parts.append(f'<details><summary style="padding: 2px 0">{escape(summary)}</summary>{_exercises(lab)}</details>')
    if progress.written:
        parts.append(f"<p><strong>{escape(progress.written)}</strong></p>")
    guesses = _guesses(progress, progress.page)
    if guesses:
        parts += [_predictions(guesses), f"<p>{escape(_calibration(guesses))}</p>"]
    parts.append(f"<p>{escape(_course(progress))} {format_inline(ALL)}</p>")
    return card("progress", "".join(parts))


def page_lines(progress):
    """Return a chapter as lines of text."""
    chapter, lab = _split(progress, progress.page)
    lines = [f"{_name(progress.page)} · {_counts(chapter)}", _next(chapter)]
    lines += map(_line, chapter)
    if lab:
        lines.append(f"{_lab_name(progress.page)}: {_solved(lab)}")
    lines.append(progress.written)
    guesses = _guesses(progress, progress.page)
    lines += map(_guess_line, guesses)
    lines += [_calibration(guesses) if guesses else "", f"{_course(progress)} {ALL}"]
    return [line for line in lines if line]


def whole_html(progress):
    """Return the course as HTML, each chapter folded, and how to move the record to another machine."""
    parts = [f"<p>{escape(progress.summary)}</p>"]
    for name in _topics(progress):
        chapter, lab = _split(progress, name)
        guesses = [row for row in _guesses(progress, name) if row["guess"] is not None]
        body = _exercises(chapter) if chapter else ""
        if lab:
            body += f"<p><strong>{escape(_lab_name(name))}</strong> · {escape(_solved(lab))}</p>{_exercises(lab)}"
        body += _predictions(guesses) if guesses else ""
        begun = " open" if any(row["attempts"] or row["hints"] for row in [*chapter, *lab]) else ""
        counts = _counts(chapter) + (f", lab: {_solved(lab)}" if lab else "")
        # Padding, because a target must be at least 24 pixels high.
        summary = f'<summary style="padding: 2px 0">{escape(_name(name))} · {escape(counts)}</summary>'
        parts.append(f"<details{begun}>{summary}{body}</details>")
    parts.append(
        f'<p style="font-size:90%">{LEGEND} Kept in <code>{escape(progress.place)}</code>. To take it along: '
        '<code>progress(export_to="my-progress.json")</code>, and on the other machine '
        '<code>progress(import_from="my-progress.json")</code>.</p>'
    )
    return card("progress", "".join(parts))


def whole_lines(progress):
    """Return the course as lines of text, with the exercises that were tried."""
    lines = [progress.summary]
    for name in _topics(progress):
        chapter, lab = _split(progress, name)
        lines.append(f"{_name(name)} · {_counts(chapter)}" + (f", lab: {_solved(lab)}" if lab else ""))
        lines += [_line(row) for row in [*chapter, *lab] if row["attempts"] or row["hints"]]
        lines += [_guess_line(row) for row in _guesses(progress, name) if row["guess"] is not None]
    return [*lines, f"Kept in {progress.place}"]


def _topics(progress):
    return [*dict.fromkeys(topic(row["exercise"]) for row in progress.exercises)]


def _split(progress, name):
    """Return the rows of a chapter, and those of its lab."""
    rows = [row for row in progress.exercises if topic(row["exercise"]) == name]
    labs = [row["exercise"].startswith("lab.") for row in rows]
    return [row for row, lab in zip(rows, labs, strict=True) if not lab], [
        row for row, lab in zip(rows, labs, strict=True) if lab
    ]


def _guesses(progress, name):
    """Return the predictions of a chapter, in the order of its notebook."""
    rows = [row for row in progress.predictions if topic(row["question"]) == name]
    page = _page(name)
    asked = {question: place for place, question in enumerate(course_pages.prediction_ids(page) if page else ())}
    return sorted(rows, key=lambda row: asked.get(row["question"], len(asked)))


def _name(name):
    """Return the number and the name of a chapter, such as ``9 · Utilization``."""
    page = _page(name)
    title = course_pages.title(page) if page else None
    return f"{course_pages.number(page)} · {title[0] if title else name}" if page else name


def _lab_name(name):
    page = _page(name)
    return f"Lab {course_pages.number(page)}" if page else f"Lab on {name}"


def _page(name):
    return next((page for page in course_pages.chapters() if course_pages.topic(page) == name), None)


def _solved(rows):
    return f"{sum(row['solved'] for row in rows)} of {len(rows)} solved"


def _counts(rows):
    short = [row for row in rows if row["short"]]
    path = f", {sum(row['solved'] for row in short)} of {len(short)} on the short path" if short else ""
    return f"{_solved(rows)}{path}"


def _next(rows):
    """Return a sentence about the unsolved exercises of the short path."""
    left = [row for row in rows if row["short"] and not row["solved"]]
    if not left:
        return ""
    names = ", ".join(f"{_title(row)} ({row['minutes']} min)" for row in left)
    return f"Next on the short path: {names}."


def _title(row):
    return f"{row['number']} · {row['title']}" if row["number"] else row["title"]


def _exercises(rows):
    heads = [
        Head("exercise"),
        Head("minutes", number=True),
        Head("state"),
        Head("attempts", number=True),
        Head("hints", number=True),
    ]
    cells = [
        (
            f"{_title(row)} {STAR}" if row["short"] else _title(row),
            str(row["minutes"] or ""),
            f"✓ {row['state']}" if row["solved"] else row["state"],
            str(row["attempts"] or ""),
            str(row["hints"] or ""),
        )
        for row in rows
    ]
    return table(heads, cells, look=INLINE)


def _predictions(rows):
    heads = [Head("question"), Head("your guess", number=True), Head("value", number=True), Head("unit"), Head("")]
    cells = [(row["text"], _number(row["guess"]), _number(row["value"]), row["unit"], _missed(row)) for row in rows]
    return table(heads, cells, caption=Html("<strong>Predictions</strong>"), look=INLINE)


def _missed(row):
    """Describe how far off a guess was."""
    if row["guess"] is None:
        return "not guessed yet"
    from chip2cluster.predict import verdict  # brings the widgets along, which a check does not need

    return verdict(row["guess"], row["value"])


def _number(value):
    return "" if value is None else f"{value:.3g}" if abs(value) < 1e3 or abs(value) >= 1e9 else f"{value:,.0f}"


def _calibration(rows):
    from chip2cluster.predict import summary

    orders = [row["orders"] for row in rows if row["orders"] is not None]
    return f"This page: {summary(orders)}"


def _course(progress):
    return f"The whole course: {progress.summary}"


def _line(row):
    tried = f", attempts {row['attempts']}" if row["attempts"] else ""
    hints = f", hints {row['hints']}" if row["hints"] else ""
    minutes = f" ({row['minutes']} min)" if row["minutes"] else ""
    return f"  {STAR if row['short'] else ' '} {_title(row)}{minutes}: {row['state']}{tried}{hints}"


def _guess_line(row):
    if row["guess"] is None:
        return f"    {row['question']}: not guessed yet"
    return f"    {row['question']}: guess {row['guess']:g}, value {row['value']:.4g} {row['unit']}. {_missed(row)}"
