import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import { connect, createServer } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { newPairingCode } from '../../../../src/main/self-test/far-side/pairing.ts';
import { createPeer, PeerProblem } from '../../../../src/main/self-test/far-side/peer.ts';
import { servedPorts } from '../../../../src/main/self-test/far-side/questions.ts';
import { serveSelfTests } from '../../../../src/main/self-test/far-side/serve.ts';
import { makeCertificate } from '../../../../src/main/self-test/gateway/certificate.ts';

/** Who serves a self-test and who asks for it know each other by a code alone, whatever is in between. */

/** Of this machine (RFC 1122 §3.2.1.3), so that other runs on it have others. */
const ownAddress = () => `127.77.${randomInt(256)}.${randomInt(1, 255)}`;

async function serve() {
  const [address, code] = [ownAddress(), newPairingCode()];
  const told: string[] = [];
  const served = await serveSelfTests({
    code,
    address,
    version: '1.2.3',
    openPacketSocket() {
      throw new Error('not here');
    },
    onSession: ({ kind }) => told.push(kind),
    onStranger: () => told.push('stranger'),
  });
  onTestFinished(() => served.close());
  return { address, code, told };
}

const peerOf = (host: string, code: string) => createPeer({ host, code, isInside: () => false });

const failureOf = async (asked: Promise<unknown>) =>
  await asked.then(
    () => 'none',
    (error: unknown) => (error instanceof PeerProblem ? error.failure.kind : String(error)),
  );

test('a computer that knows the code gets a gateway, a service and an account, and others nothing', async () => {
  const { address, code, told } = await serve();
  const begun = await peerOf(address, code).ask({ ask: 'begin' });
  expect(begun).toMatchObject({ version: '1.2.3', canAskAsNeighbour: false, neighbour: null });
  expect(begun.authority).toContain('BEGIN CERTIFICATE');
  expect(await peerOf(address, code).ask({ ask: 'counts' })).toMatchObject({ signIns: 0, tunnels: 0 });
  expect(await failureOf(peerOf(address, newPairingCode()).ask({ ask: 'counts' }))).toBe('wrong-code');
  expect(told).toEqual(['begun', 'stranger']);
  await peerOf(address, code).ask({ ask: 'end' });
  expect(await failureOf(peerOf(address, code).ask({ ask: 'counts' }))).toBe('refused');
});

test('a computer in between, which passes on all that is said, convinces neither end', async () => {
  const { address, code, told } = await serve();
  const between = ownAddress();
  const { certificate, key } = makeCertificate('self-test', Date.now());
  const passedOn: string[] = [];
  const relay = createServer({ cert: certificate, key, minVersion: 'TLSv1.3' }, (near) => {
    const far = connect({ host: address, port: servedPorts.ask, rejectUnauthorized: false });
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on('error', () => to.destroy()).on('end', () => to.end());
      from.on('data', (bytes: Buffer) => {
        passedOn.push(bytes.toString());
        to.write(bytes);
      });
    }
  });
  relay.listen(servedPorts.ask, between);
  await once(relay, 'listening');
  onTestFinished(() => void relay.close());
  expect(await failureOf(peerOf(between, code).ask({ ask: 'begin' }))).toBe('wrong-code');
  expect(told).toEqual(['stranger']);
  expect(passedOn.join('')).not.toContain(code);
  // The positive control: without anybody in between, the same is answered.
  expect(await failureOf(peerOf(address, code).ask({ ask: 'begin' }))).toBe('none');
});

test('what nobody understands ends its connection alone', async () => {
  const { address, code } = await serve();
  const odd = ['nothing\n', `${'x'.repeat(10_000)}\n`, '[]\n', '{"proof":1}\n', '\0\n'];
  for (const text of odd) {
    const socket = connect({ host: address, port: servedPorts.ask, rejectUnauthorized: false });
    socket.on('error', () => undefined);
    socket.write(text);
    socket.resume();
    await once(socket, 'close');
  }
  const plain = connectTcp({ host: address, port: servedPorts.ask });
  plain.on('error', () => undefined).resume();
  plain.write('GET / HTTP/1.1\r\n\r\n');
  await once(plain, 'close');
  expect(await failureOf(peerOf(address, code).ask({ ask: 'begin' }))).toBe('none');
});

// More than fits between both ends.
const flood = Buffer.alloc(1024 * 1024, 'x');
const pieces = 16;

/** Whether the other end has ended the connection before it has taken all of a flood. */
async function isEnded(socket: Socket): Promise<boolean> {
  for (let piece = 0; piece < pieces && !socket.destroyed; piece += 1)
    await new Promise<void>((taken) => {
      const goOn = () => {
        socket.off('close', goOn);
        taken();
      };
      socket.once('close', goOn);
      socket.write(flood, goOn);
    });
  return socket.destroyed;
}

test('a computer that says more than a line is let go, and fills no memory', async () => {
  const { address } = await serve();
  for (const line of ['', '{"proof":"not it"}\n']) {
    const transport = connectTcp({ host: address, port: servedPorts.ask, allowHalfOpen: true });
    transport.on('error', () => undefined);
    const socket = connect({ socket: transport, rejectUnauthorized: false });
    socket.on('error', () => undefined).resume();
    socket.write(line);
    expect(await isEnded(socket), line).toBe(true);
  }
});

test('a computer that answers without end is not listened to', async () => {
  const { certificate, key } = makeCertificate('self-test', Date.now());
  const [address, ended] = [ownAddress(), Promise.withResolvers<boolean>()];
  const endless = createServer({ cert: certificate, key, minVersion: 'TLSv1.3' }, (socket) => {
    socket.on('error', () => undefined).resume();
    ended.resolve(isEnded(socket));
  });
  endless.listen(servedPorts.ask, address);
  await once(endless, 'listening');
  onTestFinished(() => void endless.close());
  expect(await failureOf(peerOf(address, newPairingCode()).ask({ ask: 'begin' }))).toBe('unreachable');
  expect(await ended.promise).toBe(true);
});

test('a computer that does not serve is told from one that has another code', async () => {
  expect(await failureOf(peerOf(ownAddress(), newPairingCode()).ask({ ask: 'begin' }))).toBe('unreachable');
});
