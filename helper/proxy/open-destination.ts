import { once } from 'node:events';
import { connect, type LookupFunction, type Socket, type TcpSocketConnectOpts } from 'node:net';
import { familyOf, isForbiddenAddress, isLocalhost, ownAddresses, type Destination } from './destination.ts';
import type { Policy } from './policy.ts';

/** Why a destination was not reached. */
export type OpenFailure =
  | 'forbidden'
  | 'name-not-found'
  | 'network-unreachable'
  | 'host-unreachable'
  | 'connection-refused'
  | 'timed-out'
  | 'failed';

export type Opened = { ok: true; socket: Socket } | { ok: false; failure: OpenFailure };

/**
 * How long one address is tried before the next one. Node gives up the earlier one then, so it must be longer than a
 * round trip through a tunnel to the other side of the world, plus a repeated SYN (RFC 6298), and longer than one
 * through a slow tunnel.
 */
const attemptMs = (roundTripMs: number) => Math.max(1500, 2 * roundTripMs);

/** After this time of silence, the other end is probed. */
const keepAliveMs = 60_000;

/** Connects to a destination if the policy allows it; gives up when `signal` is aborted. */
export async function openDestination(
  { host, port }: Destination,
  policy: Policy,
  signal: AbortSignal,
): Promise<Opened> {
  if (host.kind === 'address') return open([host.address], host.address, port, policy, signal);
  if (policy.isBlocked(host.name) || isLocalhost(host.name)) return { ok: false, failure: 'forbidden' };
  const { addresses, late } = await policy.resolve(host.name);
  if (addresses.length === 0) return { ok: false, failure: 'name-not-found' };
  const opened = await open(addresses, host.name, port, policy, signal);
  if (opened.ok || !late) return opened;
  // The other family is the last resort.
  const others = await late;
  return others.length === 0 || signal.aborted ? opened : open(others, host.name, port, policy, signal);
}

async function open(
  found: readonly string[],
  host: string,
  port: number,
  { families, sources, roundTripMs }: Policy,
  signal: AbortSignal,
): Promise<Opened> {
  const own = recentOwnAddresses();
  const addresses = found.filter((address) => !isForbiddenAddress(address, own));
  if (addresses.length === 0) return { ok: false, failure: 'forbidden' };
  if (!addresses.some((address) => families[familyOf(address)])) {
    return { ok: false, failure: 'network-unreachable' };
  }
  if (sources) return openFrom(sources, addresses, port, roundTripMs, signal);
  const [only, ...others] = addresses;
  return connected(
    // A single address needs neither a look-up nor Node's handling of several, which takes a fifth of a client's total
    // cost.
    others.length === 0
      ? { host: only, port }
      : {
          host,
          port,
          lookup: answerWith(addresses),
          autoSelectFamily: true,
          autoSelectFamilyAttemptTimeout: attemptMs(roundTripMs),
        },
    signal,
  );
}

/** One address after the other: Node's handling of several knows no source for each version of IP. */
async function openFrom(
  sources: NonNullable<Policy['sources']>,
  addresses: readonly string[],
  port: number,
  roundTripMs: number,
  signal: AbortSignal,
): Promise<Opened> {
  let last: Opened = { ok: false, failure: 'network-unreachable' };
  for (const [index, address] of addresses.entries()) {
    const localAddress = sources[familyOf(address)];
    if (localAddress === undefined) continue;
    const isLast = index === addresses.length - 1;
    const limit = isLast ? signal : AbortSignal.any([signal, AbortSignal.timeout(attemptMs(roundTripMs))]);
    last = await connected({ host: address, port, localAddress }, limit);
    if (last.ok || signal.aborted) return last;
  }
  return last;
}

async function connected(to: TcpSocketConnectOpts, signal: AbortSignal): Promise<Opened> {
  if (signal.aborted) return { ok: false, failure: 'timed-out' };
  const socket = connect({
    ...to,
    allowHalfOpen: true,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: keepAliveMs,
  });
  // For the socket's whole life; users of the socket hear of errors by 'close'.
  socket.on('error', () => undefined);
  const giveUp = () => void socket.destroy();
  signal.addEventListener('abort', giveUp);
  try {
    await once(socket, 'connect', { signal });
    return { ok: true, socket };
  } catch (error) {
    return { ok: false, failure: signal.aborted ? 'timed-out' : failureOf(error) };
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}

/**
 * This machine's addresses are asked for once a second at most: that takes 70 µs, and a client without it some 250. The
 * packet filter, which is never late, lets the proxy open no connection within the machine either.
 */
const ownAddressesMs = 1_000;
let recent: { own: ReturnType<typeof ownAddresses>; since: number } | undefined;

function recentOwnAddresses() {
  const now = performance.now();
  if (!recent || now - recent.since >= ownAddressesMs) recent = { own: ownAddresses(), since: now };
  return recent.own;
}

/** Uses the result of an earlier look-up: the address that was checked is the one that is connected to. */
function answerWith(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: familyOf(address) === 'ipv4' ? 4 : 6 }));
  return (_host, _options, callback) => callback(null, all);
}

const failures: Readonly<Record<string, OpenFailure>> = {
  ECONNREFUSED: 'connection-refused',
  ENETUNREACH: 'network-unreachable',
  EHOSTUNREACH: 'host-unreachable',
  ETIMEDOUT: 'timed-out',
};

/** If several addresses were tried, the code is that of the first one's error. */
function failureOf(error: unknown): OpenFailure {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return failures[code] ?? 'failed';
}
