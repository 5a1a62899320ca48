// An app under wine, as far as it concerns its user's proxy settings: `node proxy-app.mjs PROTOCOL-VERSION OURS BEFORE`
// points them at OURS, and puts BEFORE back once the helper says that there is no connection. Run as it is, without a build.
import { execFileSync } from 'node:child_process';
import { connect } from 'node:net';

const [version, ours, before] = process.argv.slice(2);
const key = String.raw`HKCU\Software\Microsoft\Windows\CurrentVersion\Internet Settings`;
const set = (address) =>
  execFileSync('reg.exe', ['add', key, '/v', 'AutoConfigURL', '/d', address, '/f'], { stdio: 'ignore' });

const pipe = String.raw`\\.\pipe\ProtectedPrefix\Administrators\Waymaker\helper`;
let socket;
const send = (id, method, params) => {
  const body = JSON.stringify({ jsonrpc: '2.0', id, method, params });
  socket.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
};
let received = '';
let isPointing = false;

/** The helper may not listen yet. */
function attach() {
  socket = connect(pipe);
  socket.on('connect', () => {
    send(1, 'hello', { protocolVersion: Number(version), client: { name: 'app', version: '1' } });
    send(2, 'subscribe', {});
  });
  socket.on('error', () => setTimeout(attach, 100));
  socket.on('data', read);
}

function read(chunk) {
  received += chunk;
  if (!isPointing && received.includes('"id":2')) {
    isPointing = true;
    set(ours);
    console.log('pointing');
  }
  if (!received.includes('"state":"disconnected"')) return;
  set(before);
  console.log('put back');
  process.exit(0);
}

attach();
