"""Completion scripts of bash and zsh: commands, options, and the names of models and chips."""

from __future__ import annotations

import argparse
import re
import shlex
from collections.abc import Iterable, Mapping

from .shared_options import UsageError

SHELLS = ("bash", "zsh")
HELP = "completion bash|zsh   print the completion script of a shell; `chip2cluster completion bash --help` says where to put it"
PLACES = """\
bash: chip2cluster completion bash > ~/.local/share/bash-completion/completions/chip2cluster
zsh:  chip2cluster completion zsh > ~/.zfunc/_chip2cluster, with `fpath+=~/.zfunc; autoload -U compinit; compinit` in ~/.zshrc
Write the script again after an update."""
# $1 is the list of a kind of values, one a line; names with blanks are quoted when they are inserted.
_BASH = """\
# Completion of chip2cluster for bash.
_chip2cluster() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]} values= one
    COMPREPLY=()
    [[ $COMP_CWORD -eq 1 ]] && { COMPREPLY=($(compgen -W "@COMMANDS@" -- "$word")); return; }
    [[ $word == -* ]] || case $command:$before in
@VALUES@
    esac
    if [[ -n $values ]]; then
        word=${word#[\\"\\']}; word=${word//\\\\/}
        while IFS= read -r one; do
            [[ ${one,,} == "${word,,}"* ]] && COMPREPLY+=("$(printf %q "$one")")
        done <<< "$values"
        return
    fi
    case $command in
@OPTIONS@
    esac
    [[ $word == -* || -z $word ]] && COMPREPLY=($(compgen -W "$values" -- "$word"))
    [[ ${#COMPREPLY[@]} -eq 0 ]] && COMPREPLY=($(compgen -f -- "$word"))
}
complete -F _chip2cluster chip2cluster
"""
_ZSH = """\
#compdef chip2cluster
# Completion of chip2cluster for zsh: the function of bash, through zsh's own bridge.
autoload -U +X bashcompinit && bashcompinit
"""


def script(words: list[str], parsers: Mapping[str, argparse.ArgumentParser]) -> str:
    """Return the completion script of a shell.

    Parameters
    ----------
    words : list of str
        Arguments after ``completion``: the name of the shell.
    parsers : mapping of str to ArgumentParser
        Parser of each command.

    Returns
    -------
    str
        Script, or with ``--help`` where to put it.

    Raises
    ------
    UsageError
        The shell is not known.
    """
    if "--help" in words or "-h" in words:
        return PLACES
    if len(words) != 1 or words[0] not in SHELLS:
        raise UsageError(f"completion needs the name of a shell: {' or '.join(SHELLS)}\n{PLACES}")
    bash = _bash(parsers)
    return bash if words[0] == "bash" else _ZSH + bash


def flags(parser: argparse.ArgumentParser) -> list[str]:
    """Return the long options of a parser; its usage names each."""
    return ["--help", *dict.fromkeys(re.findall(r"--[a-z][a-z0-9-]*", parser.format_usage()))]


def _bash(parsers: Mapping[str, argparse.ArgumentParser]) -> str:
    from .. import specs, transformer
    from .commands.list import KINDS

    names = {
        "--model": [one.name for one in transformer.models()],
        "--chip": [one.name for one in specs.accelerators()],
        "--assumptions": ["key", "all"],
    }
    commands = [*parsers, "completion"]
    values, options = (
        [f"        completion:*) values={_lines(SHELLS)} ;;", f"        list:list) values={_lines(KINDS)} ;;"],
        [],
    )
    for name, parser in parsers.items():
        known = flags(parser)
        options.append(f"        {name}) values={shlex.quote(' '.join(known))} ;;")
        values += [f"        {name}:{flag}) values=$__c2c_{flag[2:]} ;;" for flag in names if flag in known]
    lists = [f"__c2c_{flag[2:]}={_lines(some)}" for flag, some in names.items()]
    body = _BASH.replace("@COMMANDS@", " ".join(commands)).replace("@VALUES@", "\n".join(values))
    return "\n".join([*lists, body.replace("@OPTIONS@", "\n".join(options))])


def _lines(words: Iterable[str]) -> str:
    return shlex.quote("\n".join(words))
