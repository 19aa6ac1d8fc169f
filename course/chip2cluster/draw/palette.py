"""Colors of all pictures, light and dark theme, safe for color-blind readers; no other module names a color.

The light hues are those of matplotlib's petroff6, darkened until each has a contrast of 3 with the paper, and moved so that
they stay as far apart for every kind of color blindness as petroff6's. An SVG has the light colors, so every program shows
it; `SHEET` turns each into its dark counterpart where the surroundings say ``color-scheme: dark``. Letters have a contrast
of 4.5 with their ground, marks one of 3 with the paper, or an edge that has it (`EDGES`).

A color has one meaning in all chapters (`MEANINGS`). Things that have none of these meanings, such as makers or users, have
a shade of `KINDS`, which is of no hue, and are told apart by shape, pattern, dash or label too.
"""

BLUE, ORANGE, RED, PLUM, GREY, VIOLET = "#4a8ff4", "#d48100", "#d61a41", "#95448c", "#908c98", "#762adf"
PALETTE = (BLUE, ORANGE, PLUM, VIOLET, GREY, RED)
MEMORY_BOUND, COMPUTE_BOUND = BLUE, ORANGE  # regions of a roofline
INK, MUTED, HAIRLINE, PAPER = "#1f2430", "#5b6270", "#e4e7ec", "#ffffff"
FAINT = "#d0d4dc"  # for empty or background parts
ON = "#1f2431"  # letters on a full hue
SHADE, TINT = "#5790fd", "#fff3dc"  # grounds for letters in ink; the first may be thinned
BLUES = BLUE, "#bcd2fe", "#8ab1fd"  # neighbours that differ in lightness alone

KINDS = "#2b303b", "#646b77", "#8d929c"  # things that are compared: each half as dark as the one before

WORK = BLUE  # and its pale neighbours: work of another kind
WAITING = ORANGE  # and `TINT`: room that is reserved
COMMUNICATION = VIOLET
OTHERS = PLUM
BROKEN = LIMIT = INK
HAND = RED
MEANINGS = {
    WORK: "work: what computes or is in use",
    WAITING: "waiting: time or room lost or reserved",
    COMMUNICATION: "communication between devices",
    OTHERS: "others': another job, owner, copy or half",
    BROKEN: "a limit, a law, or what is broken or cut",
    GREY: "the rest: unused, or only compared",
    HAND: "what you move, and nothing else",
}

# Pale hues, and the color of the edge that they have.
EDGES = {BLUES[1]: BLUE, BLUES[2]: BLUE, FAINT: GREY}

DARK = {
    BLUE: "#699dfa", ORANGE: "#fbc55a", RED: "#f8444a", PLUM: "#b7639b", GREY: "#b1b1aa", VIOLET: "#8a4bff",
    INK: "#e8ebf0", MUTED: "#aab2c0", HAIRLINE: "#2c323d", PAPER: "#14171d", FAINT: "#3d4552",
    ON: "#0d1016", SHADE: "#3d64ad", TINT: "#4a3b1c", BLUES[1]: "#bcd2fe", BLUES[2]: "#8ab1fd",
    KINDS[0]: "#d0d5de", KINDS[1]: "#969ba6", KINDS[2]: "#676c77",
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
