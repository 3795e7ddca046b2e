// The main process: windows, and the till that talks to checkoutd. What the shopper sees is in the renderer.

import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { app, BrowserWindow, ipcMain } from "electron";
import { Client } from "checkoutd";

import { Till } from "./till.js";

const here = fileURLToPath(new URL(".", import.meta.url));

// The kiosk and the daemon start together when the machine is switched on, in any order.
const client = new Client({ patience: 60_000 });

/** A client token for the sale, from the shop's server: it alone has the key to Primer. */
async function clientToken() {
  const headers = { "content-type": "application/json" };
  const response = await fetch(process.env.SHOP_URL, { method: "POST", headers, body: "{}" });
  if (!response.ok) throw new Error(`the shop answers ${response.status}`);
  return (await response.json()).clientToken;
}

/** The window that the bank's page is shown in, above the kiosk's own. */
class BankPage {
  #window = null;
  #url = null;

  constructor(parent, reportRedirect) {
    this.parent = parent;
    this.reportRedirect = reportRedirect;
  }

  /** Shows this page, or none. */
  show(url) {
    if (url === this.#url) return;
    this.#url = url;
    this.#window?.destroy();
    this.#window = null;
    if (url === null) return;
    const window = new BrowserWindow({ parent: this.parent, modal: true, webPreferences: { sandbox: true } });
    this.#window = window;
    window.on("closed", () => {
      if (this.#window !== window) return;
      this.#window = null;
      this.reportRedirect("dismissed");
    });
    window.loadURL(url);
    this.reportRedirect("presented");
  }
}

await app.whenReady();
const window = new BrowserWindow({
  kiosk: true,
  webPreferences: { preload: join(here, "preload.cjs"), sandbox: true, contextIsolation: true },
});
const bankPage = new BankPage(window, (outcome) => till.reportRedirect(outcome));
const till = new Till(client, join(app.getPath("userData"), "sale.json"), (view) => {
  window.webContents.send("view", view);
  bankPage.show(view.url ?? null);
});

ipcMain.handle("view", () => till.view);
ipcMain.handle("begin", async () => {
  const token = await clientToken();
  // What becomes of it the views tell.
  till.begin(token);
});
ipcMain.handle("choose", (_, bankId) => till.choose(bankId));
ipcMain.handle("cancel", () => till.cancel());
ipcMain.handle("next", () => till.next());
app.on("window-all-closed", () => {
  client.close();
  app.quit();
});

await window.loadFile(join(here, "index.html"));
// A sale that was under way when this program ended goes on.
await till.resume();
