// What a program in TypeScript may write, and what it may not; nobody runs it.

import {
  CallError,
  Client,
  ConnectionLost,
  type Outcome,
  type Place,
  type Settings,
  type Snapshot,
} from "checkoutd";

const settings: Settings = { locale: "nl-NL", stripe: { publishableKey: "pk_test_example" } };

export async function pay(token: string, signal: AbortSignal, after: Place): Promise<Outcome | undefined> {
  const client = new Client({ socketPath: "/somewhere", patience: 60_000 });
  const options = { settings, startKey: "till-1", signal };
  const checkout = await client.start(token, { ...options, decisions: ["willCreatePayment"] });
  const component = await checkout.provide("ADYEN_IDEAL");
  const { banks = [] } = await component.start();
  const [first] = banks;
  const id: string | undefined = first?.id;
  const { status } = await component.update({ bankId: id ?? "" });
  if (status === "invalid") return undefined;
  await component.update({ otp: "123456" });
  await component.submit({ signal });
  for await (const event of checkout.events({ after, signal })) {
    if (event.step?.state === "loaded") await component.reportRedirect("presented");
    if (event.is("checkout.didReceiveAdditionalInfo")) {
      const kind: string = event.params.info.kind;
      if (kind === "mandate") await component.acceptMandate();
    }
    if (event.decisionId) await checkout.decide(event.decisionId, "continue", { paymentIdempotencyKey: "key-1" });
    if (event.isTerminal) return event.outcome;
  }
  const { snapshot, matched } = await checkout.wait({ for: ["awaiting", "checkout.didFail", "checkout.somethingNew"] });
  for await (const short of client.checkouts(["ready", "aStateOfALaterDaemon"])) console.log(short.checkoutId);
  return matched === null ? undefined : snapshot.outcome;
}

// A word that a later daemon adds is one.
export const later: Snapshot["state"] = "aStateOfALaterDaemon";

export function told(problem: unknown): string {
  if (problem instanceof CallError) return `${problem.errorId} ${problem.code} ${problem.data.path ?? ""}`;
  return problem instanceof ConnectionLost ? problem.message : "";
}

export async function misused(client: Client): Promise<void> {
  const checkout = await client.attach({ startKey: "till-1" });
  // @ts-expect-error: a checkout is named
  await client.attach();
  // @ts-expect-error: there is no such role
  await checkout.share("own", { uid: 1 });
  // @ts-expect-error: somebody is meant
  await checkout.share("observe", {});
  // @ts-expect-error: there is no such decision
  await checkout.decide("dc_1", "maybe");
  // @ts-expect-error: there is no such way to handle payments
  await client.start("token", { settings: { paymentHandling: "mine" } });
  // @ts-expect-error: a wait is for some events
  await client.call("checkout.wait", { checkoutId: checkout.id });
  const { seq } = await client.call("checkout.get", { checkoutId: checkout.id });
  // @ts-expect-error: a number is no text
  const text: string = seq;
  console.log(text, await client.call("later.method", { any: 1 }));
}
