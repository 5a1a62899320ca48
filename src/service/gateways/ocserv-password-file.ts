import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { open, readdir, realpath, rename, rm, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { hasErrorCode } from '#node/os/error-code.ts';
import { deviceId as deviceIdSchema } from '../http/device-fields.ts';
import { makeDirectory } from '../make-directory.ts';
import type { GatewayAccess, GatewayLogin, PublishedLogins } from './gateway-port.ts';
import { portOf } from './gateway-passwords.ts';
import {
  lineAt,
  linesOf,
  lookAt,
  offsetsOf,
  switchedOff,
  withoutDeadLines,
  type KnownLines,
  type PasswordLine,
} from './password-lines.ts';
import { gatewayPlaceholder } from './password-file-name.ts';
import { isSha256Crypt, sha256Crypt } from './sha256-crypt.ts';

/** The place of gateways that share one file. */
const sharedPlace = '';

/**
 * Gateways that run ocserv with `auth = "plain[passwd=FILE]"`: one `user:groups:crypt(3) hash` per line, with `*` for
 * no group (ocpasswd(8)). At each sign-in, ocserv reads the file from its start, and takes the first line for the user
 * (its src/auth/plain.c). So a change disables a line in place and appends another, which costs the same however many
 * devices there are. Lines whose user is not a device id belong to an administrator, and stay. A file for all gateways
 * has everybody who may use any of them, with one password for all; if each gateway has a file, its passwords are of no
 * use anywhere else.
 */
export function ocservPasswordFile(file: string): GatewayAccess {
  const isShared = !file.includes(gatewayPlaceholder);
  const known = new Map<string, KnownLines>();
  const fileOf = (place: string) => file.replace(gatewayPlaceholder, encodeURIComponent(place));
  return {
    hashPasswords,
    placeOf: (gateway) => (isShared ? sharedPlace : `${gateway.domain.toLowerCase()}_${portOf(gateway)}`),
    commonPlaces: isShared ? [sharedPlace] : [],
    publishedPlaces: async () => (isShared ? [sharedPlace] : placesWithFiles(file)),
    async change(place, { users, logins }) {
      const wanted = new Map(logins.map((login) => [login.user, passwordLine(login)]));
      const placeFile = fileOf(place);
      await using handle = await openFile(placeFile);
      const { lines, size } = await lookAt(handle, known.get(place));
      known.set(place, lines);
      const isChanged = await changeLines(handle, { lines, size, users, wanted });
      if (!isChanged) return;
      await handle.datasync();
      if (lines.deadBytes > Math.max(maxDeadBytes, size * maxDeadShare)) await removeDeadLines(placeFile);
    },
    async read(place) {
      const placeFile = fileOf(place);
      // Read it from the start: somebody may have written in the middle.
      known.delete(place);
      try {
        await using handle = await open(placeFile);
        const { lines } = await lookAt(handle, undefined);
        known.set(place, lines);
        return publishedIn(await handle.readFile(), lines);
      } catch (error) {
        if (isMissing(error)) return nothingPublished;
        throw error;
      }
    },
  };
}

/**
 * A file is rewritten once its disabled lines exceed both of these, in bytes and of the whole file: ocserv reads them.
 */
const maxDeadBytes = 64 * 1024;
const maxDeadShare = 0.2;

/** True if something was changed. */
async function changeLines(
  handle: FileHandle,
  {
    lines,
    size,
    users,
    wanted,
  }: { lines: KnownLines; size: number; users: readonly string[]; wanted: ReadonlyMap<string, string> },
): Promise<boolean> {
  const missing = new Map(wanted);
  const old: PasswordLine[] = [];
  for (const user of new Set([...users, ...wanted.keys()])) {
    for (const line of await linesOf(handle, lines, user)) {
      if (missing.get(user) === line.text) missing.delete(user);
      else old.push(line);
    }
  }
  for (const line of old) {
    await writeAt(handle, switchedOff(line), line.offset);
    lines.deadBytes += line.text.length + 1;
  }
  if (missing.size > 0) {
    // After a power failure or an edit, the last line may have no line end.
    const start = lines.end < size ? '\n' : '';
    await writeAt(handle, start + [...missing.values()].map((line) => `${line}\n`).join(''), size);
  }
  return old.length + missing.size > 0;
}

async function writeAt(handle: FileHandle, ascii: string, position: number): Promise<void> {
  const { bytesWritten } = await handle.write(ascii, position, 'latin1');
  if (bytesWritten < ascii.length) throw new Error('a password file could not be written to its end');
}

const nothingPublished: PublishedLogins = { has: () => false, rest: () => [] };

function publishedIn(content: Buffer, lines: KnownLines): PublishedLogins {
  const found = new Set<number>();
  return {
    has(login) {
      const line = passwordLine(login);
      const first = offsetsOf(lines, login.user).find((offset) =>
        lineAt(content, offset).startsWith(`${login.user}:`),
      );
      if (first === undefined || lineAt(content, first) !== line) return false;
      found.add(first);
      return true;
    },
    rest() {
      const devices = [...lines.offsets.values()]
        .flat()
        .filter((offset) => !found.has(offset))
        .map((offset) => userOf(lineAt(content, offset)));
      return devices.filter((user) => deviceIdSchema.safeParse(user).success);
    },
  };
}

/** Places of current and former gateways. */
async function placesWithFiles(file: string): Promise<string[]> {
  const [start = '', end = ''] = path.basename(file).split(gatewayPlaceholder);
  const names = await readdir(path.dirname(file)).catch(() => []);
  return names
    .filter(
      (name) => name.startsWith(start) && name.endsWith(end) && name.length >= start.length + end.length,
    )
    .flatMap((name) => decoded(name.slice(start.length, name.length - end.length)));
}

/** Empty if the name is not that of a place. */
function decoded(name: string): string[] {
  try {
    return [decodeURIComponent(name)];
  } catch {
    return [];
  }
}

function passwordLine({ user, passwordHash }: GatewayLogin): string {
  if (!deviceIdSchema.safeParse(user).success || !isSha256Crypt(passwordHash)) {
    throw new Error('a user name or password hash does not fit in a password file');
  }
  return `${user}:*:${passwordHash}`;
}

const userOf = (line: string) => line.split(':', 1)[0] ?? '';

const isMissing = (error: unknown) => hasErrorCode(error, 'ENOENT');

/** For reading and writing at any position; created if it does not exist. */
async function openFile(file: string): Promise<FileHandle> {
  await makeDirectory(path.dirname(file), 0o700);
  return open(file, constants.O_RDWR | constants.O_CREAT, 0o600);
}

/**
 * Readers see either the old file or the new one, and after a power failure one of them exists (rename(2), fsync(2)). A
 * link stays a link, and whoever may read the old file may read the new one.
 */
async function removeDeadLines(file: string): Promise<void> {
  const linked = await realpath(file);
  const temporary = path.join(path.dirname(linked), `.${path.basename(linked)}.${randomUUID()}`);
  try {
    await using old = await open(linked);
    await using handle = await open(temporary, 'wx', 0o600);
    const { uid, gid, mode } = await old.stat();
    await handle.chown(uid, gid);
    await handle.chmod(mode & 0o777);
    await handle.writeFile(withoutDeadLines(await old.readFile()));
    await handle.sync();
    await rename(temporary, linked);
  } catch (error) {
    await rm(temporary, { force: true });
    // What belongs to somebody else stays as it is: in a file of our own, they might not be able to read it.
    if (!hasErrorCode(error, 'EPERM')) throw error;
  }
}

/** Each hash takes milliseconds; other work runs in between. */
async function hashPasswords(passwords: readonly string[]): Promise<string[]> {
  const hashes: string[] = [];
  for (const password of passwords) {
    await setImmediate();
    hashes.push(sha256Crypt(password));
  }
  return hashes;
}
