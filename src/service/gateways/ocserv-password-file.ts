import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { deviceId as deviceIdSchema } from '../http/device-fields.ts';
import type { GatewayAccess, GatewayLogin } from './gateway-access.ts';
import { portOf } from './gateway-passwords.ts';

/** crypt(3), SHA-256 method: `$5$salt$hash`. */
const sha256Crypt = /^\$5\$[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{43}$/;

/** Where the file's name has this, each gateway has a file of its own, with its host and port in this place. */
const gatewayPlaceholder = '{gateway}';
/** Of gateways that share one file. */
const sharedPlace = '';

/**
 * Gateways run by ocserv with `auth = "plain[passwd=FILE]"`: one `user:groups:crypt(3) hash` a line, `*` for no
 * group (ocpasswd(8)). ocserv reads the file anew at each sign-in. Lines whose user is not a device's id are an
 * administrator's, and stay. A file for all gateways has whoever may use any of them, with one password for all; that
 * of each gateway has a password that is of no use anywhere else.
 */
export function ocservPasswordFile(file: string): GatewayAccess {
  const isShared = !file.includes(gatewayPlaceholder);
  return {
    hashPasswords,
    placeOf: (gateway) => (isShared ? sharedPlace : `${gateway.domain.toLowerCase()}_${portOf(gateway)}`),
    commonPlaces: isShared ? [sharedPlace] : [],
    async publish(places) {
      if (isShared) return writeLogins(file, places.get(sharedPlace) ?? []);
      for (const [place, logins] of places) await writeLogins(fileOf(file, place), logins);
      const current = new Set([...places.keys()].map((place) => fileOf(file, place)));
      for (const old of await gatewayFiles(file)) if (!current.has(old)) await writeLogins(old, []);
    },
  };
}

/** Host names are the operator's; none leads to another directory. */
const fileOf = (file: string, place: string) => file.replace(gatewayPlaceholder, encodeURIComponent(place));

/** Files of gateways that there are, or that there were: nobody gets in at those any more. */
async function gatewayFiles(file: string): Promise<string[]> {
  const [start = '', end = ''] = path.basename(file).split(gatewayPlaceholder);
  const directory = path.dirname(file);
  const names = await readdir(directory).catch(() => []);
  return names
    .filter(
      (name) => name.startsWith(start) && name.endsWith(end) && name.length >= start.length + end.length,
    )
    .map((name) => path.join(directory, name));
}

async function writeLogins(file: string, logins: readonly GatewayLogin[]): Promise<void> {
  const before = await contentOf(file);
  const lines = [...administratorLines(before), ...logins.map(passwordLine)];
  const after = lines.map((line) => `${line}\n`).join('');
  if (after !== before) await replaceFile(file, after);
}

function passwordLine({ user, passwordHash }: GatewayLogin): string {
  if (!deviceIdSchema.safeParse(user).success || !sha256Crypt.test(passwordHash)) {
    throw new Error('a user name or password hash does not fit in a password file');
  }
  return `${user}:*:${passwordHash}`;
}

/** Undefined if there is no such file. */
async function contentOf(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function administratorLines(content = ''): string[] {
  const isDevice = (line: string) => deviceIdSchema.safeParse(line.split(':', 1)[0]).success;
  return content.split('\n').filter((line) => line !== '' && !isDevice(line));
}

/** A reader sees the old file or the new one, and a power loss leaves one of them (rename(2), fsync(2)). */
async function replaceFile(file: string, content: string): Promise<void> {
  const directory = path.dirname(file);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const temporary = path.join(directory, `.${path.basename(file)}.${randomUUID()}`);
  try {
    const handle = await open(temporary, 'wx', 0o600);
    try {
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Node has no crypt(3). Passwords go over standard input: a command line can be read by every user. */
async function hashPasswords(passwords: readonly string[]): Promise<string[]> {
  if (passwords.length === 0) return [];
  const child = spawn('openssl', ['passwd', '-5', '-stdin'], { stdio: ['pipe', 'pipe', 'ignore'] });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  // If the child never ran, `ended` tells; the pipe's own error adds nothing.
  child.stdin.on('error', () => undefined);
  child.stdin.end(passwords.map((password) => `${password}\n`).join(''));
  const [output, code] = await Promise.all([text(child.stdout), ended]);
  const hashes = output.trim().split('\n');
  const areAll = hashes.length === passwords.length && hashes.every((hash) => sha256Crypt.test(hash));
  if (code !== 0 || !areAll) throw new Error(`openssl passwd failed (exit code ${code})`);
  return hashes;
}
