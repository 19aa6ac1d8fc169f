"""A notebook's cell as sanitized HTML, for pages that show a student's work."""

import hashlib
from collections.abc import Callable
from typing import Any

from markupsafe import Markup

from ..sanitize import html
from ..sanitize.pictures import clean_attachments, data_url

MAX_OUTPUT = 12_000  # characters of one cell's output

_RENDER: dict[str, Callable[[str], str]] = {"code": html.code_html, "markdown": html.markdown_html}


def cell_source(cell: dict[str, Any], budget: html.ByteBudget, pictures: html.ByteBudget) -> str:
    """Return the sanitized HTML of a cell's source; pasted pictures are shown."""
    render = _RENDER.get(cell.get("cell_type", ""), html.escaped_text)
    text = html.field_text(cell.get("source"))
    addresses: dict[str, str] = {}
    if cell.get("cell_type") == "markdown" and cell.get("attachments"):
        for name, bundle in clean_attachments(cell["attachments"], text).items():
            # A picture counts once for each place that shows it.
            if pictures.take(len(data_url(bundle)) * text.count("attachment:")):
                addresses[name] = data_url(bundle)
    if not addresses:
        return budget.fit(text, render)
    # Short names in place of the pictures, whose bytes have a budget of their own.
    names = {name: f"picture-{hashlib.sha256(url.encode()).hexdigest()}" for name, url in addresses.items()}
    shown = budget.fit(text, lambda text: html.markdown_html(text, pictures=names))
    for name, address in addresses.items():
        shown = shown.replace(f'src="{names[name]}"', f'src="{address}"')
    return shown


def cell_outputs(cell: dict[str, Any], budget: html.ByteBudget, pictures: html.ByteBudget) -> list[tuple[str, str]]:
    """Return a cell's outputs as (kind, value) pairs: shortened text and PNG pictures, nothing else."""
    shown: list[tuple[str, str]] = []
    text, left_out = "", False
    for output in cell.get("outputs") or ():
        data = output.get("data") if isinstance(output.get("data"), dict) else {}
        if "image/png" in data:
            # Not decoded if the budget is used up, because many pictures would take long.
            address = html.png_data_url(data["image/png"], pictures.left)
            if address and pictures.take(len(address)):
                shown.append(("picture", address))
                continue
            left_out = True
        if len(text) <= MAX_OUTPUT:
            text += _text(output, data).strip("\n") + "\n"
    if text.strip() and budget.left > 0:
        shown.insert(0, ("html", Markup(budget.fit(html.shorten(text.strip("\n"), MAX_OUTPUT), html.output_html))))
    if left_out:
        shown.append(("text", "A picture is left out here: it is too large, or not a PNG."))
    return shown


def _text(output: dict[str, Any], data: dict[str, Any]) -> str:
    """Return the text of one output, cut just above the limit."""
    if output.get("output_type") == "error":
        return ": ".join(html.field_text(output.get(part), MAX_OUTPUT + 1) for part in ("ename", "evalue"))
    return html.field_text(output.get("text") or data.get("text/plain"), MAX_OUTPUT + 1)
