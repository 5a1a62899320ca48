import type { Duplex } from 'node:stream';
import type { Log } from '../../log.ts';
import { SystemChangeFailed } from '../../system/ports/system-change-failed.ts';
import type { DeviceConfiguration, TunnelDevice } from '../../system/ports/tunnel-device-port.ts';
import type { IpHelper, Luid } from '../calls/ip-helper.ts';
import type { Wintun } from '../calls/wintun.ts';
import { createTunnelInterface, type TunnelInterface } from '../routing/tunnel-interface.ts';
import { adapterName, makeAdapter, type MadeAdapter } from './make-adapter.ts';
import { relayPackets } from './packet-relay.ts';

interface Made extends MadeAdapter {
  network: TunnelInterface;
  /** Its packets have ended, as when somebody switches it off, or the driver fails. */
  isLost: boolean;
}

/**
 * An adapter of Wintun's with its interface. Only administrators can open one, so the helper has it and carries the
 * packets between it and the engine (docs/engine.md). It is gone with the helper's process, however that ends. `luid`:
 * the interface, while there is one.
 */
export function createTunnelDevice(parts: {
  loadWintun: () => Wintun;
  ipHelper: IpHelper;
  createWait?: Parameters<typeof relayPackets>[0]['createWait'];
  log: Log;
}): TunnelDevice & { luid(): Luid | undefined } {
  const { loadWintun, ipHelper, createWait, log } = parts;
  const watchers = new Set<() => void>();
  let made: Made | undefined;
  let isWanted = false;
  let configured: DeviceConfiguration | undefined;
  let relay: { close(): void } | undefined;

  async function create(): Promise<void> {
    const { adapter, session } = await makeAdapter(loadWintun(), log);
    const network = createTunnelInterface({ ipHelper, luid: adapter.luid, log });
    made = { adapter, session, network, isLost: false };
  }

  function counters() {
    const found = made && ipHelper.interfaces().find(({ luid }) => luid === made?.adapter.luid);
    return found && { received: Number(found.receivedBytes), sent: Number(found.sentBytes) };
  }

  const isThere = ({ adapter, isLost }: Made) =>
    !isLost && ipHelper.interfaces().some(({ luid }) => luid === adapter.luid);

  function close(): void {
    relay?.close();
    relay = undefined;
    // Its routes and addresses are gone by now, or go with it.
    made?.session.end();
    made?.adapter.close();
    made = undefined;
  }

  async function remove(): Promise<void> {
    isWanted = false;
    configured = undefined;
    close();
  }

  return {
    name: adapterName,
    luid: () => made?.adapter.luid,
    handle: {
      name: adapterName,
      packetHeader: 'length',
      open: () => ({
        inherited: 'overlapped',
        attach(pipe: Duplex | null) {
          if (!made || !pipe) throw new Error('there is no adapter');
          relay?.close();
          const current = made;
          relay = relayPackets({
            session: current.session,
            pipe,
            ...(createWait && { createWait }),
            onEnd(why, end) {
              log.info('packets are not carried any more', { why });
              if (end === 'engine') return;
              // The system may list it for longer, or as one that is switched off.
              current.isLost = true;
              for (const watcher of watchers) watcher();
            },
          });
        },
        // The pipe is closed with the engine.
        close: () => undefined,
      }),
    },
    exists: () => ipHelper.interfaces().some(({ alias }) => alias === adapterName),
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
      if (!made || !isThere(made)) return 'changed';
      return configured ? made.network.verify(configured) : 'in-force';
    },
    async restore() {
      if (!isWanted) return;
      // After a sleep, for example, the driver may have none of its adapters any more.
      if (made && !isThere(made)) close();
      if (!made) await create();
      if (configured) await made?.network.configure(configured);
    },
    watch(onChange) {
      watchers.add(onChange);
      const stop = ipHelper.watch(onChange);
      return () => {
        watchers.delete(onChange);
        stop();
      };
    },
  };
}
