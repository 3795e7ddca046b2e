// A JSON-RPC server for lines in Node: net and JSON, one write for each read.
//   node node_lines.js SOCKET [NOTES [BYTES]]: each publish sends so many notifications of so many bytes.
'use strict';
const net = require('net');

const [path, notes = '1', bytes = '80'] = process.argv.slice(2);
const frame = JSON.stringify({ jsonrpc: '2.0', method: 'event', params: { pad: '' } }).length + 1;
const subscribers = new Set();

function publish() {
  const params = { pad: 'x'.repeat(Math.max(0, Number(bytes) - frame)) };
  for (let count = Number(notes); count > 0; count--) {
    const note = JSON.stringify({ jsonrpc: '2.0', method: 'event', params }) + '\n';
    for (const subscriber of subscribers) subscriber.write(note);
  }
}

function answer(socket, call) {
  if (call.method === 'subscribe') subscribers.add(socket);
  else if (call.method === 'publish') publish();
  else if (call.method !== 'ping') {
    return { jsonrpc: '2.0', id: call.id, error: { code: -32601, message: 'Method not found' } };
  }
  return { jsonrpc: '2.0', id: call.id, result: { ok: true, v: 42 } };
}

net.createServer((socket) => {
  let rest = '';
  socket.setEncoding('utf8');
  socket.on('data', (data) => {
    const lines = (rest + data).split('\n');
    rest = lines.pop();
    const replies = lines.map((line) => JSON.stringify(answer(socket, JSON.parse(line))) + '\n').join('');
    if (replies) socket.write(replies);
  });
  socket.on('close', () => subscribers.delete(socket));
  socket.on('error', () => {});
}).listen({ path, backlog: 1024 });
