"""What `rpc.discover` answers is an OpenRPC document; and a document that is none is found out."""

from __future__ import annotations

import copy
import os
from collections.abc import Callable
from unittest import mock

import jsonschema  # type: ignore

from clients.library import checkoutd
from clients.openrpc import META, Document
from support.case import DaemonTest
from support.lines import JsonObject


def _method(document: JsonObject, name: str = "checkout.share") -> JsonObject:
    (method,) = [method for method in document["methods"] if method["name"] == name]
    found: JsonObject = method
    return found


def described(member: JsonObject) -> JsonObject:
    """A member of an event as a parameter, which has to be described."""
    return {"summary": "A member.", **member}


def _move_error(document: JsonObject) -> None:
    errors = _method(document)["errors"]
    errors.append({"$ref": f"#/components/errors/{errors.pop()['code']}"})


class Discovery(DaemonTest):
    def setUp(self) -> None:
        super().setUp()
        self.document: JsonObject = self.client.call("rpc.discover")

    def test_the_structure_is_a_schema(self) -> None:
        jsonschema.Draft7Validator.check_schema(META)

    def test_it_is_an_openrpc_document(self) -> None:
        self.assertEqual(Document(self.document).findings(), [])

    def test_every_error_id_is_explained_and_belongs_to_the_codes_of_its_methods(self) -> None:
        meanings = self.document["x-errorIds"]
        messages = {error["code"]: error["message"] for error in self.document["components"]["errors"].values()}
        self.assertEqual(set(messages), {meaning["code"] for meaning in meanings.values()})
        for method in self.document["methods"]:
            with self.subTest(method["name"]):
                codes = {error["code"] for error in method["errors"]}
                self.assertEqual(codes, {meanings[id]["code"] for id in method["x-errorIds"]})
                for error in method["errors"]:
                    self.assertEqual(error, {"code": error["code"], "message": messages[error["code"]]})

    def test_the_server_is_where_clients_look(self) -> None:
        (server,) = self.document["servers"]
        self.assertEqual(server["url"], "unix:///run/checkoutd/checkoutd.sock")
        with mock.patch.dict(os.environ), mock.patch("os.geteuid", return_value=0):
            os.environ.pop("CHECKOUTD_SOCKET", None)
            self.assertEqual(f"unix://{checkoutd.default_socket()}", server["url"])

    def test_events_are_described_like_parameters(self) -> None:
        for event in self.document["x-notifications"]:
            with self.subTest(event["name"]):
                document = copy.deepcopy(self.document)
                result = {"name": "none", "schema": {}}
                summary = event["summary"]
                document["methods"] = [{"name": event["name"], "summary": summary, "params": [], "result": result}]
                # Their members are by name alone, so those that may be missing may stand anywhere.
                document["methods"] += [
                    {"name": f"member {number}", "summary": summary, "params": [described(member)], "result": result}
                    for number, member in enumerate(event["params"])
                ]
                self.assertEqual(Document(document).findings(), [])

    def test_what_is_wrong_is_found(self) -> None:
        for name, spoil in _FAULTS.items():
            with self.subTest(name):
                document = copy.deepcopy(self.document)
                spoil(document)
                self.assertNotEqual(document, self.document)
                self.assertNotEqual(Document(document).findings(), [])


_FAULTS: dict[str, Callable[[JsonObject], object]] = {
    "no version of the specification": lambda document: document.pop("openrpc"),
    "a version that there is not": lambda document: document.update(openrpc="2.0"),
    "no info": lambda document: document.pop("info"),
    "no title": lambda document: document["info"].pop("title"),
    "no version": lambda document: document["info"].pop("version"),
    "no methods": lambda document: document.pop("methods"),
    "methods by name": lambda document: document.update(methods={}),
    "a member that is not known": lambda document: document.update(notifications=[]),
    "a method without a name": lambda document: _method(document).pop("name"),
    "a method without parameters": lambda document: _method(document).pop("params"),
    "a method without a result": lambda document: _method(document).pop("result"),
    "two methods of one name": lambda document: document["methods"].append(_method(document)),
    "a structure of parameters that there is not": lambda document: _method(document).update(paramStructure="any"),
    "a method's member that is not known": lambda document: _method(document).update(acceptsAnything=True),
    "a parameter without a schema": lambda document: _method(document)["params"][0].pop("schema"),
    "a parameter without a name": lambda document: _method(document)["params"][0].pop("name"),
    "a parameter twice": lambda document: _method(document)["params"].append(_method(document)["params"][-1]),
    "an optional parameter first": lambda document: _method(document)["params"].reverse(),
    "a result without a schema": lambda document: _method(document)["result"].pop("schema"),
    "a type that there is not": lambda document: _method(document)["params"][1]["schema"].update(type="text"),
    "a schema that leads nowhere": lambda document: document["components"]["schemas"].pop("CheckoutReference"),
    "no servers": lambda document: document.pop("servers"),
    "a server without an address": lambda document: document["servers"][0].pop("url"),
    "a server without a name": lambda document: document["servers"][0].pop("name"),
    "a server at a path": lambda document: document["servers"][0].update(url="/run/checkoutd/checkoutd.sock"),
    "a method that is not described": lambda document: _method(document).pop("summary"),
    "a parameter that is not described": lambda document: _method(document)["params"][1].pop("summary"),
    "an error that stands elsewhere": _move_error,
    "an error that leads nowhere": lambda document: _method(document)["errors"].append({"$ref": "#/components/none"}),
    "an error without a code": lambda document: _method(document)["errors"][0].pop("code"),
    "an error without a message": lambda document: _method(document)["errors"][0].pop("message"),
    "an error that says when": lambda document: _method(document)["errors"][0].update({"x-when": "Now."}),
    "two errors of one code": lambda document: _method(document)["errors"].append({"code": 1001, "message": "Again"}),
    "a component of a kind that there is not": lambda document: document["components"].update(events={}),
    "a component with a space in its name": lambda document: document["components"]["schemas"].update({"a b": {}}),
    "an example without a name": lambda document: _method(document)["examples"][0].pop("name"),
    "an example without a result": lambda document: _method(document)["examples"][0].pop("result"),
    "an example's parameter by no name": lambda document: _method(document)["examples"][0]["params"][0].pop("name"),
    "an example without a parameter": lambda document: _method(document)["examples"][0]["params"].pop(0),
    "an example with another parameter": lambda document: _method(document)["examples"][0]["params"].append(
        {"name": "pid", "value": 1}
    ),
    "an example with another value": lambda document: _method(document)["examples"][0]["params"][1].update(value="own"),
    "an example with another result": lambda document: _method(document)["examples"][0]["result"].update(value=[]),
    "an example with two values": lambda document: _method(document)["examples"][0]["result"].update(
        externalValue="https://example.com/result.json"
    ),
    "a link to no method": lambda document: _method(document).update(links=[{"name": "next", "method": "checkout.go"}]),
}
