import { createHash, timingSafeEqual } from 'node:crypto';
import { ByteReader, Malformed } from '#node/anyconnect/dtls/bytes.ts';
import {
  masterSecret,
  premasterSecret,
  recordKeys,
  type CipherSuite,
  type RecordKey,
} from '#node/anyconnect/dtls/cipher-suites.ts';
import {
  clientHello,
  clientKeyExchange,
  messageType,
  readHelloVerifyRequest,
  readServerHello,
  readServerKeyExchange,
  wholeMessage,
  type ServerHello,
} from '#node/anyconnect/dtls/handshake-messages.ts';
import type { HandshakeMessage } from '#node/anyconnect/dtls/message-assembly.ts';
import { prf } from '#node/anyconnect/dtls/prf.ts';
import { contentType } from '#node/anyconnect/dtls/record.ts';

/**
 * The handshake of a client with a pre-shared key (RFC 4279 §2, RFC 7627 §4), without records, datagrams and time:
 * it takes the server's messages in their order and says what to send.
 */

export interface HandshakeOptions {
  key: Uint8Array;
  identity: string;
  sessionId: Uint8Array;
  random: Uint8Array;
}

/** What is sent together, and again until it is answered. */
export type Flight = readonly { epoch: 0 | 1; type: number; content: Buffer }[];

export interface HandshakeKeys {
  suite: CipherSuite;
  client: RecordKey;
  server: RecordKey;
}

export type HandshakeStep =
  /** More of this flight is to come. */
  | { kind: 'wait' }
  /** The server wants to see the cookie before it does anything. */
  | { kind: 'send'; flight: Flight }
  /** The server's next messages are encrypted. */
  | { kind: 'finish'; flight: Flight; keys: HandshakeKeys }
  | { kind: 'connected' };

export interface Handshake {
  start(): Flight;
  /** `isEncrypted`: by the keys of this handshake. Throws `Malformed` for a message that does not belong there. */
  take(message: HandshakeMessage, isEncrypted: boolean): HandshakeStep;
}

type State =
  | { at: 'hello'; cookie: 'none' | 'sent' }
  | { at: 'server-hello'; hello: ServerHello; hasKeyExchange: boolean }
  | { at: 'finished'; expected: Buffer }
  | { at: 'connected' };

const verifyBytes = 12;

export function createHandshake(options: HandshakeOptions): Handshake {
  let state: State = { at: 'hello', cookie: 'none' };
  let sequence = 0;
  let transcript: Buffer[] = [];

  /** One of our own, which the hashes include. */
  function message(type: number, body: Buffer): Buffer {
    const whole = wholeMessage(type, sequence, body);
    sequence += 1;
    transcript.push(whole);
    return whole;
  }

  function hello(cookie: Buffer): Flight {
    // Neither the first hello nor the request for the cookie is part of the hashes (RFC 6347 §4.2.1).
    transcript = [];
    const { random, sessionId } = options;
    const content = message(messageType.clientHello, clientHello({ random, sessionId, cookie }));
    return [{ epoch: 0, type: contentType.handshake, content }];
  }

  const hashOf = ({ hash }: CipherSuite) => createHash(hash).update(Buffer.concat(transcript)).digest();

  function finish({ suite, random, hasExtendedMasterSecret }: ServerHello): HandshakeStep {
    const exchange = message(messageType.clientKeyExchange, clientKeyExchange(options.identity));
    const premaster = premasterSecret(options.key);
    const master = masterSecret({
      suite,
      premaster,
      clientRandom: options.random,
      serverRandom: random,
      sessionHash: hasExtendedMasterSecret ? hashOf(suite) : undefined,
    });
    premaster.fill(0);
    const verify = (label: string) => prf(suite.hash, master, label, hashOf(suite), verifyBytes);
    const finished = message(messageType.finished, verify('client finished'));
    state = { at: 'finished', expected: verify('server finished') };
    const keys = recordKeys(suite, master, { client: options.random, server: random });
    master.fill(0);
    return {
      kind: 'finish',
      keys: { suite, ...keys },
      flight: [
        { epoch: 0, type: contentType.handshake, content: exchange },
        { epoch: 0, type: contentType.changeCipherSpec, content: Buffer.from([1]) },
        { epoch: 1, type: contentType.handshake, content: finished },
      ],
    };
  }

  function takeInClear({ type, sequence: number, body }: HandshakeMessage): HandshakeStep {
    const record = () => transcript.push(wholeMessage(type, number, body));
    // A server may ask for a new handshake at any time; it is not part of the hashes, and this is one.
    if (type === messageType.helloRequest) return { kind: 'wait' };
    if (state.at === 'hello' && type === messageType.helloVerifyRequest && state.cookie === 'none') {
      const cookie = readHelloVerifyRequest(body);
      state = { at: 'hello', cookie: 'sent' };
      return { kind: 'send', flight: hello(cookie) };
    }
    if (state.at === 'hello' && type === messageType.serverHello) {
      state = { at: 'server-hello', hello: readServerHello(body), hasKeyExchange: false };
      record();
      return { kind: 'wait' };
    }
    if (state.at === 'server-hello' && type === messageType.serverKeyExchange && !state.hasKeyExchange) {
      readServerKeyExchange(body);
      state = { ...state, hasKeyExchange: true };
      record();
      return { kind: 'wait' };
    }
    if (state.at === 'server-hello' && type === messageType.serverHelloDone) {
      new ByteReader(body).end();
      record();
      return finish(state.hello);
    }
    throw new Malformed(`message ${type} out of order`);
  }

  return {
    start: () => hello(Buffer.alloc(0)),
    take(given, isEncrypted) {
      if (state.at === 'connected') return { kind: 'wait' };
      if (state.at !== 'finished') {
        if (isEncrypted) throw new Malformed('encrypted too early');
        return takeInClear(given);
      }
      if (!isEncrypted || given.type !== messageType.finished) throw new Malformed('not its last message');
      const { expected } = state;
      if (given.body.length !== expected.length || !timingSafeEqual(given.body, expected))
        throw new Malformed('it has seen another handshake');
      state = { at: 'connected' };
      return { kind: 'connected' };
    },
  };
}
