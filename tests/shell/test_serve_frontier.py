"""``serve`` without ``--chips``: the fewest chips that meet a required TTFT and TPOT, and the frontier."""

import pytest

from chip2cluster import reality, shell

LINE = 'serve --model "Llama 3.1 70B" --chip "H100 SXM" --precision fp8'
LOAD = {"prompt_tokens": 1000, "output_tokens": 500}


@pytest.mark.parametrize("token, users", [("20 ms", 1), ("30 ms", 8), ("50 ms", 64), ("100 ms", 16)])
def test_fewest_chips_agree_with_the_scored_decision(token, users):
    answer = shell.ask(f'{LINE} --token-within "{token}" --users {users}')
    seconds = float(token.split()[0]) / 1e3
    assert answer["fewest_chips"] == reality.fewest_chips(
        "H100 SXM", "Llama 3.1 70B", "fp8", seconds, users=users, **LOAD
    )


def test_frontier_is_the_largest_load_that_meets_both_limits():
    answer = shell.ask(f'{LINE} --token-within "30 ms" --first-token-within "2 s"')
    rows = {one.name: one for one in answer.numbers}
    for chips in (2, 4, 8):
        users = rows[f"users_{chips}"].value
        given = {"chip": "H100 SXM", "model": "Llama 3.1 70B", "precision": "fp8", "chips": chips, **LOAD}
        ends = [
            [reality.expected(kind, given | {"users": count}).high for kind in ("serving_step", "first_token")]
            for count in (users, users + 1)
        ]
        assert ends[0][0] <= 0.030 and ends[0][1] <= 2.0
        assert ends[1][0] > 0.030 or ends[1][1] > 2.0
        assert rows[f"token_seconds_{chips}"].high == ends[0][0]
        rate = users / rows[f"token_seconds_{chips}"].value / chips
        assert rows[f"tokens_per_second_per_chip_{chips}"].value == pytest.approx(rate)
    tight = shell.ask(f'{LINE} --token-within "15 ms" --first-token-within "2 s"')
    assert all(
        tight[name] <= one.value
        for name, one in rows.items()
        if name.startswith("users_") and name in {n.name for n in tight.numbers}
    )


def test_unmet_frontier_names_the_reason():
    answer = shell.ask('serve --model "Llama 3.1 8B" --chip "L4" --token-within "1 ms"')
    assert answer.exit_code == 1 and "not even one user has TPOT 1.00 ms" in answer.problems[0]
    answer = shell.ask('serve --model "Llama 3.1 405B" --chip "L4" --token-within "1 s"')
    assert answer.exit_code == 1 and "at least 38 are needed" in answer.problems[0]
    answer = shell.ask(f'{LINE} --token-within "30 ms" --users 100000')
    assert answer.exit_code == 1 and "the most users are" in answer.problems[0]


@pytest.mark.parametrize(
    "more, words",
    [
        ("", "--chips is missing: give it, or --token-within"),
        ("--token-within 1s --rate 3", "argument --rate: needs --chips"),
        ("--token-within 1s --chips-per-replica 8", "argument --chips-per-replica: needs --chips"),
    ],
)
def test_frontier_refuses_with_the_remedy(more, words):
    with pytest.raises(shell.UsageError, match=words):
        shell.ask(f"{LINE} {more}")


def test_serve_says_which_measurements_it_lacks():
    """The Llama on an H100 was measured; nobody published a row of the MI300X or of Qwen3 32B here."""
    limits = '--precision fp8 --token-within "60 ms"'
    known = shell.ask(f'{LINE} --token-within "60 ms"').remarks
    assert not any("No published service" in one for one in known)
    chip = shell.ask(f'serve --model "Llama 3.1 70B" --chip MI300X {limits}').remarks
    assert any("on MI300X: its constants are those of all measured chips" in one for one in chip)
    relative = shell.ask(f'serve --model "Llama 3.1 70B" --chip "H200 SXM" {limits}').remarks
    assert any("on H200 SXM: its constants are those of its family" in one for one in relative)
    model = shell.ask(f'serve --model "Qwen3 32B" --chip B200 {limits}').remarks
    assert any("with Qwen3 32B" in one for one in model) and not any("on B200" in one for one in model)
