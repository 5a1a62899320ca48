import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createDtlsClient, type DtlsEnd } from '../../../../../helper/engine/own/dtls/client.ts';
import { messageType, wholeMessage } from '#node/anyconnect/dtls/handshake-messages.ts';
import {
  cipherSuites,
  masterSecret,
  premasterSecret,
  recordKeys,
} from '#node/anyconnect/dtls/cipher-suites.ts';
import { prf } from '#node/anyconnect/dtls/prf.ts';
import {
  contentType,
  createRecordSealer,
  headerBytes,
  plainRecord,
  readHeader,
} from '#node/anyconnect/dtls/record.ts';

/** Handshakes with real servers, OpenSSL's and GnuTLS's, are in tests/helper/engine/own. */

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const key = Buffer.alloc(32, 9);

function start(onConnected: () => void = () => expect.fail('connected')) {
  const sent: Buffer[] = [];
  const ends: DtlsEnd[] = [];
  const client = createDtlsClient({
    key,
    identity: 'psk',
    sessionId: Buffer.alloc(32, 4),
    send: (datagram) => sent.push(datagram),
    onConnected,
    onData: () => expect.fail('data'),
    onEnd: (end) => ends.push(end),
  });
  client.start();
  return { client, sent, ends };
}

const handshakeRecord = (type: number, sequence: number, body: Buffer, number = 0) =>
  plainRecord(contentType.handshake, number, wholeMessage(type, sequence, body));

const serverHello = (
  changes: Partial<Record<'version' | 'suite' | 'compression' | 'extensions', string>> = {},
) => {
  const { version = 'fefd', suite = '00a9', compression = '00', extensions = '000400170000' } = changes;
  return Buffer.from(`${version}${'22'.repeat(32)}00${suite}${compression}${extensions}`, 'hex');
};
const cookieRequest = (cookie: string, version = 'feff') =>
  Buffer.concat([Buffer.from(version, 'hex'), Buffer.from([cookie.length]), Buffer.from(cookie)]);
const done = handshakeRecord(messageType.serverHelloDone, 1, Buffer.alloc(0));

/** The types of the handshake messages in clear of a datagram. */
function messagesIn(datagram: Buffer = Buffer.alloc(0)): number[] {
  const types: number[] = [];
  for (let at = 0; at < datagram.length;) {
    const header = readHeader(datagram, at);
    if (!header) break;
    if (header.type === contentType.handshake && header.epoch === 0) types.push(datagram[at + 13] ?? -1);
    at += 13 + header.length;
  }
  return types;
}

test('asks again, ever more rarely, and gives up in the end', () => {
  const { client, sent, ends } = start();
  expect(sent).toHaveLength(1);
  vi.advanceTimersByTime(399);
  expect(sent).toHaveLength(1);
  vi.advanceTimersByTime(1);
  expect(sent).toHaveLength(2);
  vi.advanceTimersByTime(800);
  expect(sent).toHaveLength(3);
  vi.advanceTimersByTime(60_000);
  expect([sent.length, client.counters.retransmitted, ends]).toEqual([9, 8, ['no answer']]);
  // The same message, in records with numbers of their own.
  expect(new Set(sent.map((datagram) => datagram.subarray(13).toString('hex'))).size).toBe(1);
  expect(sent.map((datagram) => readHeader(datagram, 0)?.sequence)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
});

test('shows the cookie that a server asks for, whichever version that speaks', () => {
  for (const version of ['feff', 'fefd']) {
    const { client, sent } = start();
    client.receive(handshakeRecord(messageType.helloVerifyRequest, 0, cookieRequest('a cookie', version)));
    expect(sent).toHaveLength(2);
    // The same hello, but for the cookie and its number (RFC 6347 §4.2.1).
    const [first, second] = [sent[0]?.subarray(25), sent[1]?.subarray(25)];
    const at = 2 + 32 + 33;
    expect(second?.subarray(0, at)).toEqual(first?.subarray(0, at));
    expect(second?.subarray(at, at + 9).toString()).toBe('\x08a cookie');
    expect(second?.subarray(at + 9)).toEqual(first?.subarray(at + 1));
    expect(sent[1]?.readUInt16BE(17)).toBe(1);
  }
});

/** The last message of a server that has the key, and has sent `serverHello()` and `done`. */
function serverFinished(sent: readonly Buffer[]): Buffer {
  const [suite] = cipherSuites;
  if (!suite) throw new Error('no cipher suites');
  const messageOf = (datagram: Buffer = Buffer.alloc(0)) =>
    datagram.subarray(headerBytes, headerBytes + (readHeader(datagram, 0)?.length ?? 0));
  const [hello, exchange] = [messageOf(sent[0]), messageOf(sent[1])];
  const transcript = [
    hello,
    wholeMessage(messageType.serverHello, 0, serverHello()),
    done.subarray(headerBytes),
    exchange,
  ];
  const hash = () => createHash(suite.hash).update(Buffer.concat(transcript)).digest();
  const randoms = { client: hello.subarray(14, 46), server: Buffer.alloc(32, 0x22) };
  const master = masterSecret({
    suite,
    premaster: premasterSecret(key),
    clientRandom: randoms.client,
    serverRandom: randoms.server,
    sessionHash: hash(),
  });
  const verifyData = (label: string) => prf(suite.hash, master, label, hash(), 12);
  transcript.push(wholeMessage(messageType.finished, 2, verifyData('client finished')));
  const message = wholeMessage(messageType.finished, 2, verifyData('server finished'));
  const sealed = createRecordSealer(suite, recordKeys(suite, master, randoms).server, 1);
  return sealed.seal(contentType.handshake, message) ?? expect.fail('not sealed');
}

describe('a server that meddles', () => {
  // openssl/openssl issue 15488: a request for a cookie that began the handshake anew after the server's hello.
  test('cannot begin anew after its hello', () => {
    const { client, sent } = start();
    client.receive(handshakeRecord(messageType.serverHello, 0, serverHello()));
    client.receive(handshakeRecord(messageType.helloVerifyRequest, 1, cookieRequest('again')));
    expect(sent).toHaveLength(1);
    expect(client.counters.malformed).toBe(1);
  });

  test.each([
    ['another version', serverHello({ version: 'feff' })],
    ['a suite that was not offered', serverHello({ suite: '00ae' })],
    ['compression', serverHello({ compression: '01' })],
    ['an extension that was not offered', serverHello({ extensions: '0004000a0000' })],
    ['an extension twice', serverHello({ extensions: '00080017000000170000' })],
    ['a renegotiation', serverHello({ extensions: '0006ff01000201aa' })],
    ['bytes after its hello', Buffer.concat([serverHello(), Buffer.alloc(1)])],
    ['a hello that is cut', serverHello().subarray(0, 30)],
  ])('is not followed with %s', (_what, hello) => {
    const { client, sent } = start();
    client.receive(handshakeRecord(messageType.serverHello, 0, hello));
    client.receive(done);
    expect([sent.length, client.counters.malformed > 0]).toEqual([1, true]);
  });

  test('is followed without all that', () => {
    const { client, sent } = start();
    client.receive(Buffer.concat([handshakeRecord(messageType.serverHello, 0, serverHello()), done]));
    expect(messagesIn(sent[1])).toEqual([messageType.clientKeyExchange]);
    expect(client.counters.malformed).toBe(0);
  });

  test('ends nothing by an alert that anybody could have sent', () => {
    const { client, ends } = start();
    client.receive(plainRecord(contentType.alert, 0, Buffer.from([2, 40])));
    expect(ends).toEqual([]);
  });

  test('does not get its last message believed in clear', () => {
    const { client, ends } = start();
    client.receive(Buffer.concat([handshakeRecord(messageType.serverHello, 0, serverHello()), done]));
    client.receive(plainRecord(contentType.changeCipherSpec, 1, Buffer.from([1])));
    client.receive(handshakeRecord(messageType.finished, 2, Buffer.alloc(12), 2));
    expect(client.write(Buffer.from('data'))).toBe(false);
    expect(ends).toEqual([]);
  });

  test('does not keep the real last message out with a forged one in clear', () => {
    let isConnected = false;
    const { client, sent } = start(() => {
      isConnected = true;
    });
    client.receive(Buffer.concat([handshakeRecord(messageType.serverHello, 0, serverHello()), done]));
    client.receive(handshakeRecord(messageType.finished, 2, Buffer.alloc(12), 2));
    expect(isConnected).toBe(false);
    client.receive(serverFinished(sent));
    expect([isConnected, client.write(Buffer.from('data'))]).toEqual([true, true]);
    client.close('silently');
  });
});

const records = fc
  .record({
    type: fc.oneof(fc.constantFrom(...Object.values(contentType)), fc.nat(255)),
    version: fc.constantFrom(0xfefd, 0xfeff, 0x0303),
    epoch: fc.constantFrom(0, 1, 2),
    content: fc.oneof(
      fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
      fc
        .tuple(
          fc.constantFrom(...Object.values(messageType)),
          fc.nat(9),
          fc.oneof(
            fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
            fc.constantFrom(serverHello(), cookieRequest('x'), Buffer.alloc(0)),
          ),
        )
        .map(([type, sequence, body]) => wholeMessage(type, sequence, body)),
    ),
  })
  .map(({ type, version, epoch, content }) => {
    const record = plainRecord(type, 7, content);
    record.writeUInt16BE(version, 1);
    record.writeUInt16BE(epoch, 3);
    return record;
  });
const datagrams = fc.oneof(
  fc.uint8Array({ maxLength: 80 }).map((bytes) => Buffer.from(bytes)),
  fc.array(records, { maxLength: 4 }).map((all) => Buffer.concat(all)),
);

test('datagrams of any kind cause no exception, no data and no connection', () => {
  fc.assert(
    fc.property(fc.array(datagrams, { maxLength: 25 }), (all) => {
      const { client, sent } = start();
      for (const datagram of all) client.receive(datagram);
      // No more than the three flights of a handshake: nobody makes it an amplifier.
      expect(sent.length).toBeLessThanOrEqual(3);
      expect(client.write(Buffer.from('data'))).toBe(false);
      client.close();
    }),
    { numRuns: 400 },
  );
});
