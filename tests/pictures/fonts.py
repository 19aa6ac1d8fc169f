"""Systems with other fonts than this one: nothing for sans-serif but what is given, for matplotlib and for a browser."""

from pathlib import Path

from fontTools.ttLib import TTFont
from matplotlib import get_data_path

BUNDLED = Path(get_data_path()) / "fonts/ttf"  # matplotlib's own, on every system
IMPOSTORS = ("Arial", "Liberation Sans", "Helvetica")


def wide(folder):
    """Write DejaVu Sans Bold, which is a quarter wider, under the names of the fonts that a system may have."""
    for family in IMPOSTORS:
        with TTFont(BUNDLED / "DejaVuSans-Bold.ttf") as font:
            for number in (1, 4, 16):
                font["name"].setName(family, number, 3, 1, 0x409)
                font["name"].setName(family, number, 1, 0, 0)
            font["name"].setName(family.replace(" ", ""), 6, 3, 1, 0x409)
            font["name"].setName("Regular", 2, 3, 1, 0x409)
            font["OS/2"].usWeightClass, font["OS/2"].fsSelection, font["head"].macStyle = 400, 64, 0
            font.save(folder / f"{family}.ttf")
    return sorted(folder.glob("*.ttf"))


def configuration(folder, fonts):
    """Environment variables for a system whose only fonts lie in a folder."""
    file = folder / "fonts.conf"
    file.write_text(
        '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">\n'
        f"<fontconfig><dir>{fonts}</dir><cachedir>{folder / 'cache'}</cachedir></fontconfig>\n",
        encoding="utf-8",
    )
    return {"FONTCONFIG_FILE": str(file), "MPLCONFIGDIR": str(folder / "matplotlib")}
