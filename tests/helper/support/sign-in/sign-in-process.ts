import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { connect } from 'node:tls';
import type { Duplex } from 'node:stream';
import { pino } from 'pino';
import type { ProxyAtAddress } from '#shared/helper/protocol.ts';
import {
  clientCertificate,
  type GatewaySession,
  type ProxyCredentials,
  type ProxyIdentity,
} from '#shared/helper/gateway-session.ts';
import type { TunnelState } from '#shared/tunnel/state.ts';
import { certificatePin } from '#node/anyconnect/certificate-pin.ts';
import { gatewayThroughProxy } from '#node/anyconnect/gateway-through-proxy.ts';
import { knownPaths } from '#node/tls/known-paths.ts';
import { connectPastBlock } from '../../../../src/main/tunnel/connect-past-block.ts';
import { createSignIn } from '../../../../src/main/gateway/sign-in/sign-in.ts';
import { openHelperConnection } from '../../../../src/main/tunnel/helper-connection.ts';
import { inNetworkNamespace } from '../../../lab/network/network-namespace.ts';
import { createTestMemory } from '../../../unit/main/support/memory.ts';

/** A sign-in that this process is asked for: one line of JSON. */
export interface SignInOrder {
  /** The network namespace of the machine that signs in. */
  namespace: string;
  gateway: { host: string; port: number };
  address: string;
  /** What is at that address instead of the gateway. */
  proxy?: (ProxyAtAddress & { credentials?: ProxyCredentials; identity?: ProxyIdentity }) | undefined;
  credentials: { username: string; password: string };
  /** The socket of the helper that carries the sign-in while it blocks traffic. */
  helper: string;
  /** A JSON file with a client certificate. */
  identityFile?: string | undefined;
  /** Whether what passes on the way there is known from earlier orders, which it is if absent. */
  knowsPath?: boolean;
}

/** What it answers: one line of JSON. */
export type SignInAnswer = { session: GatewaySession } | { problem: string };

/**
 * Signs in as the app does, trusting whatever key the gateway shows, for one order after the other: for most of what a
 * process costs, it would only start.
 */
const log = pino({ enabled: false });
const version = '0.1.0';

async function signIn(order: SignInOrder): Promise<GatewaySession> {
  const { gateway, address, proxy, credentials, helper: socketPath, identityFile, knowsPath = true } = order;
  if (!knowsPath) knownPaths.to(gateway.host).passesLarge();
  const identity =
    identityFile === undefined
      ? undefined
      : clientCertificate.parse(JSON.parse(await readFile(identityFile, 'utf8')));
  const client = await openHelperConnection({ socketPath, version, onState: () => undefined, log });
  const state: TunnelState =
    typeof client === 'string' ? { state: 'disconnected' } : await client.call('snapshot', {});
  const transports: Duplex[] = [];
  const pastBlock = connectPastBlock({ state: () => state, socketPath, version, log });
  const throughHelper = proxy
    ? gatewayThroughProxy(proxy, { credentials: proxy.credentials, identity: proxy.identity }, pastBlock)
    : pastBlock;
  const connectToGateway: typeof throughHelper = async (...target) => {
    const transport = await throughHelper(...target);
    transports.push(transport);
    return transport;
  };
  try {
    const pin = await pinShown(await connectToGateway(gateway, address), gateway.host);
    const result = await createSignIn({
      pins: () => ({ [gateway.host]: [pin] }),
      connect: connectToGateway,
      memory: createTestMemory(),
      identity: () => Promise.resolve(identity),
      openBrowser: () => Promise.resolve({ kind: 'cancelled' }),
      askUser: () => Promise.resolve(undefined),
      log,
    })({ gateway, address, credentials, interactive: false, signal: new AbortController().signal });
    if (!result.ok) throw new Error(`sign-in failed: ${result.failure}`);
    return result.signedIn.session;
  } finally {
    for (const transport of transports) transport.destroy();
    if (typeof client !== 'string') client.close();
  }
}

function pinShown(transport: Duplex, servername: string): Promise<string> {
  return new Promise((resolve, reject) => {
    // Without the post-quantum share, which networks that lose large packets do not let through.
    const groups = { ecdhCurve: 'X25519:P-256' };
    const socket = connect({ socket: transport, servername, rejectUnauthorized: false, ...groups });
    for (const end of ['error', 'close']) transport.once(end, () => reject(new Error(end)));
    socket.once('error', reject);
    socket.once('secureConnect', () => {
      const certificate = socket.getPeerX509Certificate();
      socket.destroy();
      if (certificate) resolve(certificatePin(certificate));
      else reject(new Error('the gateway showed no certificate'));
    });
  });
}

for await (const line of createInterface({ input: process.stdin })) {
  const order = JSON.parse(line) as SignInOrder;
  const answer: SignInAnswer = await inNetworkNamespace(order.namespace, () => signIn(order)).then(
    (session) => ({ session }),
    (error: unknown) => ({
      problem: error instanceof Error ? (error.stack ?? error.message) : String(error),
    }),
  );
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
