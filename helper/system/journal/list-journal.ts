import { createHash } from 'node:crypto';
import { open, readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { routing } from '#shared/tunnel/state.ts';
import { readRouting, writtenRouting, type ReadRouting } from '../../modes/read-routing.ts';
import { createJournal, type Journal } from './journal-file.ts';
import { storedEntryOf, type JournalEntry, type StoredRouting } from './journal-entry.ts';
import type { DnsUndo } from '../ports/dns-port.ts';
import type { Schema } from '../schema.ts';

/**
 * A journal whose entries refer to the lists of a routing. These have some megabytes, and are written only once, to a
 * separate file. If the lists are lost, the journal counts as unreadable.
 */
export function createListJournal(directory: string, dnsUndo: Schema<DnsUndo>): Journal<JournalEntry> {
  const inner = createJournal(directory, storedEntryOf(dnsUndo));
  const fileOf = (digest: string) => path.join(directory, `routing-${digest}.json`);
  const digests = new WeakMap<ReadRouting, string>();
  /** The existing file, if it is known. */
  let written: string | undefined;
  let isFlushed = true;

  async function store(given: ReadRouting): Promise<StoredRouting> {
    if (given.mode === 'global' || given.mode === 'app') return given;
    let digest = digests.get(given);
    if (digest === undefined || digest !== written) {
      const text = JSON.stringify(writtenRouting(given));
      digest = digestOf(text);
      digests.set(given, digest);
      if (digest !== written) await writeWhole(fileOf(digest), text);
    }
    return { mode: given.mode, lists: digest };
  }

  /** From now on, the journal refers to what `store` has written. */
  async function replace(digest: string | undefined): Promise<void> {
    if (written === digest) return;
    const old = written;
    written = digest;
    isFlushed = digest === undefined;
    if (old !== undefined) await rm(fileOf(old), { force: true });
  }

  async function load(stored: StoredRouting): Promise<ReadRouting | undefined> {
    if (!('lists' in stored)) return readRouting(stored);
    const text = await readFile(fileOf(stored.lists), 'utf8').catch(() => '');
    if (digestOf(text) !== stored.lists) return undefined;
    const parsed = routing.safeParse(JSON.parse(text));
    return parsed.success ? readRouting(parsed.data) : undefined;
  }

  async function removeOthers(digest: string | undefined): Promise<void> {
    const stale = (await readdir(directory)).filter(
      (name) => /^routing-[0-9a-f]{64}\.json(?:\.new)?$/.test(name) && name !== `routing-${digest}.json`,
    );
    await Promise.all(stale.map((name) => rm(path.join(directory, name), { force: true })));
  }

  return {
    async read() {
      const content = await inner.read();
      const connection = content.kind === 'entry' ? content.entry.connection : null;
      const stored = connection?.routing;
      written = stored && 'lists' in stored ? stored.lists : undefined;
      await removeOthers(written);
      if (content.kind !== 'entry') return content;
      if (!connection || !stored) return { kind: 'entry', entry: { ...content.entry, connection: null } };
      // Undoing an unblocked connection does not need the lists, which a power failure may have destroyed.
      const found = (await load(stored)) ?? (connection.killSwitch ? undefined : everything);
      if (!found) return { kind: 'unreadable', text: JSON.stringify(content.entry) };
      return { kind: 'entry', entry: { ...content.entry, connection: { ...connection, routing: found } } };
    },
    async write({ connection, ...rest }) {
      const stored = connection && (await store(connection.routing));
      const digest = stored && 'lists' in stored ? stored.lists : undefined;
      try {
        await inner.write({
          ...rest,
          connection: connection && stored ? { ...connection, routing: stored } : null,
        });
      } catch (error) {
        // Nothing refers to it.
        if (digest !== undefined && digest !== written) await rm(fileOf(digest), { force: true });
        throw error;
      }
      await replace(digest);
    },
    async flush() {
      if (!isFlushed && written !== undefined) {
        const handle = await open(fileOf(written), 'r+');
        try {
          await handle.sync();
          isFlushed = true;
        } finally {
          await handle.close();
        }
      }
      await inner.flush();
    },
    async clear() {
      await inner.clear();
      await replace(undefined);
    },
  };
}

const everything: ReadRouting = { mode: 'global', localNetwork: false };

/** Of the file's own bytes: also a helper of another version sees by its name whether it is whole. */
const digestOf = (text: string) => createHash('sha256').update(text).digest('hex');

async function writeWhole(file: string, text: string): Promise<void> {
  const fresh = `${file}.new`;
  const handle = await open(fresh, 'w', 0o600);
  try {
    await handle.writeFile(text);
  } catch (error) {
    // A partial file would keep a full disk full.
    await rm(fresh, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
  await rename(fresh, file);
}
