import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { connect } from 'node:tls';
import { addresses } from '../addresses.ts';
import { askPort } from '../hosts/inside-network.ts';
import { isProof, proofOf } from './pairing.ts';
import { readAnswer, servedPorts, type Answer, type Question } from './questions.ts';

/** Why the computer that serves has not answered. */
export type PeerFailure =
  | { kind: 'unreachable'; detail: string }
  /** It does not know the code, or says that this one is wrong. */
  | { kind: 'wrong-code' }
  /** It could not do what it was asked. */
  | { kind: 'refused'; detail: string };

export class PeerProblem extends Error {
  override name = 'PeerProblem';
  readonly failure: PeerFailure;

  constructor(failure: PeerFailure) {
    super('detail' in failure ? `${failure.kind}: ${failure.detail}` : failure.kind);
    this.failure = failure;
  }
}

/** The computer that serves. */
export interface Peer {
  /** Throws a `PeerProblem`. */
  ask<Ask extends Question['ask']>(question: Extract<Question, { ask: Ask }>): Promise<Answer<Ask>>;
  /** Its address, and this computer's on the same network, once there was an answer. */
  readonly addresses: { readonly peer: string; readonly own: string } | undefined;
}

const directMs = 5_000;
/** A certificate is the longest part. */
const maxAnswerBytes = 64 * 1024;
const throughTunnelMs = 3_000;
const repeatMs = 400;

/**
 * `isInside`: whether there is a tunnel; then what is asked goes through it, since the local network may be blocked.
 */
export function createPeer(options: { host: string; code: string; isInside: () => boolean }): Peer {
  let found: Peer['addresses'];

  async function askDirectly(numbered: object): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const fail = (failure: PeerFailure) => reject(new PeerProblem(failure));
    const unreachable = (detail: string) => fail({ kind: 'unreachable', detail });
    // Neither end needs a certificate: the proofs are for this very connection.
    const socket = connect({
      host: options.host,
      port: servedPorts.ask,
      rejectUnauthorized: false,
      minVersion: 'TLSv1.3',
    });
    let text = '';
    let expected = '';
    socket.setTimeout(directMs, () => socket.destroy(new Error('no answer')));
    socket.once('secureConnect', () => {
      const plain = (address: string | undefined) => (address ?? '').replace(/^::ffff:/, '');
      found = { peer: plain(socket.remoteAddress), own: plain(socket.localAddress) };
      expected = proofOf('answering', options.code, socket);
      const proof = proofOf('asking', options.code, socket);
      socket.write(`${JSON.stringify({ proof, ...numbered })}\n`);
    });
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      // Who it is, is only known from all of it.
      if (text.length > maxAnswerBytes) socket.destroy(new Error('too long an answer'));
    });
    socket.on('error', (error) => unreachable(error.message));
    socket.once('close', () => {
      const { proof, answer, problem } = objectIn(text);
      if (text === '') unreachable('closed');
      else if (typeof proof !== 'string' || !isProof(proof, expected)) fail({ kind: 'wrong-code' });
      else if (typeof problem === 'string') fail({ kind: 'refused', detail: problem });
      else resolve(answer);
    });
    return await promise;
  }

  /** Undefined if no answer has come through the tunnel. */
  async function askInside(numbered: object): Promise<unknown> {
    const socket = createSocket('udp4');
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const bytes = JSON.stringify(numbered);
    const send = () => socket.send(bytes, askPort, addresses.tunnelEnd.ipv4);
    socket.on('error', () => undefined);
    socket.on('message', (message, { address }) => {
      if (address === addresses.tunnelEnd.ipv4) resolve(objectIn(message.toString()));
    });
    const repeat = setInterval(send, repeatMs);
    const limit = setTimeout(() => resolve(undefined), throughTunnelMs);
    send();
    try {
      return await promise;
    } finally {
      clearInterval(repeat);
      clearTimeout(limit);
      socket.close();
    }
  }

  return {
    async ask(question) {
      const numbered = { id: randomBytes(8).toString('hex'), question };
      const inside = options.isInside() ? await askInside(numbered) : undefined;
      return readAnswer(question.ask, inside ?? (await askDirectly(numbered)));
    },
    get addresses() {
      return found;
    },
  };
}

function objectIn(text: string): Record<string, unknown> {
  try {
    const found: unknown = JSON.parse(text);
    return typeof found === 'object' && found !== null ? { ...found } : {};
  } catch {
    return {};
  }
}
