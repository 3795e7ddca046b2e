// What Electron is for the main process. Windows are told of on the standard output, touches come from the standard
// input.

import { EventEmitter } from "node:events";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

import bus from "./bus.cjs";
import { Page } from "./page.mjs";

const tell = (what) => process.stdout.write(`${JSON.stringify(what)}\n`);

class App extends EventEmitter {
  async whenReady() {}

  getPath() {
    return process.cwd();
  }

  quit() {
    process.exit(0);
  }
}

export const app = new App();

export const ipcMain = {
  handle(channel, handler) {
    bus.handlers.set(channel, handler);
  },
};

export class BrowserWindow extends EventEmitter {
  constructor(options) {
    super();
    this.options = options;
    this.webContents = {
      send: (channel, ...values) => {
        bus.toRenderer.emit(channel, ...structuredClone(values));
        if (this.page) tell({ shown: this.page.shown });
      },
    };
  }

  async loadFile(path) {
    const html = readFileSync(path, "utf8");
    this.page = new Page(html);
    globalThis.window = {};
    globalThis.document = this.page;
    createRequire(path)(this.options.webPreferences.preload);
    const [, script] = html.match(/<script type="module" src="([^"]+)">/);
    await import(pathToFileURL(join(dirname(path), script)).href);
    tell({ shown: this.page.shown });
    this.#listen();
  }

  async #listen() {
    for await (const line of createInterface({ input: process.stdin })) {
      const { touch } = JSON.parse(line);
      if (touch === "close the page") BrowserWindow.opened.destroy();
      else await this.page.touch(touch);
      if (this.page.shown.problem) tell({ shown: this.page.shown });
    }
    app.emit("window-all-closed");
  }

  async loadURL(url) {
    BrowserWindow.opened = this;
    tell({ opened: url });
  }

  destroy() {
    tell({ closed: true });
    this.emit("closed");
  }
}
