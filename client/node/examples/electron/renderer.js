// The renderer: shows the view that the main process is in, and tells it what the shopper touches.

const { till } = window;
const element = (id) => document.getElementById(id);

const SCREENS = ["idle", "banks", "page", "working", "end"];
const OUTCOMES = {
  success: "Thank you, your payment has arrived.",
  pending: "Thank you, your payment is on its way.",
  failed: "The payment failed. Nothing was taken.",
  cancelled: "Cancelled. Nothing was taken.",
};
// Also what a later daemon may say: a payment may have been made.
const UNKNOWN = "We do not know yet whether you have paid. Please ask our staff before you pay again.";

/** Does what the shopper touched, and says so if it fails. */
async function act(action) {
  element("problem").hidden = true;
  try {
    await action();
  } catch (problem) {
    element("problem").textContent = problem.message;
    element("problem").hidden = false;
  }
}

function bankButton({ id, name, isDisabled }) {
  const button = document.createElement("button");
  button.textContent = name;
  button.disabled = isDisabled;
  button.onclick = () => act(() => till.choose(id));
  return button;
}

function render({ screen, banks = [], outcome }) {
  for (const name of SCREENS) element(name).hidden = name !== screen;
  element("list").replaceChildren(...banks.map(bankButton));
  element("outcome").textContent = outcome === undefined ? "" : (OUTCOMES[outcome] ?? UNKNOWN);
}

for (const name of ["begin", "cancel", "next"]) element(name).onclick = () => act(till[name]);
till.onView(render);
render(await till.view());
