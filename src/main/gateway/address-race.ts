import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { ConnectToGateway } from '#node/anyconnect/gateway-tls.ts';
import type { Gateway } from '#shared/tunnel/state.ts';

/** Finds the address of a gateway that answers first, so that one that is silent costs no ten seconds. */
export interface AddressRace {
  /**
   * The same addresses, with the one at which a connection was made first before the others; as they were if none was.
   * That connection is kept for two seconds, for `connect`. The others are closed, without a byte of TLS.
   */
  order: (gateway: Gateway, addresses: readonly string[], signal: AbortSignal) => Promise<readonly string[]>;
  /** Opens a connection, or takes the one that was made in the race. */
  connect: ConnectToGateway;
}

/** The recommended pause between two connections (RFC 8305 §5, §8); the next one follows at once where one fails. */
const pauseMs = 250;
const limitMs = 10_000;
const keptMs = 2_000;

export function createAddressRace(open: ConnectToGateway): AddressRace {
  const kept = new Map<string, Socket>();
  const keyOf = ({ host, port }: Gateway, address: string) => `${host} ${port} ${address}`;

  function keep(key: string, socket: Socket): void {
    kept.get(key)?.destroy();
    kept.set(key, socket);
    setTimeout(() => {
      if (kept.get(key) !== socket) return;
      kept.delete(key);
      socket.destroy();
    }, keptMs).unref();
  }

  async function order(gateway: Gateway, addresses: readonly string[], signal: AbortSignal) {
    if (addresses.length < 2) return addresses;
    const over = new AbortController();
    const until = AbortSignal.any([signal, over.signal, AbortSignal.timeout(limitMs)]);
    let winner: string | undefined;
    const run = async (address: string) => {
      const socket = await open(gateway, address);
      socket.on('error', () => undefined);
      try {
        if (socket.connecting) await once(socket, 'connect', { signal: until });
        until.throwIfAborted();
        if (socket.errored) throw socket.errored;
      } catch {
        socket.destroy();
        return;
      }
      winner = address;
      keep(keyOf(gateway, address), socket);
      over.abort();
    };
    const runs: Promise<void>[] = [];
    const pause = (milliseconds: number) =>
      delay(milliseconds, undefined, { signal: until, ref: false }).catch(() => undefined);
    for (const address of addresses) {
      if (until.aborted) break;
      const mine = run(address).catch(() => undefined);
      runs.push(mine);
      await Promise.race([mine, pause(pauseMs)]);
    }
    await Promise.race([Promise.all(runs), pause(limitMs)]);
    return winner === undefined ? addresses : [winner, ...addresses.filter((one) => one !== winner)];
  }

  return {
    order,
    connect(gateway, address, port) {
      const key = keyOf(gateway, address);
      const socket = port === undefined ? kept.get(key) : undefined;
      if (!socket || socket.destroyed) return open(gateway, address, port);
      kept.delete(key);
      return Promise.resolve(socket);
    },
  };
}
