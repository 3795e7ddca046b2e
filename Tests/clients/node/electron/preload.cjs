// What Electron is for a preload script.

const { handlers, toRenderer } = require("./bus.cjs");

exports.contextBridge = {
  exposeInMainWorld(name, api) {
    globalThis.window[name] = api;
  },
};

exports.ipcRenderer = {
  async invoke(channel, ...values) {
    return structuredClone(await handlers.get(channel)({}, ...structuredClone(values)));
  },
  on(channel, listener) {
    toRenderer.on(channel, (...values) => listener({}, ...values));
  },
};
