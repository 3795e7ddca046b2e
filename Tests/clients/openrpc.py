"""What the OpenRPC specification asks of a document: by a schema, and, where a schema cannot say it, by rules."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore

from support.lines import JsonObject

META: JsonObject = json.loads((Path(__file__).resolve().parent / "openrpc-schema.json").read_text())

_NEVER_FOLLOWED = ("example", "examples", "value")


class Document:
    """An OpenRPC document, and what is wrong with it."""

    def __init__(self, document: JsonObject) -> None:
        self.document = document

    @property
    def methods(self) -> list[JsonObject]:
        """The methods, references followed."""
        return [self.followed(method) for method in self.document["methods"]]

    def followed(self, value: Any) -> Any:
        """What a reference refers to, or the value itself."""
        while isinstance(value, dict) and "$ref" in value:
            value = self.resolved(value["$ref"])
        return value

    def resolved(self, reference: str) -> Any:
        """What stands at a place within the document; raises `LookupError`."""
        marker, *steps = reference.split("/")
        if marker != "#":
            raise LookupError(reference)
        place: Any = self.document
        for step in steps:
            name = step.replace("~1", "/").replace("~0", "~")
            place = place[int(name)] if isinstance(place, list) else place[name]
        return place

    def mismatches(self, schema: Any, value: Any) -> list[str]:
        """In what a value differs from a schema of the document."""
        # The document is the root that the schema's references begin at.
        root = {**self.document, "allOf": [schema]}
        validator = jsonschema.Draft7Validator(root)
        return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(value)]

    # Findings

    def findings(self) -> list[str]:
        """What is not as the specification has it; each kind of rule is asked only where those before it are kept."""
        validator = jsonschema.Draft7Validator(META)
        structure = [f"{error.json_path}: {error.message}" for error in validator.iter_errors(self.document)]
        return structure or [*self._references()] or [*self._no_schemas()] or [*self._rules()]

    def _references(self) -> Iterator[str]:
        for reference in _references(self.document):
            try:
                self.resolved(reference)
            except (LookupError, TypeError, ValueError):
                yield f"{reference} leads nowhere"

    def _no_schemas(self) -> Iterator[str]:
        for schema in self._schemas():
            try:
                jsonschema.Draft7Validator.check_schema(schema)
            except jsonschema.SchemaError as error:
                yield f"no schema: {error.message}"

    def _rules(self) -> Iterator[str]:
        yield from _repeated("method", (method["name"] for method in self.methods))
        yield from (f"{server['url']} is no address" for server in self.document["servers"] if ":" not in server["url"])
        for method in self.methods:
            for finding in self._rules_of(method):
                yield f"{method['name']}: {finding}"

    def _rules_of(self, method: JsonObject) -> Iterator[str]:
        parameters = [self.followed(parameter) for parameter in method["params"]]
        yield from (f"{part['name']} is not described" for part in (method, *parameters) if not _is_described(part))
        yield from _repeated("parameter", (parameter["name"] for parameter in parameters))
        needed = [bool(parameter.get("required")) for parameter in parameters]
        if needed != sorted(needed, reverse=True):
            yield "an optional parameter stands before a required one"
        # Generators of clients do not follow references here.
        yield from ("an error stands elsewhere" for error in method.get("errors", []) if "$ref" in error)
        yield from _repeated("code", (self.followed(error)["code"] for error in method.get("errors", [])))
        for link in map(self.followed, method.get("links", [])):
            if link.get("method", method["name"]) not in [other["name"] for other in self.methods]:
                yield f"{link['name']} leads to no method"
        for example in map(self.followed, method.get("examples", [])):
            for finding in self._rules_of_example(method, parameters, example):
                yield f"{example['name']}: {finding}"

    def _rules_of_example(
        self, method: JsonObject, parameters: list[JsonObject], example: JsonObject
    ) -> Iterator[str]:
        given = {value["name"]: value["value"] for value in map(self.followed, example["params"])}
        yield from _repeated("parameter", (self.followed(value)["name"] for value in example["params"]))
        known = {parameter["name"]: parameter for parameter in parameters}
        if not method.get("x-acceptsAnyParams"):
            yield from (f"{name} is no parameter" for name in given if name not in known)
        yield from (
            f"{name} is missing" for name, parameter in known.items() if parameter.get("required") and name not in given
        )
        for name in given.keys() & known.keys():
            yield from self.mismatches(known[name]["schema"], given[name])
        yield from self.mismatches(self.followed(method["result"])["schema"], self.followed(example["result"])["value"])

    def _schemas(self) -> Iterator[Any]:
        components = self.document.get("components", {})
        yield from components.get("schemas", {}).values()
        descriptors = [*components.get("contentDescriptors", {}).values()]
        for method in [*self.methods, *self.document.get("x-notifications", [])]:
            descriptors += method["params"]
            descriptors += [method["result"]] if "result" in method else []
        yield from (self.followed(descriptor)["schema"] for descriptor in descriptors)


def _is_described(part: JsonObject) -> bool:
    return bool(part.get("summary") or part.get("description"))


def _references(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        for element in value:
            yield from _references(element)
    elif isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for name, member in value.items():
            if name not in _NEVER_FOLLOWED or name == "examples" and isinstance(member, list):
                yield from _references(member)


def _repeated(what: str, names: Iterable[Any]) -> Iterator[str]:
    for name, count in Counter(names).items():
        if count > 1:
            yield f"the {what} {name} is there {count} times"
