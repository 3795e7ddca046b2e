"""More events than a client that does not read can be sent."""

from __future__ import annotations

from support.checkout import BANK
from support.client import Client
from support.lines import JsonObject


def flood(client: Client, component_id: str) -> None:
    """Makes events until the daemon drops some for the one who follows."""
    params: JsonObject = {"componentId": component_id, "data": {"bankId": BANK}}
    while not any(row["lost"] for row in client.call("system.connections")["connections"]):
        client.send_all([("component.updateCollectedData", params)] * 50)
        client.call("system.ping")
