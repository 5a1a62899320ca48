import { spawn } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { certificatePin } from '#node/anyconnect/certificate-pin.ts';
import { openSecureConnection } from '../../../../helper/engine/own/process/secure-connection.ts';
import { makeCertificate } from '../../../../src/main/self-test/gateway/certificate.ts';
import { endProcess, eventually } from '../../../lab/runs/process.ts';
import { freePort } from '../../main/support/free-port.ts';

/**
 * OpenSSL's server with this version of TLS: `type` enters a line, of which some are commands (openssl-s_server(1)).
 */
async function startServer(version: 'tls1_2' | 'tls1_3') {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'waymaker-tls-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const { certificate, key } = makeCertificate('gw.example', Date.now());
  const [certificateFile, keyFile] = [path.join(folder, 'crt'), path.join(folder, 'key')];
  await Promise.all([writeFile(certificateFile, certificate), writeFile(keyFile, key)]);
  const port = await freePort();
  const place = ['-accept', `127.0.0.1:${port}`, '-cert', certificateFile, '-key', keyFile];
  const server = spawn('openssl', ['s_server', `-${version}`, '-msg', ...place], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  onTestFinished(() => endProcess(server));
  let said = '';
  for (const stream of [server.stdout, server.stderr])
    stream.on('data', (chunk: Buffer) => {
      said += chunk.toString('latin1');
    });
  await eventually('it listens', () => said.includes('ACCEPT') || undefined);
  return {
    port,
    pin: certificatePin(new X509Certificate(certificate)),
    type: (line: string) => void server.stdin.write(`${line}\n`),
    said: () => said,
  };
}

test.each([
  ['new keys of TLS 1.3', 'tls1_3', 'K', />>> .*KeyUpdate/g],
  ['handshakes anew of TLS 1.2', 'tls1_2', 'r', />>> .*HelloRequest/g],
] as const)('%s again and again leave the connection as it was', async (_what, version, command, asked) => {
  const count = 40;
  const server = await startServer(version);
  const result = await openSecureConnection(
    {
      host: 'gw.example',
      address: '127.0.0.1',
      port: server.port,
      proxy: undefined,
      trust: { certificatePin: server.pin },
      resume: undefined,
    },
    { signal: new AbortController().signal, onConnected: () => undefined },
  );
  if (!result.ok) throw new Error(result.detail);
  const { socket } = result.connection;
  onTestFinished(() => void socket.destroy());
  let heard = '';
  socket.on('data', (chunk: Buffer) => {
    heard += chunk.toString();
  });
  const done = () => server.said().match(asked)?.length ?? 0;
  for (let round = 1; round <= count; round += 1) {
    server.type(command);
    await eventually('it has been asked', () => done() >= round || undefined, { every: 2 });
    // What comes after it is read with the keys that it has made.
    server.type(`line ${round}.`);
    await eventually('it is heard', () => heard.includes(`line ${round}.`) || undefined, { every: 2 });
  }
  socket.write('an answer\n');
  await eventually('this end is heard', () => server.said().includes('an answer') || undefined);
  const ended = once(socket, 'close');
  server.type('Q');
  await ended;
  expect(heard.match(/line/g)).toHaveLength(count);
});
