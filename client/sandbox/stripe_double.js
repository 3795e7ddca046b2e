// A double of Stripe's script: `Stripe(publishableKey)` and `collectBankAccountForPayment`, whose outcome the person at
// the screen chooses. No money moves. It refuses what Stripe would refuse.
"use strict";

{
  const STYLE = "max-width: 24rem; padding: 1.5rem; border: 2px solid; border-radius: .5rem; font: inherit";
  const BUTTON_STYLE = "display: block; width: 100%; min-height: 3rem; margin-top: .75rem; font: inherit";

  class IntegrationError extends Error {
    name = "IntegrationError";
  }

  function need(condition, what) {
    if (!condition) throw new IntegrationError(`The sandbox's Stripe needs ${what}.`);
  }

  function intent(clientSecret, status, paymentMethod) {
    const id = clientSecret.split("_secret_")[0];
    return { paymentIntent: { id, object: "payment_intent", status, payment_method: paymentMethod } };
  }

  // An account that was found at its bank has a connection to it; one whose numbers were typed in has none.
  function account(connection) {
    return {
      id: "pm_sandbox",
      type: "us_bank_account",
      us_bank_account: { financial_connections_account: connection },
    };
  }

  function outcomes(clientSecret) {
    return {
      succeed: {
        label: "Give the sandbox's account",
        result: intent(clientSecret, "requires_confirmation", account("fca_sandbox")),
      },
      verify: {
        label: "Type in the numbers of an account",
        result: intent(clientSecret, "requires_confirmation", account(null)),
      },
      fail: {
        label: "Give an account that cannot be used",
        result: {
          error: {
            type: "invalid_request_error",
            code: "bank_account_unusable",
            message: "This account cannot be used.",
          },
        },
      },
      cancel: { label: "Close", result: intent(clientSecret, "requires_payment_method", null) },
    };
  }

  function element(name, text) {
    const made = document.createElement(name);
    made.textContent = text;
    return made;
  }

  // Asks in a dialogue; resolves to the result of the button that was pressed. Escape closes it, as everywhere.
  function ask(clientSecret, details) {
    const choices = outcomes(clientSecret);
    const dialogue = document.createElement("dialog");
    dialogue.id = "stripe-double";
    dialogue.style.cssText = STYLE;
    const title = element("h2", "Bank account");
    title.id = "stripe-double-title";
    dialogue.setAttribute("aria-labelledby", title.id);
    dialogue.append(title, element("p", `${details.name}, ${details.email}`));
    for (const [value, { label }] of Object.entries(choices)) {
      const button = element("button", label);
      button.value = value;
      button.style.cssText = BUTTON_STYLE;
      button.addEventListener("click", () => dialogue.close(value));
      dialogue.append(button);
    }
    dialogue.append(element("p", "This is a sandbox: no money moves."));
    document.body.append(dialogue);
    return new Promise((resolve) => {
      dialogue.addEventListener("close", () => {
        dialogue.remove();
        resolve((choices[dialogue.returnValue] ?? choices.cancel).result);
      });
      dialogue.showModal();
    });
  }

  window.Stripe = (publishableKey) => {
    need(/^pk_(test|live)_/.test(publishableKey), "a publishable key");
    need(location.protocol === "https:" || publishableKey.startsWith("pk_test_"), "https for a live key");
    return {
      async collectBankAccountForPayment({ clientSecret, params }) {
        need(/^pi_\w+_secret_\w+$/.test(clientSecret), "the client secret of a payment intent");
        need(params.payment_method_type === "us_bank_account", "the type us_bank_account");
        const details = params.payment_method_data.billing_details;
        need(details.name, "a name");
        return ask(clientSecret, details);
      },
    };
  };
}
