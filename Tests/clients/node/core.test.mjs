// The parts without a socket: lines, messages, time, places.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { CallError, ConnectionLost, ProtocolError, Unreachable } from "../../../client/node/src/errors.js";
import { defaultSocket } from "../../../client/node/src/place.js";
import { Patience } from "../../../client/node/src/timing.js";
import { Conversation, LineBuffer } from "../../../client/node/src/wire.js";

const received = (text) => [...new Conversation().receive(Buffer.from(text))];

test("only LF ends a line", () => {
  const text = "a\r\u0085\u2028\u2029\x0b\x0cb";
  assert.deepEqual(new LineBuffer().feed(Buffer.from(`${text}\n${text}\n`)).map(String), [text, text]);
});

test("lines cut anywhere", () => {
  const bytes = Buffer.from("één\n\n{twee}\nrest");
  for (let place = 0; place <= bytes.length; place += 1) {
    const buffer = new LineBuffer();
    const lines = [...buffer.feed(bytes.subarray(0, place)), ...buffer.feed(bytes.subarray(place))];
    assert.deepEqual(lines.map(String), ["één", "", "{twee}"]);
    assert.deepEqual(buffer.feed(Buffer.from("\n")).map(String), ["rest"]);
  }
});

test("a call is a line, and calls are numbered", () => {
  const conversation = new Conversation();
  const line = '{"jsonrpc":"2.0","id":1,"method":"system.echo","params":{"text":"é\\n"}}\n';
  assert.deepEqual(conversation.ask("system.echo", { text: "é\n", missing: undefined }), { id: 1, line });
  assert.equal(conversation.ask("system.ping", {}).id, 2);
});

test("messages", () => {
  const text = '{"method":"a.b","params":{"seq":1}}\n{"id":1,"result":null}\n{"method":"system.resumed"}\n';
  assert.deepEqual(received(text), [
    { method: "a.b", params: { seq: 1 } },
    { id: 1, result: null },
    { method: "system.resumed", params: {} },
  ]);
});

test("which errors end a connection", () => {
  for (const [id, code, Kind] of [
    [null, -32004, ConnectionLost],
    [null, -32005, ConnectionLost],
    [null, -32007, ConnectionLost],
    [1, -32005, ConnectionLost],
    [1, -32004, CallError],
    [null, -32700, CallError],
  ]) {
    const [message] = received(`${JSON.stringify({ id, error: { code, message: "Bye" } })}\n`);
    assert.equal(message.id, id);
    assert.ok(message.error instanceof Kind, `${id} ${code}`);
    if (Kind === ConnectionLost) assert.equal(message.error.cause.code, code);
  }
});

test("an error says where and what is wrong", () => {
  const wrong = [{ field: "firstName", description: "It is empty" }, { description: "Another" }];
  const data = { errorId: "e", path: "/params/x", validationErrors: wrong };
  assert.equal(new CallError(1, "m", data).message, "e (1): m (/params/x); firstName: It is empty; Another");
});

test("what is no message", () => {
  const texts = ["", "{", "1", "null", "[]", "{}", '\ufeff{"id":1,"result":1}'];
  const replies = ['{"id":1}', '{"id":"1","result":1}', '{"id":1,"error":3}', '{"id":1,"error":{"code":"1"}}'];
  for (const line of [...texts, ...replies, Buffer.from('{"id":1,"result":"\xff"}', "latin1")]) {
    const bytes = Buffer.concat([Buffer.from(line), Buffer.from("\n")]);
    assert.throws(() => [...new Conversation().receive(bytes)], ProtocolError, String(line));
  }
});

test("pauses grow until patience ends, and begin anew", () => {
  let now = 0;
  const failure = new Unreachable("away");
  const patience = new Patience(5000, () => now);
  const pauses = [];
  const wait = () => {
    const pause = patience.pauseAfter(failure);
    now += pause;
    return pause;
  };
  assert.throws(() => {
    for (;;) pauses.push(wait());
  }, failure);
  assert.deepEqual(pauses, [10, 20, 40, 80, 160, 320, 640, 1000, 1000, 1000, 730]);
  patience.renew();
  assert.equal(wait(), 10);
  assert.throws(() => new Patience(0).pauseAfter(failure), failure);
});

test("where the daemon is looked for", (t) => {
  const directory = mkdtempSync(join(tmpdir(), "checkoutd-node-"));
  t.after(() => rmSync(directory, { recursive: true }));
  const environment = { XDG_RUNTIME_DIR: directory };
  const system = "/run/checkoutd/checkoutd.sock";
  assert.equal(defaultSocket({ CHECKOUTD_SOCKET: "/somewhere", ...environment }, false), "/somewhere");
  assert.equal(defaultSocket(environment, false), system);
  mkdirSync(join(directory, "checkoutd"));
  const own = join(directory, "checkoutd", "checkoutd.sock");
  writeFileSync(own, "");
  assert.equal(defaultSocket(environment, false), own);
  assert.equal(defaultSocket(environment, true), system);
  assert.equal(defaultSocket({}, false), system);
});
