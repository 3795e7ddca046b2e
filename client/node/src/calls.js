/**
 * The calls there are, without a connection to make them on.
 *
 * A call is `{ method, params, read, isRepeatable, waitMs }`: what its result means, whether it may be made again when
 * nobody knows whether it was made, and for how long the daemon may wait on purpose before it answers (such a call has
 * a connection of its own).
 */

import { ConnectionLost, Unreachable } from "./errors.js";

const ENDED = ["completed", "failed", "archived"];

/** The longest that one wait goes on at the daemon before it is asked again. */
export const LONGEST_WAIT = 60_000;

const asItIs = (result) => result;
const nothing = () => undefined;

function call(method, params, { read = asItIs, isRepeatable = false, waitMs = null } = {}) {
  return { method, params, read, isRepeatable, waitMs };
}

const repeatable = { isRepeatable: true };

/** A call by its name. */
export const anyCall = (method, params = {}) => call(method, params, { waitMs: params.waitMs ?? null });

/** Whether a call that failed so may be made again. */
export const mayBeRepeated = ({ isRepeatable }, failure) =>
  failure instanceof Unreachable || (failure instanceof ConnectionLost && isRepeatable);

// The daemon

export const hello = (client) => call("system.hello", { client }, repeatable);
export const listCheckouts = (states, cursor) => call("checkout.list", { states, cursor }, repeatable);

// A checkout

export const start = (clientToken, options) =>
  call("checkout.start", { clientToken, ...options }, { isRepeatable: options.startKey !== undefined, waitMs: 0 });

/** The checkout of an id or of a start key. */
export function find(named) {
  const checkoutId = typeof named === "string" ? named : { startKey: named.startKey };
  return call("checkout.get", { checkoutId }, repeatable);
}

export function wait(checkoutId, events, span) {
  const waitMs = Math.max(1, Math.round(span));
  return call("checkout.wait", { checkoutId, for: events, waitMs }, { isRepeatable: true, waitMs });
}

/** Whether there is nothing left to wait for. */
export const isOver = ({ matched, snapshot }) => matched !== null || ENDED.includes(snapshot.state);

export const cancel = (checkoutId, reason) =>
  call("checkout.cancel", { checkoutId, reason }, { read: ({ state }) => state });

export const decide = (checkoutId, decisionId, decision, more) =>
  call("checkout.decide", { checkoutId, decisionId, decision, ...more }, { read: nothing });

export const share = (checkoutId, role, who) =>
  call("checkout.share", { checkoutId, role, ...who }, { ...repeatable, read: nothing });

export const unshare = (checkoutId, who) =>
  call("checkout.unshare", { checkoutId, ...who }, { ...repeatable, read: nothing });

// A component

/** The component for a payment method, from the manager that has it. */
export const provide = (manager, checkoutId, paymentMethodType) => {
  const params = { checkoutId, paymentMethodType };
  return call(`${manager}.provide`, params, { ...repeatable, read: ({ componentId }) => componentId });
};

const onComponent = (name, componentId, more, options) => call(`component.${name}`, { componentId, ...more }, options);

export const startComponent = (componentId) =>
  onComponent("start", componentId, {}, { read: ({ step }) => step, waitMs: 0 });

export const update = (componentId, data) => onComponent("updateCollectedData", componentId, { data });
export const submit = (componentId) => onComponent("submit", componentId, {}, { read: nothing });
export const getComponent = (componentId) => onComponent("get", componentId, {}, repeatable);

export const reportRedirect = (componentId, outcome) =>
  onComponent("reportRedirect", componentId, { outcome }, { ...repeatable, read: nothing });

export const reportBankAccount = (componentId, outcome, more) =>
  onComponent("reportBankAccount", componentId, { outcome, ...more }, { read: nothing });

export const answerMandate = (componentId, isAccepted) =>
  onComponent(isAccepted ? "acceptMandate" : "declineMandate", componentId, {}, { read: nothing });
