import { duplexPair } from 'node:stream';
import { describe, expect, test, vi } from 'vitest';
import { createCstpChannel, type ChannelEnd } from '../../../../../helper/engine/own/cstp/channel.ts';
import { framePacket, maxPayload, packetKind } from '#node/anyconnect/cstp/packet.ts';

const request = {
  host: 'vpn.example',
  cookie: 'webvpn=abc',
  userAgent: 'tests',
  linkMtu: 1500,
  tunnelMtu: 1434,
  wantsDtls: false,
};
const granted = 'HTTP/1.1 200 CONNECTED\r\nX-CSTP-Address: 192.0.2.7\r\n\r\n';

/** A channel, and the gateway's end of its connection. */
function open() {
  const [socket, gateway] = duplexPair();
  const packets: [kind: number, text: string][] = [];
  const ends: ChannelEnd[] = [];
  const writes: Buffer[] = [];
  gateway.on('data', (bytes: Buffer) => writes.push(bytes));
  gateway.on('error', () => undefined);
  const channel = createCstpChannel(socket, {
    onPacket: (kind, payload) => packets.push([kind, payload.toString()]),
    onEnd: (end) => ends.push(end),
  });
  return { channel, gateway, packets, ends, writes, socket };
}

async function openGranted() {
  const opened = open();
  const outcome = opened.channel.connect(request);
  opened.gateway.write(granted);
  expect(await outcome).toMatchObject({ kind: 'granted', answer: { ipv4: '192.0.2.7' } });
  opened.writes.length = 0;
  return opened;
}

test('asks once, and reads the packets that come with the answer', async () => {
  const { channel, gateway, packets, writes } = open();
  const outcome = channel.connect(request);
  expect(await channel.connect(request)).toMatchObject({ kind: 'closed' });
  gateway.write(Buffer.concat([Buffer.from(granted), framePacket(packetKind.data, Buffer.from('first'))]));
  expect((await outcome).kind).toBe('granted');
  await vi.waitFor(() => expect(packets).toEqual([[packetKind.data, 'first']]));
  expect(writes.map(String)).toEqual([expect.stringMatching(/^CONNECT /)]);
});

test('sends nothing before the answer, since gateways refuse pipelined requests', async () => {
  const { channel, gateway, writes } = open();
  const outcome = channel.connect(request);
  expect(channel.send(packetKind.data, Buffer.from('early'))).toBe(false);
  gateway.write(granted);
  await outcome;
  expect(writes).toHaveLength(1);
});

test('writes each packet by itself, in the order in which they were sent', async () => {
  const { channel, writes } = await openGranted();
  const texts = Array.from({ length: 20 }, (_, index) => `packet ${index}`);
  for (const text of texts) expect(channel.send(packetKind.data, Buffer.from(text))).toBe(true);
  await vi.waitFor(() => expect(writes).toHaveLength(texts.length));
  expect(writes.map((bytes) => bytes.subarray(8).toString())).toEqual(texts);
});

test('a channel leaves out data that a slow connection cannot take, but nothing else', async () => {
  const { channel, gateway } = await openGranted();
  gateway.pause();
  const big = Buffer.alloc(16_000);
  const sent = Array.from({ length: 500 }, () => channel.send(packetKind.data, big));
  expect(sent[0]).toBe(true);
  expect(sent.at(-1)).toBe(false);
  expect(channel.send(packetKind.dpdAnswer, Buffer.alloc(0))).toBe(true);
});

describe('an answer that grants no tunnel', () => {
  test.each([
    [
      'HTTP/1.1 401 Cookie is not acceptable\r\n\r\n',
      { kind: 'refused', status: 401, reason: 'Cookie is not acceptable', text: '' },
    ],
    // Cisco's gateways say why in a header (openconnect's cstp.c).
    [
      'HTTP/1.1 503 Service Unavailable\r\nX-Reason: No assigned address\x07\r\n\r\n',
      {
        kind: 'refused',
        status: 503,
        reason: 'Service Unavailable: No assigned address',
        text: 'No assigned address',
      },
    ],
    // In UTF-8, made for terminals, turning text around, and in two headers.
    [
      'HTTP/1.1 403 No\r\nX-Reason: \u202e许可\u001b[2J\u200e\r\nx-reason: \t证已过期\r\n\r\n',
      { kind: 'refused', status: 403, text: '许可[2J 证已过期' },
    ],
    [
      `HTTP/1.1 503 No\r\nX-Reason: ${'word '.repeat(5_000)}\r\n\r\n`,
      { kind: 'refused', text: 'word '.repeat(40) },
    ],
    ['HTTP/1.1 200 OK\r\nX-CSTP-Content-Encoding: lzs\r\n\r\n', { kind: 'unusable', why: 'compression' }],
    ['SSH-2.0-OpenSSH\r\n\r\n', { kind: 'unusable', why: 'not HTTP' }],
  ])('%j', async (text, outcome) => {
    const { channel, gateway, ends, socket } = open();
    const result = channel.connect(request);
    gateway.write(text);
    expect(await result).toMatchObject(outcome);
    expect(socket.destroyed).toBe(true);
    expect(ends).toEqual([]);
  });

  test('is none at all if the gateway closes', async () => {
    const { channel, gateway } = open();
    const result = channel.connect(request);
    gateway.end();
    expect(await result).toMatchObject({ kind: 'closed' });
  });
});

describe('the end is told once', () => {
  test.each([
    [
      'a goodbye',
      framePacket(packetKind.disconnect, Buffer.from('\xb0idle\r\n timeout', 'latin1')),
      { kind: 'goodbye', final: false, text: 'idle timeout' },
    ],
    [
      'a goodbye in UTF-8',
      framePacket(packetKind.terminate, Buffer.from('\0管理员已结束会话')),
      { kind: 'goodbye', final: true, text: '管理员已结束会话' },
    ],
    [
      'a goodbye in Latin-1',
      framePacket(packetKind.terminate, Buffer.from('\0terminé', 'latin1')),
      { kind: 'goodbye', final: true, text: 'terminé' },
    ],
    [
      'a goodbye that is made for terminals, and turns text around',
      framePacket(packetKind.terminate, Buffer.from('\0\x1b[2J\x07a\u202eb\u2028c\u200e\0\n\n d')),
      { kind: 'goodbye', final: true, text: '[2Jab c d' },
    ],
    [
      'a goodbye without end',
      framePacket(packetKind.terminate, Buffer.from(`\0${'é'.repeat((maxPayload - 2) / 2)}`)),
      { kind: 'goodbye', final: true, text: 'é'.repeat(200) },
    ],
    [
      'the end of the session',
      framePacket(packetKind.terminate, Buffer.from([0])),
      { kind: 'goodbye', final: true, text: '' },
    ],
    ['what is no packet', Buffer.from('HTTP/1.1 400 Bad Request'), { kind: 'fault', why: 'not a packet' }],
  ])('for %s', async (_what, bytes, end) => {
    const { gateway, ends, channel, packets } = await openGranted();
    gateway.write(Buffer.concat([bytes, framePacket(packetKind.data, Buffer.from('late'))]));
    await vi.waitFor(() => expect(ends).toEqual([end]));
    expect(channel.send(packetKind.data, Buffer.alloc(1))).toBe(false);
    gateway.end();
    await new Promise(setImmediate);
    expect([ends.length, packets]).toEqual([1, []]);
  });

  test('for a connection that is closed', async () => {
    const { gateway, ends } = await openGranted();
    gateway.end();
    await vi.waitFor(() => expect(ends).toEqual([{ kind: 'closed', why: 'ended' }]));
  });
});

test('a goodbye goes out after what was sent before it, and is no end to tell', async () => {
  const { channel, writes, ends } = await openGranted();
  channel.send(packetKind.data, Buffer.from('last'));
  await channel.leave();
  await vi.waitFor(() => expect(writes).toHaveLength(2));
  expect(writes.map((bytes) => bytes[6])).toEqual([packetKind.data, packetKind.disconnect]);
  expect(ends).toEqual([]);
});

test('answers to a gateway that asks without end, and does not read, are left out', async () => {
  const { channel, gateway, packets } = await openGranted();
  gateway.removeAllListeners('data').pause();
  const payload = Buffer.alloc(16_000);
  let taken = 0;
  for (let asked = 0; asked < 10_000; asked += 1) if (channel.send(packetKind.dpdAnswer, payload)) taken += 1;
  expect(taken).toBeGreaterThan(0);
  // What waits is memory of this machine's.
  expect(taken).toBeLessThanOrEqual(512);
  expect(packets).toEqual([]);
  channel.close();
});
