import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../../log.ts';
import { SystemChangeFailed } from '../../system/ports/system-change-failed.ts';
import type { DeviceConfiguration, TunnelDevice } from '../../system/ports/tunnel-device-port.ts';
import type { IpHelper, Luid } from '../calls/ip-helper.ts';
import type { Wintun, WintunAdapter, WintunSession } from '../calls/wintun.ts';
import { tunnelAdapter } from '../identifiers.ts';
import { createTunnelInterface, type TunnelInterface } from '../routing/tunnel-interface.ts';
import { relayPackets } from './packet-relay.ts';

/** What people see in the list of networks. */
const name = 'Waymaker';

/** After a boot or an unclean end, the driver refuses for some seconds (eduVPN 194, firezone 4765). */
const maxTries = 15;
const betweenTriesMs = 1_000;

interface Made {
  adapter: WintunAdapter;
  session: WintunSession;
  network: TunnelInterface;
}

/**
 * An adapter of Wintun's with its interface. Only administrators can open one, so the helper has it and carries the packets
 * between it and the engine (docs/engine.md). It is gone with the helper's process, however that ends. `luid`: the
 * interface, while there is one.
 */
export function createTunnelDevice(parts: {
  loadWintun: () => Wintun;
  ipHelper: IpHelper;
  log: Log;
}): TunnelDevice & { luid(): Luid | undefined } {
  const { loadWintun, ipHelper, log } = parts;
  let made: Made | undefined;
  let isWanted = false;
  let configured: DeviceConfiguration | undefined;
  let relay: { close(): void } | undefined;

  async function create(): Promise<void> {
    const wintun = loadWintun();
    for (let tried = 1; ; tried += 1) {
      try {
        const adapter = await wintun.createAdapter(name, tunnelAdapter);
        try {
          const network = createTunnelInterface({ ipHelper, luid: adapter.luid, log });
          made = { adapter, session: adapter.startSession(), network };
          return;
        } catch (error) {
          adapter.close();
          throw error;
        }
      } catch (cause) {
        if (tried === maxTries) throw new SystemChangeFailed('the adapter cannot be made', { cause });
        log.warn('the adapter is not made yet', { cause: String(cause), tried });
        await delay(betweenTriesMs);
      }
    }
  }

  function counters() {
    const found = made && ipHelper.interfaces().find(({ luid }) => luid === made?.adapter.luid);
    return found && { received: Number(found.receivedBytes), sent: Number(found.sentBytes) };
  }

  async function remove(): Promise<void> {
    isWanted = false;
    configured = undefined;
    relay?.close();
    relay = undefined;
    // Its routes and addresses are gone by now, or go with it.
    made?.session.end();
    made?.adapter.close();
    made = undefined;
  }

  return {
    name,
    luid: () => made?.adapter.luid,
    handle: {
      name,
      packetHeader: 'length',
      open: () => ({
        inherited: 'overlapped',
        attach(pipe: Duplex | null) {
          if (!made || !pipe) throw new Error('there is no adapter');
          relay?.close();
          relay = relayPackets({
            session: made.session,
            pipe,
            onEnd: (why) => log.info('packets are not carried any more', { why }),
          });
        },
        // The pipe is closed with the engine.
        close: () => undefined,
      }),
    },
    exists: () => ipHelper.interfaces().some(({ alias }) => alias === name),
    async create() {
      if (!made) await create();
      isWanted = true;
    },
    async configure(given) {
      if (!made) throw new SystemChangeFailed('there is no adapter');
      configured = given;
      await made.network.configure(given);
    },
    async removeAddresses(old) {
      const kept = configured?.addresses ?? [];
      made?.network.removeAddresses(old.filter((address) => !kept.includes(address)));
    },
    remove,
    statistics: counters,
    // The system counts no packets by IP version for an interface.
    receivedPackets: () => undefined,
    openEcho: () => undefined,

    async verify() {
      if (!isWanted) return 'unset';
      if (!made || !ipHelper.interfaces().some(({ luid }) => luid === made?.adapter.luid)) return 'changed';
      return configured ? made.network.verify(configured) : 'in-force';
    },
    async restore() {
      if (isWanted && made && configured) await made.network.configure(configured);
    },
    watch: (onChange) => ipHelper.watch(onChange),
  };
}
