// Does one step of a transcript for each line that it reads, and answers each with a line.

import { createInterface } from "node:readline";

import { CallError, Client } from "../../../client/node/src/index.js";

const client = new Client();
const components = new Map();
let events;

const checkoutOf = (checkoutId) => client.attach(checkoutId);

// Each call by what the client has for it; what is missing here is made by its name.
const typed = {
  "checkout.start": async ({ clientToken, ...options }) => (await client.start(clientToken, options)).snapshot(),
  "checkout.get": async ({ checkoutId }) => (await checkoutOf(checkoutId)).snapshot(),
  "checkout.wait": async ({ checkoutId, for: names, waitMs }) =>
    (await checkoutOf(checkoutId)).wait({ for: names, timeout: waitMs }),
  "checkout.cancel": async ({ checkoutId, reason }) => ({ state: await (await checkoutOf(checkoutId)).cancel(reason) }),
  "checkout.decide": async ({ checkoutId, decisionId, decision, ...more }) =>
    (await checkoutOf(checkoutId)).decide(decisionId, decision, more),
  "component.start": async ({ componentId }) => ({ step: await components.get(componentId).start() }),
  "component.get": ({ componentId }) => components.get(componentId).get(),
  "component.updateCollectedData": ({ componentId, data }) => components.get(componentId).update(data),
  "component.submit": ({ componentId }) => components.get(componentId).submit(),
  "component.reportRedirect": ({ componentId, outcome }) => components.get(componentId).reportRedirect(outcome),
  "component.reportBankAccount": ({ componentId, outcome, ...more }) =>
    components.get(componentId).reportBankAccount(outcome, more),
  "component.acceptMandate": ({ componentId }) => components.get(componentId).acceptMandate(),
  "component.declineMandate": ({ componentId }) => components.get(componentId).declineMandate(),
};

async function provide(manager, { checkoutId, paymentMethodType }) {
  const component = await (await checkoutOf(checkoutId)).provide(paymentMethodType, { manager });
  components.set(component.id, component);
  return { componentId: component.id };
}

function made(method, params) {
  const [manager, name] = method.split(".");
  if (name.startsWith("provide")) return provide(manager, params);
  return typed[method]?.(params) ?? client.call(method, params);
}

async function done(step) {
  if ("event" in step) {
    events ??= (await checkoutOf(step.event)).events();
    const { value } = await events.next();
    return { event: value.name, params: value.params };
  }
  // What nothing is said of in the result is an empty object in the protocol.
  return { result: (await made(step.call, step.params)) ?? {} };
}

for await (const line of createInterface({ input: process.stdin })) {
  let answer;
  try {
    answer = await done(JSON.parse(line));
  } catch (failure) {
    const { code, data } = failure;
    answer = failure instanceof CallError ? { error: { code, data } } : { failure: failure.stack };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
