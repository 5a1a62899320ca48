// Asks the helper under wine, and prints an answer a line: `node pipe-client.mjs PROTOCOL-VERSION CALL…`, where a call
// is a method, or one with a text, as in `seal:secret=TEXT`, or with
// `silent PROTOCOL-VERSION COUNT` while so many others say nothing, and again when the first of them was let go, or with
// `crowd PROTOCOL-VERSION COUNT` so many times at once. Run as it is, without a build.
import { connect } from 'node:net';

const pipe = String.raw`\\.\pipe\ProtectedPrefix\Administrators\Waymaker\helper`;
const among = ['silent', 'crowd'].find((word) => word === process.argv[2]);
const [version, ...rest] = process.argv.slice(among ? 3 : 2);
const hello = { protocolVersion: Number(version), client: { name: 'test', version: '1' } };
const callOf = (text) => {
  const [, name, parameter, value] = /^(\w+)(?::(\w+)=(.*))?$/.exec(text);
  return [name, parameter === undefined ? {} : { [parameter]: value }];
};
const methods = [['hello', hello], ...(among ? [] : rest.map(callOf))];

function ask(onEnd) {
  const socket = connect(pipe);
  let received = '';
  socket.on('connect', () => {
    for (const [index, [method, params]] of methods.entries()) {
      const body = JSON.stringify({ jsonrpc: '2.0', id: index, method, params });
      socket.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
    }
  });
  socket.on('error', (error) => {
    console.log(error.code);
    process.exit(1);
  });
  socket.on('data', (chunk) => {
    received += chunk;
    const answers = [...received.matchAll(/\r\n\r\n(\{.*?\})(?=Content-Length|$)/gs)].map(([, body]) => body);
    if (answers.length < methods.length) return;
    for (const body of answers) console.log(body);
    socket.destroy();
    onEnd();
  });
}

const answered = () => new Promise((resolve) => ask(resolve));

if (among === 'silent') {
  const [first] = Array.from({ length: Number(rest[0]) }, () => connect(pipe).on('error', () => undefined));
  const letGo = new Promise((resolve) => first.on('close', resolve));
  await answered();
  await letGo;
  await answered();
} else await Promise.all(Array.from({ length: among ? Number(rest[0]) : 1 }, answered));
process.exit(0);
