// What lies between the processes of Electron; here both are in one.

const { EventEmitter } = require("node:events");

exports.handlers = new Map();
exports.toRenderer = new EventEmitter();
