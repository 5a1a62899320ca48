import { once } from 'node:events';
import { connect } from 'node:net';
import type { WayOut } from './way-out.ts';

const connectLimitMs = 2_000;

/** Whether a connection to any of a proxy's addresses is made within two seconds. */
export async function answersSoon({ addresses, port }: Pick<WayOut, 'addresses' | 'port'>): Promise<boolean> {
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, AbortSignal.timeout(connectLimitMs)]);
  const tries = addresses.map(async (host) => {
    const socket = connect({ host, port });
    socket.on('error', () => undefined);
    try {
      await once(socket, 'connect', { signal });
    } finally {
      socket.destroy();
    }
  });
  try {
    await Promise.any(tries);
    return true;
  } catch {
    return false;
  } finally {
    over.abort();
  }
}
