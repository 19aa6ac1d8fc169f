"""Completion in a real bash, and the script of zsh."""

import re
import shutil
import subprocess

import pytest

from chip2cluster import shell
from chip2cluster.shell import command, completion

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
        # An option begins its line of the help; the usage, which is another text of argparse, names it too.
        options = re.findall(r"^  (?:-\w, )?(--[\w-]+)", parser.format_help(), re.MULTILINE)
        assert sorted(completed(bash_script, name, "--")) == sorted(options) and "--help" in options


ZSH = shutil.which("zsh")


@pytest.mark.skipif(ZSH is None, reason="needs zsh")
def test_zsh_completes_a_command(tmp_path, bash_script):
    file = tmp_path / "_chip2cluster"
    file.write_text(f"{completion._ZSH}{bash_script.read_text()}")
    code = f"autoload -U compinit; compinit -u -D; source {file}; print ${{_comps[chip2cluster]}}"
    done = subprocess.run([ZSH, "-fc", code], capture_output=True, text=True, check=True)
    assert "_bash_complete" in done.stdout


def test_zsh_script_uses_the_bridge_of_zsh(capsys):
    assert shell.main(["completion", "zsh"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("#compdef chip2cluster\n") and "bashcompinit" in out and "complete -F" in out


@pytest.mark.parametrize("words", [[], ["fish"], ["bash", "zsh"]])
def test_unknown_shell_is_refused(words, capsys):
    assert shell.main(["completion", *words]) == 2
    assert "bash or zsh" in capsys.readouterr().err
    assert shell.main(["completion", "bash", "--help"]) == 0
