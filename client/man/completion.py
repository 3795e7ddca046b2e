"""The generated parts of the completions: tables of commands, options and names."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sources import Programs, Row

Part = Callable[[Programs], list[str]]

# What the value of an option, or an operand, may be; of others nothing can be said.
_WORDS = {"HOW": "handlings", "STATE": "states", "EVENT": "events", "METHOD": "methods"}
_FILES = ("FILE", "PATH")


def _snapshot(programs: Programs) -> dict[str, dict[str, list[str]]]:
    properties: dict[str, dict[str, list[str]]] = programs.document["components"]["schemas"]["Snapshot"]["properties"]
    return properties


def _names(programs: Programs) -> dict[str, list[str]]:
    """The words that may stand in some places."""
    document = programs.document
    return {
        "methods": [method["name"] for method in document["methods"]],
        "events": ["terminal", "awaiting"]
        + [event["name"] for event in document["x-notifications"] if _is_waited_for(event)],
        "states": document["components"]["schemas"]["State"]["enum"],
        "handlings": _snapshot(programs)["paymentHandling"]["enum"],
    }


def _is_waited_for(event: dict[str, list[dict[str, str]]]) -> bool:
    """Whether an event is one of a checkout's."""
    return any(member["name"] == "seq" for member in event["params"])


def _commands(programs: Programs) -> list[tuple[Row, list[Row]]]:
    """The commands, each with the options that are its own."""
    found = []
    for row in programs.tool_help.titled("Commands").rows:
        help = programs.command_help(row.name)
        own = [option for block in help.blocks if block.title == "Options" for option in block.rows]
        found.append((row, own))
    return found


def _common(programs: Programs) -> list[Row]:
    return programs.tool_help.titled("Options for all commands").rows


def _spellings(options: Iterable[Row]) -> str:
    return " ".join(
        spelling for row in options for spelling in ([f"-{row.letter}"] if row.letter else []) + [f"--{row.name}"]
    )


# bash


def bash_tables(programs: Programs) -> list[str]:
    """Words in variables, and options and operands by command."""
    commands = _commands(programs)
    lines = [f"_checkoutctl_commands='{' '.join(row.name for row, _ in commands)}'"]
    for name, found in _names(programs).items():
        lines += [f"_checkoutctl_{name}='", *(f"  {word}" for word in found), "'"]
    lines.append(f"_checkoutctl_common='{_spellings(_common(programs))}'")
    lines.append("declare -gA _checkoutctl_options=(")
    lines += [f"  [{row.name}]='{_spellings(own)}'" for row, own in commands if own]
    lines += [")", "declare -gA _checkoutctl_operands=("]
    lines += [f"  [{row.name}]='{row.argument}'" for row, _ in commands if row.argument]
    lines += [")", "declare -gA _checkoutctl_values=("]
    for row in _valued(programs):
        lines.append("  " + " ".join(f"[{spelling}]={row.argument}" for spelling in _spellings([row]).split()))
    return [*lines, ")"]


def _valued(programs: Programs) -> list[Row]:
    """The options that take a value."""
    found = [*_common(programs), *programs.tool_help.titled("Options for some").rows]
    return [row for row in found if row.argument]


# zsh


def zsh_tables(programs: Programs) -> list[str]:
    """Words in lists, and what `_arguments` is to be given."""
    lines: list[str] = []
    for name, found in _names(programs).items():
        lines += [f"local -a checkoutctl_{name}=(", *(f"  {word}" for word in found), ")"]
    lines += ["local -a checkoutctl_common=(", *map(_argument, _common(programs)), ")"]
    lines.append("local -a checkoutctl_commands=(")
    commands = _commands(programs)
    lines += [f"  {_quoted(f'{row.name}:{row.text}')}" for row, _ in commands]
    lines.append(")")
    for row, own in commands:
        specifications = [*map(_argument, own), *_operands(row)]
        if specifications:
            lines += [f"local -a checkoutctl_{row.name}=(", *specifications, ")"]
    return lines


def _quoted(text: str) -> str:
    return "'" + text.replace("'", r"'\''") + "'"


def _argument(row: Row) -> str:
    """What `_arguments` is told of an option."""
    summary = row.text.replace("[", r"\[").replace("]", r"\]").replace(":", r"\:")
    value = f":{row.argument}:{_action(row.argument)}" if row.argument else ""
    # How a value may follow: right behind the letter, or behind an equals sign, or as the next word.
    close, equals = ("+", "=") if value else ("", "")
    if row.letter:
        spellings = f"-{row.letter}{close},--{row.name}{equals}"
        return f"  '(-{row.letter} --{row.name})'{{{spellings}}}{_quoted(f'[{summary}]{value}')}"
    return f"  {_quoted(f'--{row.name}{equals}[{summary}]{value}')}"


def _operands(row: Row) -> list[str]:
    """What `_arguments` is told of the operands of a command."""
    lines = []
    for operand in row.argument.split():
        optional = ":" if operand.startswith("[") else ""
        name = operand.strip("[]")
        lines.append(f"  {_quoted(f':{optional}{name}:{_action(name)}')}")
    return lines


def _action(argument: str) -> str:
    if argument in _FILES:
        return "_files"
    if argument in _WORDS:
        return f"compadd -a checkoutctl_{_WORDS[argument]}"
    return "(-)" if "-" in argument.split("|") else " "


FILES: dict[str, dict[str, Part]] = {
    "checkoutctl.bash": {"tables": bash_tables},
    "_checkoutctl": {"tables": zsh_tables},
}
