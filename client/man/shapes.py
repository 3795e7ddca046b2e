"""Says in words what a schema of the OpenRPC document takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mdoc
from sources import JsonObject

_WIDEST = 2**63 - 1


def words(schema: JsonObject) -> str:
    """The shape in a few words."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "allOf" in schema:
        return words(schema["allOf"][0])
    if "oneOf" in schema:
        return _alternatives(schema["oneOf"])
    if "enum" in schema:
        return _listed([f'"{word}"' for word in schema["enum"]])
    kind = str(schema.get("type"))
    if kind == "string":
        return _string(schema)
    if kind == "integer":
        return _integer(schema)
    if schema.get("maxProperties") == 1:
        return _choice(schema)
    if kind == "object" and not schema.get("properties") and schema.get("additionalProperties") is False:
        return "empty object"
    if kind == "array":
        most = f", at most {schema['maxItems']}" if "maxItems" in schema else ""
        return f"list of {_plural(words(schema['items']))}{most}"
    return {"object": "object", "boolean": "true or false", "null": "null", "number": "number"}.get(kind, "anything")


def _listed(words: Sequence[str]) -> str:
    *others, last = words
    return f"{', '.join(others)} or {last}" if others else last


def _alternatives(schemas: Sequence[JsonObject]) -> str:
    return _listed([_members(schema) if schema.get("type") == "object" else words(schema) for schema in schemas])


def _choice(schema: JsonObject) -> str:
    members = [f'{{"{name}": {words(member)}}}' for name, member in schema["properties"].items()]
    return f"object of one member: {_listed(members)}"


def _members(schema: JsonObject) -> str:
    names = ", ".join(f'"{name}": {words(member)}' for name, member in schema["properties"].items())
    return f"{{{names}}}"


def _string(schema: JsonObject) -> str:
    least, most = schema.get("minLength", 0), schema.get("x-maxBytes")
    span = f", {least} to {most} bytes" if most and least != most and not schema.get("pattern") else ""
    form = f" like {schema['pattern']}" if "pattern" in schema else ""
    return f"string{span}{form}"


def _integer(schema: JsonObject) -> str:
    least, most = schema.get("minimum"), schema.get("maximum")
    if least is None:
        return "integer"
    if least == most:
        return str(least)
    return f"integer from {least}" + (f" to {most}" if most != _WIDEST else "")


def _plural(words: str) -> str:
    return {"object": "objects", "string": "strings", "list": "lists"}.get(words, words)


def member_list(members: Sequence[tuple[str, JsonObject, bool, str]]) -> list[str]:
    """A list of members or parameters: name, schema, whether it is required, and what it is."""
    lines = [".Bl -tag -width Ds -compact"]
    for name, schema, is_required, summary in members:
        needed = "" if is_required else ", optional"
        lines.append(f".It Va {mdoc.word(name)} Pq {mdoc.words(words(schema) + needed)}")
        if summary:
            lines.append(mdoc.text(summary))
        lines += nested(schema)
    return [*lines, ".El"]


def nested(schema: JsonObject) -> list[str]:
    """The members of an object, or of the objects in a list; nothing if they stand elsewhere."""
    if schema.get("type") == "array":
        return nested(schema["items"])
    if schema.get("maxProperties") == 1:
        return []
    properties: dict[str, Any] = schema.get("properties", {})
    if not properties:
        return []
    required = schema.get("required", [])
    return member_list(
        [(name, member, name in required, member.get("description", "")) for name, member in properties.items()]
    )
