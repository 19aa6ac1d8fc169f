"""Colors of all pictures, light and dark theme, safe for color-blind readers; no other module names a color.

The light hues are matplotlib's petroff6. An SVG has the light colors, so every program shows it; `SHEET` turns each into
its dark counterpart where the surroundings say ``color-scheme: dark``. The dark hues are as far apart as the light ones
for every kind of color blindness; letters have a contrast of 4.5 with their ground, marks one of 3 with the paper.
"""

BLUE, ORANGE, RED, PLUM, GREY, VIOLET = "#5790fc", "#f89c20", "#e42536", "#964a8b", "#9c9ca1", "#7a21dd"
PALETTE = (BLUE, ORANGE, PLUM, VIOLET, GREY, RED)
ACCENT = RED  # only for the point or line that the reader moves
MEMORY_BOUND, COMPUTE_BOUND = BLUE, ORANGE  # regions of a roofline
INK, MUTED, HAIRLINE, PAPER = "#1f2430", "#5b6270", "#e4e7ec", "#ffffff"
FAINT = "#d0d4dc"  # barely visible: for waiting, empty or background parts
ON = "#1f2431"  # letters on a full hue
SHADE, TINT = "#5790fd", "#fff3dc"  # grounds for letters in ink; the first may be thinned
BLUES = BLUE, "#bcd2fe", "#8ab1fd"  # neighbours that differ in lightness alone

DARK = {
    BLUE: "#699dfa", ORANGE: "#fbc55a", RED: "#f8444a", PLUM: "#b7639b", GREY: "#b1b1aa", VIOLET: "#8a4bff",
    INK: "#e8ebf0", MUTED: "#aab2c0", HAIRLINE: "#2c323d", PAPER: "#14171d", FAINT: "#3d4552",
    ON: "#0d1016", SHADE: "#3d64ad", TINT: "#4a3b1c", BLUES[1]: "#bcd2fe", BLUES[2]: "#8ab1fd",
}  # fmt: skip


# A page whose dark ground is another one says so; an image of its own cannot see it.
_DARK_PAPER = f"var(--c2c-paper,{DARK[PAPER]})"


def _rule(day, dark):
    """Return the rule for a color as an attribute, as in hand-written shapes, and in a style, as matplotlib writes it."""
    return "".join(
        f'[{what}="{day}"],[style*="{what}: {day}"]{{{what}:light-dark({day},{dark})!important}}'
        for what in ("fill", "stroke")
    )


# For a document or a shadow tree: it follows the ``color-scheme`` around it.
SHEET = "".join(_rule(day, _DARK_PAPER if day == PAPER else dark) for day, dark in DARK.items() if day != dark)
HALO = f"stroke:{PAPER};stroke:light-dark({PAPER},{_DARK_PAPER})"  # of text, so that a line behind it does not hurt
# Where a page is dark, by JupyterLab, the book and VS Code.
DARK_PAGE = (
    ':is(body[data-jp-theme-light="false"],html[data-theme="dark"],body.vscode-dark,'
    "body.vscode-high-contrast:not(.vscode-high-contrast-light))"
)
# Background for a picture without its own.
BACK = f'<svg xmlns="http://www.w3.org/2000/svg"><style>{SHEET}</style></svg>'
# For a document of its own: it has its own background.
ALONE = f"svg:root{{color-scheme:light dark;background:{PAPER};background:light-dark({PAPER},{_DARK_PAPER})}}{SHEET}"
