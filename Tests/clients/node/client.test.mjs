// The client against a daemon that is made up, and no daemon at all.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { test } from "node:test";
import { promisify } from "node:util";

import {
  CallError,
  Checkout,
  CheckoutdError,
  ConnectionLost,
  ProtocolError,
  TimedOut,
  Unreachable,
} from "../../../client/node/src/index.js";
import { FakeDaemon, following } from "./fake_daemon.mjs";

const REFUSED = { code: -32004, message: "Quota exceeded", data: { errorId: "quota-exceeded" } };

/** A promise with what settles it. */
function deferred() {
  const made = {};
  made.promise = new Promise((resolve, reject) => Object.assign(made, { resolve, reject }));
  return made;
}

const checkoutOf = (client) => new Checkout(client, "co_1");

/** What an async iterable has. */
async function all(iterable) {
  const items = [];
  for await (const item of iterable) items.push(item);
  return items;
}

const seqs = async (events) => (await all(events)).map(({ seq }) => seq);

// Calls

test("replies find their calls in any order, and events in between are nobody's", async (t) => {
  const held = [];
  const daemon = await FakeDaemon.listening(t, (call, peer) => {
    held.unshift(call);
    if (held.length < 3) return;
    peer.event(1);
    for (const { id, params } of held) peer.say({ id, result: params });
  });
  const client = daemon.client();
  const asked = [1, 2, 3].map((number) => client.call("system.echo", { number }));
  assert.deepEqual(await Promise.all(asked), [{ number: 1 }, { number: 2 }, { number: 3 }]);
  assert.equal(daemon.peers.length, 1);
});

test("an error reply has what the daemon said, and the connection goes on", async (t) => {
  const error = { code: 1003, message: "Not now", data: { errorId: "not-started", description: "Start first" } };
  const answers = [{ error }, { result: 2 }];
  const daemon = await FakeDaemon.listening(t, ({ id }, peer) => peer.say({ id, ...answers.shift() }));
  const client = daemon.client();
  await assert.rejects(client.call("x.y"), (failure) => {
    assert.ok(failure instanceof CallError && failure instanceof CheckoutdError && failure instanceof Error);
    assert.deepEqual([failure.code, failure.errorId, failure.data], [1003, "not-started", error.data]);
    assert.equal(String(failure), "CallError: not-started (1003): Start first");
    return true;
  });
  assert.equal(await client.call("x.y"), 2);
  assert.equal(daemon.peers.length, 1);
});

test("an error's stack leads to who made the call", async (t) => {
  const error = { code: 1001, message: "Unknown", data: { errorId: "unknown-checkout" } };
  const daemon = await FakeDaemon.listening(t, ({ id }, peer) => peer.say({ id, error }));
  const checkout = checkoutOf(daemon.client());
  const look = async () => await checkout.snapshot();
  const follow = async () => await all(checkout.events());
  const away = async () => await new FakeDaemon(t).client({ patience: 0 }).hello();
  for (const caller of [look, follow, away]) {
    await assert.rejects(caller, ({ stack }) => stack.includes(`at async ${caller.name} `));
  }
});

test("an error without data", async (t) => {
  const error = { code: -32603, message: "No" };
  const daemon = await FakeDaemon.listening(t, ({ id }, peer) => peer.say({ id, error }));
  await assert.rejects(daemon.client().call("x.y"), { name: "CallError", errorId: "", data: {} });
});

test("a lost reply to what may not be made twice is told of", async (t) => {
  const daemon = await FakeDaemon.listening(t, (_, peer) => peer.hangUp());
  await assert.rejects(daemon.client().call("component.submit"), ConnectionLost);
  assert.equal(daemon.calls.length, 1);
});

test("a lost reply to what does no harm twice is asked for again", async (t) => {
  const daemon = await FakeDaemon.listening(t, ({ id }, peer) =>
    peer.number < 2 ? peer.hangUp() : peer.say({ id, result: { epoch: "e1" } }));
  assert.deepEqual(await daemon.client().hello(), { epoch: "e1" });
  assert.equal(daemon.calls.length, 3);
});

test("a start without a key may not be made twice, one with a key may", async (t) => {
  const daemon = await FakeDaemon.listening(t, ({ id }, peer) =>
    peer.number < 2 ? peer.hangUp() : peer.say({ id, result: { checkoutId: "co_1" } }));
  const client = daemon.client();
  await assert.rejects(client.start("token"), ConnectionLost);
  assert.equal((await client.start("token", { startKey: "till-1" })).id, "co_1");
  assert.deepEqual(daemon.calls.at(-1).params, { clientToken: "token", startKey: "till-1" });
});

test("a connection that was closed meanwhile does not matter", async (t) => {
  const daemon = await FakeDaemon.listening(t);
  const client = daemon.client();
  await client.call("x.y");
  for (const [index, gone] of [(peer) => peer.hangUp(), (peer) => peer.socket.destroy()].entries()) {
    gone(daemon.peers[index]);
    await once(daemon.peers[index].socket, "close");
    // One that may not be repeated: it is known not to have been made.
    await client.call("component.submit");
    assert.equal(daemon.peers.length, index + 2);
  }
});

test("a refused connection is tried again as long as there is patience", async (t) => {
  const daemon = await FakeDaemon.listening(t, ({ id }, peer) => peer.number === 2 && peer.say({ id, result: 1 }));
  daemon.greet = (peer) => {
    if (peer.number === 2) return;
    peer.say({ id: null, error: REFUSED });
    peer.hangUp();
  };
  await assert.rejects(daemon.client({ patience: 0 }).hello(), CheckoutdError);
  assert.equal(await daemon.client().hello(), 1);
});

test("the last line of a connection says why it ends", async (t) => {
  const error = { code: -32007, message: "Closing connection", data: { errorId: "closing", reason: "slow-reader" } };
  const daemon = await FakeDaemon.listening(t, (_, peer) => peer.say({ id: null, error }));
  await assert.rejects(daemon.client().call("x.y"), (failure) => {
    assert.ok(failure instanceof ConnectionLost);
    assert.equal(failure.cause.data.reason, "slow-reader");
    return true;
  });
});

test("nobody there", async (t) => {
  const daemon = new FakeDaemon(t);
  await assert.rejects(daemon.client({ patience: 0 }).hello(), (failure) => {
    assert.ok(failure instanceof Unreachable);
    assert.ok(failure.message.includes(daemon.path) && failure.message.includes("ENOENT"), failure.message);
    return true;
  });
  await assert.rejects(daemon.client({ timeout: 20, patience: Infinity }).hello(), TimedOut);
});

test("a daemon that comes later is found", async (t) => {
  const daemon = new FakeDaemon(t);
  const called = daemon.client().call("component.submit");
  await daemon.listen();
  assert.deepEqual(await called, {});
});

test("what the daemon never says is told of, and the next call has a new connection", async (t) => {
  for (const text of ["HTTP/1.1 400 Bad Request", "", "[]", '{"id":1}', '{"id":"1","result":1}']) {
    const daemon = await FakeDaemon.listening(t, ({ id }, peer) =>
      peer.number === 0 ? peer.socket.write(`${text}\n`) : peer.say({ id, result: 1 }));
    const client = daemon.client();
    await assert.rejects(client.hello(), ProtocolError, text);
    assert.equal(await client.hello(), 1);
  }
});

test("a text is as it was, whatever is in it", async (t) => {
  const daemon = await FakeDaemon.listening(t, ({ id, params }, peer) => peer.say({ id, result: params }));
  const params = { text: "\u2028é\n\r\u0085\u2029\x0b\x0c\u{1f600}\0", big: "x".repeat(300_000) };
  assert.deepEqual(await daemon.client().call("system.echo", params), params);
});

// Waiting

test("a call that waits has a connection of its own, and ends with it", async (t) => {
  const waited = deferred();
  const daemon = await FakeDaemon.listening(t, ({ id, method }, peer) => {
    if (method === "checkout.get") peer.say({ id, result: { checkoutId: "co_1" } });
    else waited.resolve();
  });
  const client = daemon.client();
  const checkout = await client.attach("co_1");
  const stop = new AbortController();
  const waiting = checkout.wait({ signal: stop.signal });
  await waited.promise;
  await checkout.snapshot();
  stop.abort();
  await assert.rejects(waiting, { name: "AbortError" });
  await once(daemon.peers[1].socket, "close");
  assert.deepEqual(daemon.calls.map(({ method }) => method), ["checkout.get", "checkout.wait", "checkout.get"]);
  assert.equal(daemon.peers.length, 2);
});

test("a wait is asked again until it is over", async (t) => {
  const answers = [
    { matched: null, snapshot: { state: "ready" } },
    { matched: null, snapshot: { state: "awaitingRedirect" } },
    { matched: null, snapshot: { state: "failed" } },
  ];
  const daemon = await FakeDaemon.listening(t, ({ id, method }, peer) =>
    peer.say({ id, result: method === "checkout.get" ? { checkoutId: "co_1" } : answers.shift() }));
  const checkout = await daemon.client().attach({ startKey: "till-1" });
  assert.equal((await checkout.wait({ for: ["awaiting"] })).snapshot.state, "failed");
  const [get, ...waits] = daemon.calls;
  assert.deepEqual(get.params, { checkoutId: { startKey: "till-1" } });
  const asked = { checkoutId: "co_1", for: ["awaiting"], waitMs: 60_000 };
  assert.deepEqual(waits.map(({ params }) => params), [asked, asked, asked]);
});

test("a wait ends in time", async (t) => {
  const result = { matched: null, snapshot: { state: "ready" } };
  const daemon = await FakeDaemon.listening(t, ({ id }, peer) => peer.say({ id, result }));
  const checkout = checkoutOf(daemon.client());
  await assert.rejects(checkout.wait({ timeout: 20 }), TimedOut);
  await assert.rejects(checkout.wait({ timeout: 0 }), TimedOut);
});

// Signals and time

test("a call is let go of, and its late reply is nobody's", async (t) => {
  const asked = deferred();
  const daemon = await FakeDaemon.listening(t, (call, peer) => {
    if (call.id === 1) asked.resolve(() => peer.say({ id: 1, result: "late" }));
    else peer.say({ id: call.id, result: "in time" });
  });
  const client = daemon.client();
  const stop = new AbortController();
  const called = client.call("x.y", {}, { signal: stop.signal });
  const answer = await asked.promise;
  stop.abort(new RangeError("enough"));
  await assert.rejects(called, new RangeError("enough"));
  answer();
  assert.equal(await client.call("x.y"), "in time");
  assert.equal(daemon.peers.length, 1);
});

test("a signal that is aborted already stops a call before it is made", async (t) => {
  const daemon = await FakeDaemon.listening(t);
  const signal = AbortSignal.abort();
  const client = daemon.client();
  await assert.rejects(client.call("x.y", {}, { signal }), { name: "AbortError" });
  await assert.rejects(client.start("token", { signal }), { name: "AbortError" });
  await client.call("x.y");
  await assert.rejects(all(checkoutOf(client).events({ signal })), { name: "AbortError" });
  assert.equal(daemon.calls.length, 1);
});

test("a reply that does not come in time", async (t) => {
  const daemon = await FakeDaemon.listening(t, () => {});
  await assert.rejects(daemon.client({ timeout: 20 }).hello(), TimedOut);
  await assert.rejects(daemon.client().call("x.y", {}, { timeout: 20 }), TimedOut);
});

test("one signal for many calls causes no warning", async (t) => {
  const warned = [];
  const note = (warning) => warned.push(warning);
  process.on("warning", note);
  t.after(() => process.off("warning", note));
  const daemon = await FakeDaemon.listening(t);
  const client = daemon.client();
  const { signal } = new AbortController();
  for (let round = 0; round < 30; round += 1) await client.call("x.y", {}, { signal });
  assert.deepEqual(warned, []);
});

test("closing ends what is under way, and nothing begins after it", async (t) => {
  const asked = deferred();
  let count = 0;
  const daemon = await FakeDaemon.listening(t, (call, peer) => {
    if (call.method === "checkout.get") peer.say({ id: call.id, result: { checkoutId: "co_1" } });
    else if ((count += 1) === 3) asked.resolve();
  });
  const client = daemon.client();
  const checkout = await client.attach("co_1");
  const running = [client.hello(), checkout.wait(), checkout.events().next()];
  await asked.promise;
  client.close();
  for (const one of running) await assert.rejects(one, ConnectionLost);
  await assert.rejects(client.hello(), ConnectionLost);
  await assert.rejects(checkout.events().next(), ConnectionLost);
  for (const { socket } of daemon.peers) if (!socket.destroyed) await once(socket, "close");
});

test("the process ends by itself when nothing is under way", async (t) => {
  const daemon = await FakeDaemon.listening(t, ({ id, method }, peer) => {
    if (method === "system.ping") peer.say({ id, result: {} });
  });
  const library = new URL("../../../client/node/src/index.js", import.meta.url).href;
  const program = `
    import { Client } from ${JSON.stringify(library)};
    const client = new Client({ timeout: 20 });
    await client.call("system.ping", {}, { timeout: 10_000 });
    await client.call("x.y").catch(({ name }) => console.log(name));`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program], {
    env: { ...process.env, CHECKOUTD_SOCKET: daemon.path },
    timeout: 60_000,
  });
  assert.equal(stdout, "TimedOut\n");
});

// Lists

test("a long list is read page by page", async (t) => {
  const pages = [{ checkouts: [1, 2], next: "c" }, { checkouts: [3] }];
  const daemon = await FakeDaemon.listening(t, ({ id }, peer) => peer.say({ id, result: pages.shift() }));
  assert.deepEqual(await all(daemon.client().checkouts(["ready"])), [1, 2, 3]);
  const asked = daemon.calls.map(({ params }) => params);
  assert.deepEqual(asked, [{ states: ["ready"] }, { states: ["ready"], cursor: "c" }]);
});

test("a payment method's component comes from the manager that the daemon names", async (t) => {
  const availablePaymentMethods = [{ type: "NEW_WALLET", manager: "walletManager" }];
  const result = { componentId: "cm_1", availablePaymentMethods };
  const daemon = await FakeDaemon.listening(t, ({ id }, peer) => peer.say({ id, result }));
  const checkout = checkoutOf(daemon.client());
  assert.equal((await checkout.provide("NEW_WALLET")).id, "cm_1");
  await checkout.provide("OLD_WALLET");
  await checkout.provide("OLD_WALLET", { manager: "nativeUIManager" });
  assert.deepEqual(daemon.calls.map(({ method }) => method).filter((method) => method !== "checkout.get"), [
    "walletManager.provide", "componentWithRedirectManager.provide", "nativeUIManager.provide",
  ]);
});

// Events

test("events go on over any number of connections", async (t) => {
  const daemon = await FakeDaemon.listening(t, following((peer, after) => {
    if (after === 4) return peer.event(5, "checkout.didFail", { outcome: "failed" });
    peer.event(after + 1);
    return peer.hangUp();
  }));
  const events = await all(checkoutOf(daemon.client()).events());
  assert.deepEqual(events.map(({ seq }) => seq), [1, 2, 3, 4, 5]);
  const last = events.at(-1);
  assert.deepEqual([last.isTerminal, last.outcome, last.place], [true, "failed", { epoch: "e1", seq: 5 }]);
  assert.equal(daemon.peers.length, 5);
});

test("events of another state are told from the first", async (t) => {
  const told = (peer, after) => {
    peer.event(after + 1, peer.number === 0 ? undefined : "checkout.didFail");
    if (peer.number === 0) peer.hangUp();
  };
  const daemon = await FakeDaemon.listening(t, following(told, ({ number }) => `e${number}`));
  const events = await all(checkoutOf(daemon.client()).events({ after: { epoch: "e0", seq: 7 } }));
  assert.deepEqual(events.map(({ place }) => place), [{ epoch: "e0", seq: 8 }, { epoch: "e1", seq: 1 }]);
});

test("who leaves the loop closes the connection", async (t) => {
  const daemon = await FakeDaemon.listening(t, following((peer) => peer.event(1)));
  for await (const event of checkoutOf(daemon.client()).events()) {
    assert.equal(event.seq, 1);
    break;
  }
  if (!daemon.peers[0].socket.destroyed) await once(daemon.peers[0].socket, "close");
});

test("a signal ends events, and so does silence", async (t) => {
  const daemon = await FakeDaemon.listening(t, following((peer, after) => after === 0 && peer.event(1)));
  const checkout = checkoutOf(daemon.client());
  const stop = new AbortController();
  const events = checkout.events({ signal: stop.signal });
  await events.next();
  const next = events.next();
  stop.abort();
  await assert.rejects(next, { name: "AbortError" });
  assert.deepEqual(await events.next(), { value: undefined, done: true });
  await assert.rejects(seqs(checkout.events({ timeout: 20 })), TimedOut);
});

test("what goes wrong after an event comes after it", async (t) => {
  const daemon = await FakeDaemon.listening(t, following((peer) => {
    peer.event(1);
    peer.socket.write("nonsense\n");
  }));
  const events = checkoutOf(daemon.client()).events();
  assert.equal((await events.next()).value.seq, 1);
  await assert.rejects(events.next(), ProtocolError);
});

test("patience with events begins anew when the daemon is there", async (t) => {
  // Longer than the patience lasts: no event comes, and then the connection breaks.
  const silence = 60;
  const daemon = await FakeDaemon.listening(t, following((peer, after) => {
    if (after === 3) return peer.event(4, "checkout.didFail");
    peer.event(after + 1);
    return setTimeout(() => peer.hangUp(), silence);
  }));
  assert.deepEqual(await seqs(checkoutOf(daemon.client({ patience: silence / 2 })).events()), [1, 2, 3, 4]);
});

test("patience with events ends", async (t) => {
  let isThere = true;
  const daemon = await FakeDaemon.listening(t, following((peer, after) => {
    peer.event(after + 1);
    if (after === 1) isThere = false;
    peer.hangUp();
  }));
  const answer = daemon.answer;
  daemon.answer = (call, peer) => (isThere ? answer(call, peer) : peer.hangUp());
  const events = checkoutOf(daemon.client({ patience: 50 })).events();
  assert.equal((await events.next()).value.seq, 1);
  assert.equal((await events.next()).value.seq, 2);
  await assert.rejects(events.next(), ConnectionLost);
});
