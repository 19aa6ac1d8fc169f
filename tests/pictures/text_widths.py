"""Widths of the texts of pictures: as a page shows them, and as `typesetting` measures them."""

from chip2cluster.draw import typesetting
from tests.pictures import geometry

# Every text of the pictures that live on a page, with the width that it takes there.
WIDTHS = """() => [...document.querySelectorAll('.c2c-image')].flatMap((host) =>
    [...host.shadowRoot.querySelectorAll('text')].map((text) => [text.textContent, text.getComputedTextLength()]))"""
FACES = """async () => {
    document.body.getBoundingClientRect();  // a face is fetched when a text is laid out with it
    await document.fonts.ready;
    const own = [...document.fonts].filter((face) => face.family.includes('Chip2Cluster Sans'));
    return own.map((face) => `${face.weight} ${face.status}`).sort();
}"""
# The first and the last column with ink in a band of an image, which no page can reach into.
INK = """async ([src, top, bottom]) => {
    const image = new Image();
    image.src = src;
    await image.decode();
    const sheet = new OffscreenCanvas(image.width, image.height).getContext('2d');
    sheet.drawImage(image, 0, 0);
    const { data } = sheet.getImageData(0, top, image.width, bottom - top), columns = [];
    for (let at = 0; at < data.length; at += 4) if (data[at] < 128) columns.push(at / 4 % image.width);
    return [Math.min(...columns), Math.max(...columns) + 1];
}"""
CLOSE = 0.1  # px


def problems(page, *pictures):
    """What is wrong with the typeface on a page that shows these pictures, one after the other, in live views."""
    lines = [text for picture in pictures for text in geometry.texts(picture.svg)]
    faces, shown = page.evaluate(FACES), page.evaluate(WIDTHS)
    if faces != ["400 loaded", "700 loaded"]:
        return [f"the faces are {faces}"]
    if [words for words, _ in shown] != [text.words for text in lines]:
        return ["other texts are shown"]
    return [
        f"{text.words!r} is {width:.1f} px wide, measured were {wanted:.1f}"
        for text, (_, width) in zip(lines, shown, strict=True)
        if abs(width - (wanted := typesetting.text_size(text.words, text.size, "bold" if text.bold else "normal")[0]))
        > CLOSE
    ]


def title_is_as_measured(page, picture, src):
    """Whether the title of a picture, in an image with this address, has its ink where it was measured."""
    title = next(text for text in geometry.texts(picture.svg) if text.words == picture.title)
    (left, top), (right, bottom) = title.corners.min(axis=0), title.corners.max(axis=0)
    first, last = page.evaluate(INK, [src, int(top), int(bottom) + 1])
    # A letter begins and ends a little within its place.
    return left <= first <= left + 2 and right - 2 <= last <= right + 1
