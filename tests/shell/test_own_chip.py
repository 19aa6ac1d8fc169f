"""A custom chip in a TOML file: the same answers as the four options, and errors that name the remedy."""

import pytest

from chip2cluster import shell

CARD = 'name = "My card"\nmemory = "24 GB"\nmemory_bandwidth = "936 GB/s"\ndense = {bf16 = "71 TFLOP/s"}\n'


@pytest.fixture
def card(tmp_path):
    def write(text):
        file = tmp_path / "my-card.toml"
        file.write_text(text, encoding="utf-8")
        return file

    return write


@pytest.mark.parametrize(
    "line",
    [
        'serve --model "Llama 3 8B" --chips 1',
        "mfu --parameters 1.3B --chips 8 --tokens-per-second 24e3",
        'memory --model "Llama 3 8B" --method qlora',
        'serve --model "Llama 3 8B" --token-within "60 ms"',
    ],
)
def test_chip_of_a_file_is_that_of_the_options(card, line):
    own = '--peak "71 TFLOP/s" --memory "24 GB" --memory-bandwidth "936 GB/s"'
    numbers = [
        {one.name: (one.value, one.low, one.high) for one in shell.ask(f"{line} {chip}").numbers}
        for chip in (f"--chip {card(CARD)}", own)
    ]
    assert numbers[0] == numbers[1]


def test_file_takes_links_and_power(card):
    file = card(f'{CARD}scale_up_one_way = "56 GB/s"\npower = "350 W"\n')
    answer = shell.ask(f'plan --model "Llama 3 8B" --tokens 1e9 --chips 8 --chip {file}')
    watts = next(one for one in answer.assumptions if one.name == "tdp_watts")
    assert watts.value == 350 and watts.kind == "given"


@pytest.mark.parametrize(
    "text, words",
    [
        (CARD.replace("memory =", "memry ="), "no value is called 'memry', did you mean memory"),
        ('name = "My card"\n', "has no dense, memory, memory_bandwidth; a chip is written as"),
        (CARD.replace("My card", "H100 SXM"), "choose another name"),
        (CARD.replace("936 GB/s", "936 GB"), "memory_bandwidth"),
        (CARD.replace('"24 GB"', "24"), "write a string with its unit"),
        ("name = ", "argument --chip"),
    ],
)
def test_bad_file_names_the_value(card, text, words):
    with pytest.raises(shell.UsageError, match=words):
        shell.ask(f"mfu --parameters 7B --chips 8 --tokens-per-second 24e3 --chip {card(text)}")


def test_missing_file_and_file_beside_options_are_named(card):
    with pytest.raises(shell.UsageError, match="none.toml: No such file"):
        shell.ask("mfu --parameters 7B --chips 8 --tokens-per-second 24e3 --chip none.toml")
    with pytest.raises(shell.UsageError, match="omit --memory"):
        shell.ask(f'mfu --parameters 7B --chips 8 --tokens-per-second 24e3 --chip {card(CARD)} --memory "8 GB"')
