import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { deviceId as deviceIdSchema } from '../http/device-fields.ts';
import type { GatewayAccess, GatewayLogin } from './gateway-access.ts';

/** crypt(3), SHA-256 method: `$5$salt$hash`. */
const sha256Crypt = /^\$5\$[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{43}$/;

/** Where the file's name has this, each server item has a file of its own, with its id in this place. */
const itemPlaceholder = '{item}';

/**
 * Gateways run by ocserv with `auth = "plain[passwd=FILE]"`: one `user:groups:crypt(3) hash` a line, `*` for no
 * group (ocpasswd(8)). ocserv reads the file anew at each sign-in. Lines whose user is not a device's id are an
 * administrator's, and stay. A file for all items has whoever may use any of them.
 */
export function ocservPasswordFile(file: string): GatewayAccess {
  return {
    hashPassword,
    async publish(logins, items) {
      if (!file.includes(itemPlaceholder)) return writeLogins(file, logins);
      for (const item of items) {
        await writeLogins(
          fileOf(file, item),
          logins.filter((login) => login.items.includes(item)),
        );
      }
      const current = new Set(items.map((item) => fileOf(file, item)));
      for (const old of await itemFiles(file)) if (!current.has(old)) await writeLogins(old, []);
    },
  };
}

/** Ids of items are the operator's; none leads to another directory. */
const fileOf = (file: string, item: string) => file.replace(itemPlaceholder, encodeURIComponent(item));

/** Files of items that there are, or that there were: nobody gets in at those any more. */
async function itemFiles(file: string): Promise<string[]> {
  const [start = '', end = ''] = path.basename(file).split(itemPlaceholder);
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

function passwordLine({ deviceId, passwordHash }: GatewayLogin): string {
  if (!deviceIdSchema.safeParse(deviceId).success || !sha256Crypt.test(passwordHash)) {
    throw new Error('a device id or password hash does not fit in a password file');
  }
  return `${deviceId}:*:${passwordHash}`;
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

/** Node has no crypt(3). The password goes over standard input: a command line can be read by every user. */
async function hashPassword(password: string): Promise<string> {
  const child = spawn('openssl', ['passwd', '-5', '-stdin'], { stdio: ['pipe', 'pipe', 'ignore'] });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  // If the child never ran, `ended` tells; the pipe's own error adds nothing.
  child.stdin.on('error', () => undefined);
  child.stdin.end(`${password}\n`);
  const [output, code] = await Promise.all([text(child.stdout), ended]);
  const hash = output.trim();
  if (code !== 0 || !sha256Crypt.test(hash)) throw new Error(`openssl passwd failed (exit code ${code})`);
  return hash;
}
