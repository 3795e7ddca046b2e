"""The generated parts of the manual pages."""

from __future__ import annotations

import textwrap
from collections.abc import Callable

import mdoc
import shapes
from sources import Block, JsonObject, Programs, Row

Part = Callable[[Programs], list[str]]

# checkoutd(8) and checkoutd.conf(5)


def switches(programs: Programs) -> list[str]:
    """The options that are for the command line alone."""
    return _options(programs.switches)


def daemon_options(programs: Programs) -> list[str]:
    """The options that may also stand in the configuration file, in short."""
    return _options([Row(f"--{row.name} {row.argument}".strip(), row.summary) for row in programs.settings])


def settings(programs: Programs) -> list[str]:
    """The same at length."""
    lines = [".Bl -tag -width Ds"]
    for row in programs.settings:
        lines.append(f".It Cm {mdoc.word(row.name)} No = Ar {mdoc.words(row.argument or 'yes|no')}")
        lines.append(mdoc.sentence(row.summary))
        if row.expectation:
            lines.append(mdoc.text(f"Takes {row.expectation}."))
        if row.initial:
            lines.append(f"The default is {row.initial}.")
    return [*lines, ".El"]


def _options(rows: list[Row]) -> list[str]:
    lines = [".Bl -tag -width Ds"]
    for row in rows:
        lines += [f".It {mdoc.option(row)}", mdoc.sentence(row.text)]
    return [*lines, ".El"]


# checkoutctl(1)


def commands(programs: Programs) -> list[str]:
    """The commands, each with what its own help tells."""
    lines: list[str] = []
    for row in programs.tool_help.titled("Commands").rows:
        help = programs.command_help(row.name)
        argument = f" Ar {mdoc.words(row.argument)}" if row.argument else ""
        lines += [f".Ss {mdoc.word(row.name)}", ".Nm", f".Cm {mdoc.word(row.name)}{argument}", ".Pp"]
        lines.append(mdoc.sentence(row.text))
        for block in help.blocks[1:]:
            if not block.title.startswith("Options"):
                lines += _block(block)
        if own := [row for block in help.blocks if block.title == "Options" for row in block.rows]:
            lines += [".Pp", "Options:", *_flags(own)]
    return lines


def _flags(rows: list[Row]) -> list[str]:
    """The long names of options, one after the other."""
    flags = [f".Fl \\-{mdoc.word(row.name)}" for row in rows]
    return [*(f"{flag} ," for flag in flags[:-1]), f"{flags[-1]} ."]


def _block(block: Block) -> list[str]:
    if block.title:
        return [".Pp", f"{mdoc.text(block.title)}:", _shown(block)]
    if block.lines[0].startswith(" "):
        return [_shown(block)]
    return [".Pp", mdoc.text(block.text)]


def _shown(block: Block) -> str:
    return mdoc.display(textwrap.dedent("\n".join(block.lines)).splitlines())


def common_options(programs: Programs) -> list[str]:
    """The options for all commands."""
    return _options(programs.tool_help.titled("Options for all commands").rows)


def some_options(programs: Programs) -> list[str]:
    """The options for some."""
    return _options(programs.tool_help.titled("Options for some").rows)


def notes(programs: Programs) -> list[str]:
    """What else help tells."""
    return [line for block in programs.tool_help.paragraphs for line in _block(block)]


def exit_status(programs: Programs) -> list[str]:
    """How the command ends."""
    lines = [".Bl -tag -width Ds -compact"]
    for row in programs.tool_help.titled("Exit status").rows:
        lines += [f".It {mdoc.word(row.head)}", mdoc.sentence(row.text)]
    return [*lines, ".El"]


# checkoutd-protocol(7)


def limits(programs: Programs) -> list[str]:
    """The limits that a daemon announces if nobody has set any."""
    lines = [".Bl -column connectionsPerUid 268435456 -compact"]
    for name, value in programs.limits.items():
        lines.append(f".It Va {mdoc.word(name)} Ta {value}")
    return [*lines, ".El"]


def methods(programs: Programs) -> list[str]:
    """Every method with its parameters, result, errors and examples."""
    return [line for method in programs.document["methods"] for line in _method(method)]


def _method(method: JsonObject) -> list[str]:
    lines = [f".Ss {mdoc.word(method['name'])}", mdoc.text(method["summary"])]
    parameters = [(row["name"], row["schema"], "required" in row, row.get("summary", "")) for row in method["params"]]
    if parameters:
        lines += [".Pp", "Parameters:", *shapes.member_list(parameters)]
    elif method.get("x-acceptsAnyParams"):
        lines += [".Pp", "Parameters: any."]
    result = method["result"]
    lines += [".Pp", mdoc.text(f"Result: {shapes.words(result['schema'])}.")]
    if "summary" in result:
        lines.append(mdoc.text(result["summary"]))
    lines += shapes.nested(result["schema"])
    if method["x-errorIds"]:
        lines += [".Pp", "Errors:", f"{mdoc.ids(method['x-errorIds'])}."]
    for example in method["examples"]:
        lines += _example(method["name"], example)
    return lines


def _example(name: str, example: JsonObject) -> list[str]:
    params = {value["name"]: value["value"] for value in example["params"]}
    call = {"jsonrpc": "2.0", "id": 1, "method": name} | ({"params": params} if params else {})
    reply = {"jsonrpc": "2.0", "id": 1, "result": example["result"]["value"]}
    shown = [*mdoc.pretty(call), *mdoc.pretty(reply)]
    return [".Pp", mdoc.text(f"Example: {example['name'][0].lower()}{example['name'][1:]}."), mdoc.display(shown)]


def events(programs: Programs) -> list[str]:
    """Every notification with the members that are its own."""
    lines: list[str] = []
    for event in programs.document["x-notifications"]:
        members = [(row["name"], row["schema"], "required" in row, row.get("summary", "")) for row in event["params"]]
        lines += [f".Ss {mdoc.word(event['name'])}", mdoc.text(event["summary"])]
        own = [member for member in members if not _is_of_all(event, member[0])]
        if own:
            lines += [".Pp", "Members:", *shapes.member_list(own)]
    return lines


def _is_of_all(event: JsonObject, name: str) -> bool:
    """Whether a member is one that all events of checkouts have."""
    has_number = any(row["name"] == "seq" for row in event["params"])
    return has_number and name in ("checkoutId", "seq", "time", "componentId")


def errors(programs: Programs) -> list[str]:
    """Every error by its code, with its ids."""
    document = programs.document
    lines: list[str] = []
    found = document["components"]["errors"].values()
    # First those that any call may be answered with, in the order of the specification.
    for error in sorted(found, key=lambda error: max(0, int(error["code"]))):
        lines += [f".Ss {error['code']}: {mdoc.text(error['message'])}", ".Bl -tag -width Ds -compact"]
        for id, meaning in document["x-errorIds"].items():
            if meaning["code"] == error["code"]:
                lines += [f".It Er {mdoc.word(id)}", mdoc.text(meaning["when"])]
        lines.append(".El")
    return lines


def event_errors(programs: Programs) -> list[str]:
    """The ids of errors that no call is answered with."""
    lines = [".Bl -tag -width Ds -compact"]
    for id, meaning in programs.document["x-eventErrorIds"].items():
        lines += [f".It Er {mdoc.word(id)}", mdoc.text(meaning)]
    return [*lines, ".El"]


def schemas(programs: Programs) -> list[str]:
    """The shapes that have names."""
    lines: list[str] = []
    for name, schema in programs.document["components"]["schemas"].items():
        lines += [f".Ss {mdoc.word(name)}"]
        inner = shapes.nested(schema)
        if schema.get("type") != "object":
            first = shapes.words(schema)
            lines.append(mdoc.text(f"{first[0].upper()}{first[1:]}."))
        elif not schema.get("additionalProperties", True):
            lines.append("Other members are refused.")
        else:
            lines.append("There may be other members.")
        lines += inner
    return lines


PAGES: dict[str, dict[str, Part]] = {
    "checkoutd.8": {"switches": switches, "options": daemon_options},
    "checkoutd.conf.5": {"settings": settings},
    "checkoutctl.1": {
        "commands": commands,
        "common": common_options,
        "some": some_options,
        "notes": notes,
        "status": exit_status,
    },
    "checkoutd-protocol.7": {
        "limits": limits,
        "methods": methods,
        "events": events,
        "errors": errors,
        "event-errors": event_errors,
        "schemas": schemas,
    },
}
