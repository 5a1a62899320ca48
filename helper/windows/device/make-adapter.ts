import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../../log.ts';
import { SystemChangeFailed } from '../../system/ports/system-change-failed.ts';
import type { Wintun, WintunAdapter, WintunSession } from '../calls/wintun.ts';
import { tunnelAdapter } from '../identifiers.ts';

/** What people see in the list of networks. */
export const adapterName = 'Waymaker';

/** After a boot or an unclean end, the driver refuses for some seconds (eduVPN 194, firezone 4765). */
const maxTries = 15;
const betweenTriesMs = 1_000;

export interface MadeAdapter {
  adapter: WintunAdapter;
  session: WintunSession;
}

/** Makes the tunnel's adapter and brings it up. Rejects with `SystemChangeFailed` if it still fails after some time. */
export async function makeAdapter(wintun: Wintun, log: Log): Promise<MadeAdapter> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await tryOnce(wintun);
    } catch (cause) {
      if (tried === maxTries) throw new SystemChangeFailed('the adapter cannot be made', { cause });
      log.warn('the adapter is not made yet', { cause: String(cause), tried });
      await delay(betweenTriesMs);
    }
  }
}

async function tryOnce(wintun: Wintun): Promise<MadeAdapter> {
  const adapter = await wintun.createAdapter(adapterName, tunnelAdapter);
  try {
    return { adapter, session: adapter.startSession() };
  } catch (error) {
    adapter.close();
    throw error;
  }
}
