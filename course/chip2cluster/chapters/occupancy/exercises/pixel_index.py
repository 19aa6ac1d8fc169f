"""Exercise on the pixel of a thread, from block and thread indices."""

from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS


def my_pixel(block_x, block_y, thread_x, thread_y, block_width, block_height, rows, columns):
    """Place of the pixel that a thread of a two-dimensional grid works on; -1 where it has none."""
    row, column = block_y * block_height + thread_y, block_x * block_width + thread_x
    return row * columns + column if row < rows and column < columns else -1


_NAMES = ("block_x", "block_y", "thread_x", "thread_y", "block_width", "block_height", "rows", "columns")


def _places(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    rows: list[tuple[int, ...]] = [(2, 1, 3, 4, 10, 5, 50, 100)]
    for width, height in ((16, 8), (8, 32), (32, 4), (64, 16)):
        block = [int(number) for number in generator.integers(2, 6, 2)]
        thread = int(generator.integers(1, width)), int(generator.integers(1, height))
        image = int(generator.integers(6, 9)) * max(width, height) + 7, int(generator.integers(9, 12)) * 64 + 5
        rows.append((*block, *thread, width, height, *image))
    return [dict(zip(_NAMES, row, strict=True)) for row in rows]


def _edges(generator):
    rows, columns = (int(number) for number in generator.integers(2, 9, 2))
    image = 8 * rows + 3, 16 * columns + 5
    return [
        dict(zip(_NAMES, (*place, 16, 8, *image), strict=True))
        for place in (
            (columns, rows, 4, 2),  # the last pixel
            (columns, 1, 5, 3),  # right of the image, and its number is that of a pixel
            (columns, 1, 7, 2),  # farther right
            (1, rows, 3, 3),  # below the image
            (1, rows, 2, 6),  # farther below
            (0, 0, 0, 0),
        )
    ]


def _by(row, column, index, inside=lambda row, column, index, rows, columns: row < rows and column < columns):
    """A wrong answer from wrong ways to find the row, the column, the number and what lies outside."""

    def wrong(**inputs):
        r, c = row(**inputs), column(**inputs)
        place = index(r, c, **inputs)
        return place if inside(r, c, place, inputs["rows"], inputs["columns"]) else -1

    return wrong


def _row(block_y, block_height, thread_y, **others):
    return block_y * block_height + thread_y


def _column(block_x, block_width, thread_x, **others):
    return block_x * block_width + thread_x


def _index(row, column, columns, **others):
    return row * columns + column


def _meaning():
    rows, columns, blocks = 1080, 1920, (1920 // 32, -(-1080 // 32))
    idle = blocks[0] * blocks[1] * 32 * 32 - rows * columns
    return (
        f"An image of {columns} × {rows} pixels in blocks of 32 × 32 takes {blocks[0]} × {blocks[1]} blocks, and {idle:,} threads of "
        f"the lowest row of blocks get -1: {100 * idle / (rows * columns + idle):.1f} % of all. Each of them costs a comparison."
    )


MY_PIXEL = Exercise(
    id="occupancy.my_pixel",
    title="Which pixel is mine?",
    signature="my_pixel(block_x, block_y, thread_x, thread_y, block_width, block_height, rows, columns)",
    unit="",
    points=3,
    reference=my_pixel,
    tolerance=1e-9,
    groups=(
        Group("places", 0.7, _places),
        Group(
            "edges",
            0.3,
            _edges,
            advice="A thread to the right of the image or below it gets -1; each of the two cases needs its own check.",
        ),
    ),
    hints=(
        "Compute your row and your column first, each as in one dimension.",
        "y counts rows, x counts columns: row = block_y * block_height + thread_y.",
        "The image is stored row after row: row * columns + column, if row < rows and column < columns.",
    ),
    solution="""
def my_pixel(block_x, block_y, thread_x, thread_y, block_width, block_height, rows, columns):
    row = block_y * block_height + thread_y
    column = block_x * block_width + thread_x
    return row * columns + column if row < rows and column < columns else -1
""",
    meaning=_meaning,
    explanation=(
        "x counts columns, so threads with consecutive numbers read consecutive words: threads 0 to 31 of a block of width 32 "
        "are one row of it, and one warp. If you swap the roles of x and y, the result is right but the kernel is slow."
    ),
    mistakes=(
        Mistake(
            "x counts rows",
            _by(
                lambda block_x, block_width, thread_x, **_: block_x * block_width + thread_x,
                lambda block_y, block_height, thread_y, **_: block_y * block_height + thread_y,
                _index,
            ),
            "You let x count the rows. y counts rows and x counts columns.",
        ),
        Mistake(
            "column after column",
            _by(_row, _column, lambda row, column, rows, **_: column * rows + row),
            "You counted the image column after column. It is stored row after row, and a row has `columns` pixels.",
        ),
        Mistake(
            "rows for columns",
            _by(_row, _column, lambda row, column, rows, **_: row * rows + column),
            "You multiplied the row by `rows`. A row is `columns` pixels long.",
        ),
        Mistake(
            "width of a block for its height",
            _by(lambda block_y, block_width, thread_y, **_: block_y * block_width + thread_y, _column, _index),
            "Your row counts block_width rows for each block above. A block is block_height rows high.",
        ),
        Mistake(
            "blocks as wide as high",
            _by(
                lambda block_y, block_width, thread_y, **_: block_y * block_width + thread_y,
                lambda block_x, block_height, thread_x, **_: block_x * block_height + thread_x,
                _index,
            ),
            "You swapped the width and the height of a block: block_width belongs to x, block_height to y.",
        ),
        Mistake(
            "rows as long as a block",
            _by(_row, _column, lambda row, column, block_width, **_: row * block_width + column),
            "You gave a row the length of a block. A row of the image has `columns` pixels.",
        ),
        Mistake(
            "own block only",
            _by(lambda thread_y, **_: thread_y, lambda thread_x, **_: thread_x, _index),
            "You returned the position within the first block. Add the pixels that the blocks to the left and above cover.",
        ),
        Mistake(
            "one bound for both",
            _by(_row, _column, _index, lambda row, column, index, rows, columns: index < rows * columns),
            "You checked only the position, or only the row. A thread to the right of the image computes a position in the next row: check row "
            "and column.",
            share=0.7,
        ),
        Mistake(
            "column alone",
            _by(_row, _column, _index, lambda row, column, index, rows, columns: column < columns),
            "You checked only the column. A thread below the image gets -1 too.",
            share=0.7,
        ),
        Mistake(
            "one past the bounds",
            _by(_row, _column, _index, lambda row, column, index, rows, columns: row <= rows and column <= columns),
            "You let a thread just outside the image pass: the last column is columns - 1, the last row rows - 1.",
            share=0.7,
        ),
        Mistake(
            "no bounds",
            _by(_row, _column, _index, lambda *_: True),
            "You didn't check the bounds. A thread outside the image gets -1.",
            share=0.7,
        ),
    ),
    mutants=MUTANTS["occupancy.my_pixel"],
)
