"""The declarations for TypeScript: one type for each schema, and maps from names of calls and events to theirs."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

JsonObject = dict[str, Any]

# What would hide something that every program has.
_RENAMED = {"Error": "ErrorData"}
_PLAIN = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}
_HEAD = """\
// What goes over the wire, named as in the protocol. Made by client/models/generate.

/** One of the words that are known, or one that a later daemon adds. */
export type Open<Word extends string> = Word | (string & Record<never, never>);
"""


def declarations(document: JsonObject) -> str:
    """The text of the file."""
    return "\n".join([_HEAD, *_Declarations(document).parts()])


class _Declarations:
    def __init__(self, document: JsonObject) -> None:
        self._document = document
        self._schemas: JsonObject = document["components"]["schemas"]
        told = [method["result"]["schema"] for method in document["methods"]]
        told += [member["schema"] for event in document["x-notifications"] for member in event["params"]]
        # What a daemon tells may be told by a later one.
        self._told = set(self._reached(told))

    def _reached(self, value: Any) -> Iterator[str]:
        """The names of the schemas that something refers to, or that those refer to."""
        pending, seen = [value], set[str]()
        while pending:
            value = pending.pop()
            if isinstance(value, list):
                pending += value
            elif isinstance(value, dict):
                name = str(value.get("$ref", "")).rpartition("/")[2]
                if name and name not in seen:
                    seen.add(name)
                    yield name
                    pending.append(self._schemas[name])
                pending += value.values()

    # The parts of the file

    def parts(self) -> Iterator[str]:
        """What the file has below its head."""
        for name, schema in self._schemas.items():
            type_ = _Type(is_open=name in self._told)
            yield f"{_comment(schema.get('description', ''))}export type {_name(name)} = {type_.of(schema)};\n"
        yield "/** The calls that there are, by name: what each takes, and what it answers with. */"
        yield f"export interface Calls {_braced(self._calls())}\n"
        yield "/** The events that there are, by name: what each tells. */"
        yield f"export interface Events {_braced(self._events())}\n"

    def _calls(self) -> Iterator[str]:
        for method in self._document["methods"]:
            params = _members(method["params"], _Type(is_open=False))
            if method.get("x-acceptsAnyParams"):
                params = "unknown"
            result = _Type(is_open=True).of(method["result"]["schema"])
            both = _braced([f"params: {params};", f"result: {result};"])
            yield f'{_comment(method["summary"])}"{method["name"]}": {both};'

    def _events(self) -> Iterator[str]:
        for event in self._document["x-notifications"]:
            members = _members(event["params"], _Type(is_open=True))
            yield f'{_comment(event["summary"])}"{event["name"]}": {members};'


class _Type:
    """Types as text; words are open in what the daemon tells."""

    def __init__(self, *, is_open: bool) -> None:
        self._is_open = is_open

    def of(self, schema: JsonObject) -> str:
        """The type of what a schema takes."""
        if "$ref" in schema:
            return _name(str(schema["$ref"]).rpartition("/")[2])
        if "allOf" in schema:
            return " & ".join(map(self.of, schema["allOf"]))
        for alternatives in ("oneOf", "anyOf"):
            if alternatives in schema:
                return " | ".join(dict.fromkeys(map(self.of, schema[alternatives])))
        if "enum" in schema:
            words = " | ".join(json.dumps(word) for word in schema["enum"])
            return f"Open<{words}>" if self._is_open else words
        if "const" in schema:
            return json.dumps(schema["const"])
        return self._by_kind(schema)

    def _by_kind(self, schema: JsonObject) -> str:
        kind = schema.get("type")
        if kind == "array":
            item = self.of(schema["items"])
            return f"({item})[]" if " | " in item or " & " in item else f"{item}[]"
        if kind == "object":
            return self._object(schema)
        return _PLAIN.get(str(kind), "unknown")

    def _object(self, schema: JsonObject) -> str:
        properties: dict[str, JsonObject] = schema.get("properties", {})
        if not properties:
            return f"Record<string, {'never' if schema.get('additionalProperties') is False else 'unknown'}>"
        if schema.get("maxProperties") == 1:
            return " | ".join(f"{{ {name}: {self.of(member)} }}" for name, member in properties.items())
        required = schema.get("required", [])
        return _members(
            [
                {"name": name, "schema": member, "required": name in required, "summary": member.get("description", "")}
                for name, member in properties.items()
            ],
            self,
        )


def _members(members: Sequence[JsonObject], type_: _Type) -> str:
    if not members:
        return "Record<string, never>"
    lines = []
    for member in members:
        words = str(member.get("description") or member.get("summary", ""))
        mark = "" if member.get("required") else "?"
        lines.append(f"{_comment(words)}{member['name']}{mark}: {type_.of(member['schema'])};")
    return _braced(lines)


def _name(schema: str) -> str:
    return _RENAMED.get(schema, schema)


def _braced(lines: Iterable[str]) -> str:
    return "{\n" + textwrap.indent("\n".join(lines), "  ") + "\n}"


def _comment(words: str) -> str:
    # Nothing that is said may end the comment.
    return f"/** {words.replace('*/', '* /')} */\n" if words else ""
