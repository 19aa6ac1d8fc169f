"""Completion in a real bash, and the script of zsh."""

import shutil
import subprocess

import pytest

from chip2cluster import shell
from chip2cluster.shell import command

BASH = shutil.which("bash")


@pytest.fixture(scope="module")
def bash_script(tmp_path_factory):
    import contextlib
    import io

    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert shell.main(["completion", "bash"]) == 0
    file = tmp_path_factory.mktemp("completion") / "chip2cluster"
    file.write_text(out.getvalue())
    return file


def completed(script, *words):
    asked = " ".join(f"'{word}'" for word in words)
    code = f'source {script}; COMP_WORDS=(chip2cluster {asked}); COMP_CWORD={len(words)}; _chip2cluster; printf "%s\\n" "${{COMPREPLY[@]}}"'
    return subprocess.run([BASH, "-c", code], capture_output=True, text=True, check=True).stdout.split("\n")[:-1]


@pytest.mark.skipif(BASH is None, reason="needs bash")
@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["pl"], ["plan"]),
        (["comp"], ["compare", "completion"]),
        (["serve", "--chip", "h100 s"], ["H100\\ SXM"]),
        (["kernel", "--reg"], ["--registers"]),
        (["completion", ""], ["bash", "zsh"]),
        (["list", "m"], ["models"]),
    ],
)
def test_bash_completes_commands_options_and_names(bash_script, words, found):
    assert completed(bash_script, *words) == found


@pytest.mark.skipif(BASH is None, reason="needs bash")
def test_bash_completes_every_command_and_its_options(bash_script):
    assert {*completed(bash_script, "")} == {*command.COMMANDS, "completion"}
    _, parsers = command._parsers()
    for name, parser in parsers.items():
        flags = {flag for action in parser._actions for flag in action.option_strings if flag.startswith("--")}
        assert {*completed(bash_script, name, "--")} == flags


def test_zsh_script_uses_the_bridge_of_zsh(capsys):
    assert shell.main(["completion", "zsh"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("#compdef chip2cluster\n") and "bashcompinit" in out and "complete -F" in out


@pytest.mark.parametrize("words", [[], ["fish"], ["bash", "zsh"]])
def test_unknown_shell_is_refused(words, capsys):
    assert shell.main(["completion", *words]) == 2
    assert "bash or zsh" in capsys.readouterr().err
    assert shell.main(["completion", "bash", "--help"]) == 0
