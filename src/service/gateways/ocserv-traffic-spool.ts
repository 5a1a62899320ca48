import { constants } from 'node:fs';
import { chmod, open, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { hasErrorCode } from '#node/os/error-code.ts';
import { makeDirectory } from '../make-directory.ts';
import type { SpooledSession, TrafficSpool } from './gateway-traffic.ts';

/** The UUID under which `resources/ocserv/record-traffic` stores a complete record. */
const recordName = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const maxRecordBytes = 512;
/** ocserv's counters have 64 bits; a session with more than a petabyte is not believed. */
const record = /^(?<userName>\S+) (?<fromUser>\d{1,15}) (?<toUser>\d{1,15}) \d{1,10}\n$/;

/**
 * The directory in which ocserv's disconnect script (`resources/ocserv/record-traffic`) writes a file for each session
 * that ended. It is created if it does not exist. The files get its group, so that a service that does not run as root
 * can read what the script writes as root.
 */
export async function openOcservTrafficSpool(directory: string): Promise<TrafficSpool> {
  if (await makeDirectory(directory, 0o750)) await chmod(directory, 0o2750);
  return {
    async names() {
      const entries = await readdir(directory, { withFileTypes: true });
      return entries.filter((entry) => entry.isFile() && recordName.test(entry.name)).map(({ name }) => name);
    },
    async read(name) {
      const text = await readStart(path.join(directory, name));
      return text === undefined ? { kind: 'gone' } : parse(text);
    },
    async remove(names) {
      for (const name of names) await rm(path.join(directory, name), { force: true });
      // Only after the directory is synced are the files gone even if the power fails (fsync(2)).
      const handle = await open(directory);
      await handle.sync();
      await handle.close();
    },
  };
}

function parse(text: string): SpooledSession {
  const { userName, fromUser, toUser } = record.exec(text)?.groups ?? {};
  if (userName === undefined) return { kind: 'refused' };
  return { kind: 'session', userName, sent: Number(fromUser), received: Number(toUser) };
}

/** The first bytes of a file, one more than a record can have; undefined if there is no such file. */
async function readStart(file: string): Promise<string | undefined> {
  try {
    await using handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(maxRecordBytes + 1));
    return bytesRead > maxRecordBytes ? '' : buffer.toString('utf8', 0, bytesRead);
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}
