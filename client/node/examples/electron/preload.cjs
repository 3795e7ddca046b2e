// All that the renderer can do with the rest of the machine.

const { contextBridge, ipcRenderer } = require("electron");

contextBridge.exposeInMainWorld("till", {
  view: () => ipcRenderer.invoke("view"),
  onView: (render) => ipcRenderer.on("view", (_, view) => render(view)),
  begin: () => ipcRenderer.invoke("begin"),
  choose: (bankId) => ipcRenderer.invoke("choose", bankId),
  cancel: () => ipcRenderer.invoke("cancel"),
  next: () => ipcRenderer.invoke("next"),
});
