"""The types for Python: one for each schema that its client speaks of, and for what stands in them without a name."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any

JsonObject = dict[str, Any]

_HEAD = '''\
"""What the daemon's results and events hold, named as in the protocol. A later daemon may add members and words.

Made by client/models/generate.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict
'''
_WIDTH = 120

# What the client calls a schema, and what it is.
_SCHEMAS = {
    "Settings": ("Settings", "How a checkout is to go."),
    "State": ("State", "Where a checkout is."),
    "IssuingBank": ("Bank", "A bank to choose."),
    "UserDetails": ("UserDetails", "Who pays."),
    "Field": ("Field", "Something that a component collects."),
    "Step": ("Step", "Where a component has got to."),
    "ValidationError": ("ValidationError", "What is wrong with something collected."),
    "Error": ("ErrorData", "An error in full; those of upstream are in the members that begin with `server`."),
    "PaymentMethod": ("PaymentMethod", "A way to pay that the client session allows."),
    "ClientSession": ("ClientSession", "What is paid for, and by whom."),
    "Payment": ("Payment", "A payment at Primer."),
    "Component": ("Component", "A component of a checkout."),
    "AdditionalInfo": ("AdditionalInfo", "What a client has to show the shopper."),
    "Snapshot": ("Snapshot", "A checkout as it is now."),
}
# The same of what has no name in the document: where it stands, as members of a schema or as parameters of a call.
_PLACES = {
    "Settings/stripe": ("StripeSettings", "What ACH needs."),
    "Error/validationErrors": _SCHEMAS["ValidationError"],
    "Component/fields": ("Field", "Something that a component collects."),
    "Snapshot/awaiting": ("Awaited", "What a client must do for a checkout to go on."),
    "Snapshot/outcome": ("Outcome", "How a checkout ended."),
    "checkout.decide/decision": ("Decision", "What is decided."),
    "checkout.start/share": ("Share", "Who else may see a checkout, by `uid` or by `gid`, or drive it."),
    "component.reportBankAccount/error": (
        "CollectorError", "What the collector of bank accounts said went wrong.",
    ),
    "system.hello": ("Hello", "Who the daemon is, and whom it takes the client for."),
    "checkout.wait": ("Waited", "What a wait ended with; `matched` is null if the checkout ended without it."),
    "component.updateCollectedData": (
        "Validation", "What became of collected data; for a filter also the banks that it left.",
    ),
}  # fmt: skip
# Members that the document leaves to the event that asked, or to the error that was answered.
_MORE = {
    "Awaited": {"paymentMethodType": "str", "paymentMethodTokenData": "dict[str, Any]", "resumeToken": "str"},
    "ErrorData": {"limit": "int", "used": "int", "retryAfterMs": "int", "reason": "str", "checkoutId": "str"},
    "ValidationError": {"field": "str"},
}
_PLAIN = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}


def types(document: JsonObject) -> str:
    """The text of the file."""
    return "\n".join([_HEAD, *_Types(document).parts()])


class _Types:
    def __init__(self, document: JsonObject) -> None:
        self._schemas: JsonObject = document["components"]["schemas"]
        self._methods = {method["name"]: method for method in document["methods"]}
        # By their names, in the order in which they were met.
        self._aliases: dict[str, str] = {}
        self._classes: dict[str, str] = {}

    def parts(self) -> Iterator[str]:
        """What the file has below its head: words first, since they are read at once."""
        for schema in _SCHEMAS:
            if schema in self._schemas:
                self._named(*_SCHEMAS[schema], self._schemas[schema], is_open=schema != "Settings")
        for place, (name, words) in _PLACES.items():
            method, _, parameter = place.partition("/")
            if method not in self._methods:
                continue
            if parameter:
                (found,) = [one for one in self._methods[method]["params"] if one["name"] == parameter]
                schema = found["schema"]
                self._named(name, words, schema.get("items", schema), is_open=False)
            else:
                self._named(name, words, self._methods[method]["result"]["schema"], is_open=True)
        yield from (f"{text}\n" for text in self._aliases.values())
        yield from (f"\n{text}\n" for text in self._classes.values())

    def _named(self, name: str, words: str, schema: JsonObject, *, is_open: bool) -> str:
        """The name of a type, which is made if it has not been."""
        if name in self._aliases or name in self._classes:
            return name
        if "enum" in schema:
            self._aliases[name] = f"{name} = {self._words(schema['enum'], is_open=is_open, width=_WIDTH - len(name))}"
            return name
        # A schema may speak of itself.
        self._classes[name] = ""
        self._classes[name] = self._class(name, words, schema, is_open=is_open)
        return name

    def _class(self, name: str, words: str, schema: JsonObject, *, is_open: bool) -> str:
        lines = [f'"""{words}"""', ""]
        required = schema.get("required", [])
        for member, value in schema.get("properties", {}).items():
            type_ = self._type(value, f"{self._origin(name)}/{member}", is_open=is_open)
            if comment := value.get("description"):
                lines += [f"# {line}" for line in textwrap.wrap(comment, _WIDTH - 6)]
            lines.append(f"{member}: {type_ if member in required else f'NotRequired[{type_}]'}")
        for member, type_ in _MORE.get(name, {}).items():
            if member not in schema.get("properties", {}):
                lines.append(f"{member}: NotRequired[{type_}]")
        return f"class {name}(TypedDict):\n" + textwrap.indent("\n".join(lines), "    ")

    @staticmethod
    def _origin(name: str) -> str:
        """The schema that a type is made of; its own name for what has none."""
        return next((schema for schema, (known, _) in _SCHEMAS.items() if known == name), name)

    def _type(self, schema: JsonObject, place: str, *, is_open: bool) -> str:
        """The type of what a schema takes."""
        if "$ref" in schema:
            name = str(schema["$ref"]).rpartition("/")[2]
            if name in _SCHEMAS:
                return self._named(*_SCHEMAS[name], self._schemas[name], is_open=is_open)
            return self._type(self._schemas[name], place, is_open=is_open)
        if place in _PLACES and schema.get("type") != "array":
            return self._named(*_PLACES[place], schema, is_open=is_open)
        if "allOf" in schema:
            # A schema of that name, with words of its own.
            (only,) = schema["allOf"]
            return self._type(only, place, is_open=is_open)
        for alternatives in ("oneOf", "anyOf"):
            if alternatives in schema:
                all_ = [self._type(one, place, is_open=is_open) for one in schema[alternatives]]
                return " | ".join(dict.fromkeys(all_))
        if "enum" in schema:
            return self._words(schema["enum"], is_open=is_open)
        kind = schema.get("type")
        if kind == "array":
            return f"list[{self._type(schema['items'], place, is_open=is_open)}]"
        return "dict[str, Any]" if kind == "object" else _PLAIN.get(str(kind), "Any")

    @staticmethod
    def _words(words: list[str], *, is_open: bool, width: int = _WIDTH) -> str:
        rest = " | str" if is_open else ""
        quoted = [f'"{word}"' for word in words]
        line = f"Literal[{', '.join(quoted)}]{rest}"
        if len(line) <= width - 10:
            return line
        return "\n".join(["(", "    Literal[", *(f"        {word}," for word in quoted), f"    ]{rest}", ")"])
