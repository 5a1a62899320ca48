import { once } from 'node:events';
import { createServer, type TLSSocket } from 'node:tls';
import type { PacketSocket } from '../checks/packet-socket.ts';
import { makeCertificate } from '../gateway/certificate.ts';
import { isProof, proofOf } from './pairing.ts';
import { numberedQuestion, servedPorts, type Question } from './questions.ts';
import { openServedSession, type ServedSession } from './served-session.ts';

export interface ServeOptions {
  /** Whoever knows it may ask. */
  code: string;
  version: string;
  openPacketSocket: (device: string) => PacketSocket;
  /** Somebody on another computer, or on this one, has begun a self-test, or has ended it. */
  onSession: (told: { kind: 'begun' | 'ended'; by: string }) => void;
  /** Somebody did not know the code. */
  onStranger: (address: string) => void;
  /** An address of this computer; all of them without one. */
  address?: string;
}

const maxLineBytes = 4 * 1024;
const maxConnections = 16;
const lineMs = 5_000;
/** So many answers are remembered for questions that come again. */
const maxRemembered = 64;

/**
 * Serves self-tests of other computers: a gateway, a service and a neighbour, for one at a time. Each question is a TLS
 * connection of its own, with a line each way, and proves to both ends that the other one knows the code. Rejects if a
 * port is in use.
 */
export async function serveSelfTests(options: ServeOptions): Promise<{ close(): void }> {
  const { code } = options;
  const certificate = makeCertificate('self-test', Date.now());
  let session: (ServedSession & { by: string }) | undefined;
  const remembered = new Map<string, Promise<object>>();

  function end(): void {
    if (!session) return;
    session.close();
    options.onSession({ kind: 'ended', by: session.by });
    session = undefined;
  }

  async function begin(socket: TLSSocket): Promise<object> {
    end();
    const address = plain(socket.localAddress);
    const by = plain(socket.remoteAddress);
    const { version, openPacketSocket } = options;
    const opened = await openServedSession({ address, version, openPacketSocket, onAsk: answerInside });
    session = { ...opened, by };
    options.onSession({ kind: 'begun', by });
    return opened.facts;
  }

  async function answer(question: Question, socket: TLSSocket | undefined): Promise<object> {
    if (question.ask === 'begin') {
      if (!socket) throw new Error('not through the tunnel');
      return await begin(socket);
    }
    if (question.ask === 'end') {
      end();
      return {};
    }
    if (!session) throw new Error('there is no self-test');
    return await session.answer(question);
  }

  /** Those that come twice, because the answer was lost, are answered alike. */
  function answerOnce(line: string, socket: TLSSocket | undefined): Promise<object> {
    const { id, question } = numberedQuestion.parse(JSON.parse(line));
    const known = remembered.get(id);
    if (known) return known;
    const made = answer(question, socket);
    remembered.set(id, made);
    for (const oldest of remembered.keys()) {
      if (remembered.size <= maxRemembered) break;
      remembered.delete(oldest);
    }
    return made;
  }

  /** Only the tunnel of the self-test that has been begun leads here. */
  async function answerInside(line: Buffer): Promise<Buffer | undefined> {
    return Buffer.from(JSON.stringify(await answerOnce(line.toString(), undefined)));
  }

  async function serve(socket: TLSSocket): Promise<void> {
    const from = plain(socket.remoteAddress);
    const line = await readLine(socket);
    const { proof, ...asked } = parsed(line);
    if (typeof proof !== 'string' || !isProof(proof, proofOf('asking', code, socket))) {
      options.onStranger(from);
      socket.end(`${JSON.stringify({ refused: 'code' })}\n`);
      return;
    }
    const own = proofOf('answering', code, socket);
    try {
      const answered = await answerOnce(JSON.stringify(asked), socket);
      socket.end(`${JSON.stringify({ proof: own, answer: answered })}\n`);
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      socket.end(`${JSON.stringify({ proof: own, problem })}\n`);
    }
  }

  const server = createServer(
    {
      cert: certificate.certificate,
      key: certificate.key,
      minVersion: 'TLSv1.3',
      handshakeTimeout: lineMs,
    },
    (socket) => {
      socket.on('error', () => socket.destroy());
      socket.setTimeout(lineMs, () => socket.destroy());
      void serve(socket).catch(() => socket.destroy());
    },
  );
  server.maxConnections = maxConnections;
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  // Without an address, of both IP versions if there are both.
  server.listen({ port: servedPorts.ask, ...(options.address !== undefined && { host: options.address }) });
  await once(server, 'listening');
  return {
    close() {
      end();
      server.close();
    },
  };
}

/** Without the prefix by which IPv4 is written where both are spoken (RFC 4291 §2.5.5.2). */
const plain = (address: string | undefined): string => (address ?? '').replace(/^::ffff:/, '');

function parsed(line: string): Record<string, unknown> {
  const found: unknown = JSON.parse(line);
  return typeof found === 'object' && found !== null ? { ...found } : {};
}

/** Whoever says more than a line, also after it, is let go: nothing is known of them yet. */
function readLine(socket: TLSSocket): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    const at = text.indexOf('\n');
    if (at >= 0) resolve(text.slice(0, at));
    if (text.length > maxLineBytes) socket.destroy();
  });
  socket.once('close', () => reject(new Error('closed')));
  return promise;
}
