import { Socket } from 'node:net';
import type { JournalEntry } from '../../../helper/system/journal-entry.ts';
import type { Journal } from '../../../helper/system/journal-file.ts';
import type { Ports } from '../../../helper/system/ports/ports.ts';
import type { ProxyProcess } from '../../../helper/system/ports/proxy-host-port.ts';

/** A journal on a disk that survives helpers. */
export interface MemoryDisk {
  entry: JournalEntry | undefined;
}

export function createMemoryJournal(disk: MemoryDisk): Journal<JournalEntry> {
  return {
    read: () =>
      Promise.resolve(disk.entry ? { kind: 'entry', entry: disk.entry } : ({ kind: 'empty' } as const)),
    write(entry) {
      disk.entry = entry;
      return Promise.resolve();
    },
    flush: () => Promise.resolve(),
    clear() {
      disk.entry = undefined;
      return Promise.resolve();
    },
  };
}

/** The ports that run programs, for helpers whose network alone is looked at. */
export function portsWithoutPrograms(): Pick<
  Ports,
  'engines' | 'proxies' | 'portals' | 'groups' | 'isSupported'
> {
  const none = () => {
    throw new Error('no programs run here');
  };
  return {
    engines: {
      isAvailable: () => Promise.resolve(true),
      command: none,
      ownCommand: none,
      secretFile: none,
      connect: () => new Socket(),
      linkMtu: () => Promise.resolve(undefined),
      datagramPort: () => Promise.resolve(undefined),
      roundTripMs: () => Promise.resolve(undefined),
      endLeftOver: () => Promise.resolve(),
    },
    proxies: {
      isSupported: () => true,
      create: () => Promise.resolve(createProxy()),
      endLeftOver: () => Promise.resolve(),
    },
    portals: { isSupported: () => false, start: none },
    groups: { isSupported: () => false, move: none },
    isSupported: () => true,
  };
}

function createProxy(): ProxyProcess {
  let listening: ProxyProcess['listening'];
  return {
    outlives: false,
    get listening() {
      return listening;
    },
    configure() {
      listening = { port: 8_118, address: '127.0.0.1:8118', pacUrl: 'http://127.0.0.1:8118/x.pac' };
      return Promise.resolve();
    },
    stop() {
      listening = undefined;
    },
  };
}
