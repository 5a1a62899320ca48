import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { open, type FileHandle, readFile, readlink, realpath, rm, stat } from 'node:fs/promises';
import { isIP } from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { hasErrorCode } from '#node/os/error-code.ts';
import type { Dns } from '../../system/ports/dns-port.ts';
import { linuxDnsUndo, type LinuxDnsUndo } from './dns-undo-schema.ts';

/**
 * /etc/resolv.conf as a plain file without a manager. It is written in place, because it can be a bind mount (as under
 * `ip netns exec`), and to keep its owner, mode and links.
 */

export type ResolvConfStep = Extract<LinuxDnsUndo, { kind: 'resolv-conf' }>;

const markerPrefix = '# Waymaker tunnel ';
/**
 * Begins the line after the marker, which keeps the original bytes where even a lost journal does not take them away.
 */
const originalPrefix = '# Before it, in base64: ';
/** In place of the bytes, if there was no file. */
const noOriginal = '-';
const betweenLooksMs = 50;
const settledAfterMs = 1000;

/** What has to be remembered before the file is written. */
export async function rememberResolvConf(file = '/etc/resolv.conf'): Promise<ResolvConfStep> {
  const target = await resolveLinks(file);
  const content = await readIfPresent(target);
  return {
    kind: 'resolv-conf',
    path: target,
    original: content?.toString('base64') ?? null,
    marker: `${markerPrefix}${randomUUID()}`,
  };
}

/**
 * Resolves once nobody seems to be writing the file, at once if it is older, and after a second at the latest. Scripts
 * empty it before they write (`cat >`): what is read meanwhile would be restored in the end, and what is written
 * meanwhile would be mixed with theirs.
 */
export async function untilResolvConfIsWritten(file = '/etc/resolv.conf'): Promise<void> {
  let before: Buffer | undefined;
  for (let look = 0; look < settledAfterMs / betweenLooksMs; look += 1) {
    const content = await readRecent(file);
    if (content === 'older' || (content && content.length > 0 && before?.equals(content))) return;
    before = content;
    await delay(betweenLooksMs);
  }
}

/** The same, as far as it can be told without waiting for a file that is not empty. */
export async function untilResolvConfIsNotEmpty(file = '/etc/resolv.conf'): Promise<void> {
  if ((await readRecent(file))?.length === 0) await untilResolvConfIsWritten(file);
}

/** What has just been written; undefined if there is no file. */
async function readRecent(file: string): Promise<Buffer | 'older' | undefined> {
  const target = await resolveLinks(file);
  const content = await readIfPresent(target);
  const written = await stat(target).catch(() => undefined);
  return written && Date.now() - written.mtimeMs > settledAfterMs ? 'older' : content;
}

/** How to undo what an earlier helper wrote, as the file itself says; undefined if it is not ours. */
export async function leftOverResolvConf(file = '/etc/resolv.conf'): Promise<ResolvConfStep | undefined> {
  const target = await resolveLinks(file);
  const [marker = '', second = ''] = ((await readIfPresent(target))?.toString('latin1') ?? '').split('\n', 2);
  if (!marker.startsWith(markerPrefix) || !second.startsWith(originalPrefix)) return undefined;
  const text = second.slice(originalPrefix.length);
  const step = { kind: 'resolv-conf', path: target, original: text === noOriginal ? null : text, marker };
  const parsed = linuxDnsUndo.safeParse(step);
  return parsed.success && parsed.data.kind === 'resolv-conf' ? parsed.data : undefined;
}

/** Whether the file is as it was remembered, or as we wrote it. */
export async function isStillRemembered(step: ResolvConfStep): Promise<boolean> {
  const content = await readIfPresent(step.path);
  return (content?.toString('base64') ?? null) === step.original || isOurs(content, step);
}

/** The resolvers in the file before we wrote it. */
export const originalServersOf = ({ original }: ResolvConfStep): string[] =>
  nameserversIn(Buffer.from(original ?? '', 'base64').toString('latin1'));

/** resolv.conf(5): `nameserver` and an address; one with a zone cannot be asked elsewhere. */
export const nameserversIn = (text: string): string[] =>
  [...text.matchAll(/^nameserver[ \t]+(\S+)/gm)].map(([, server = '']) => server).filter(isAddress);

const isAddress = (word: string) => isIP(word) !== 0 && !word.includes('%');

/** Whether the file is completely what we wrote. */
export async function isResolvConfSet(step: ResolvConfStep, dns: Dns): Promise<boolean> {
  return (await readIfPresent(step.path))?.toString() === contentOf(step, dns);
}

export async function writeResolvConf(step: ResolvConfStep, dns: Dns): Promise<void> {
  await writeInPlace(step.path, Buffer.from(contentOf(step, dns)));
}

function contentOf(step: ResolvConfStep, { servers, searchDomains }: Dns): string {
  const lines = [
    step.marker,
    `${originalPrefix}${step.original ?? noOriginal}`,
    ...servers.map((server) => `nameserver ${server}`),
    ...(searchDomains.length > 0 ? [`search ${searchDomains.join(' ')}`] : []),
  ];
  return `${lines.join('\n')}\n`;
}

/** Restores the remembered bytes, unless something else has written the file since. */
export async function restoreResolvConf(step: ResolvConfStep): Promise<void> {
  if (await isLink(step.path)) return;
  const content = await readIfPresent(step.path);
  if (content !== undefined && !isOurs(content, step) && !isHalfRestored(content, step)) return;
  if (step.original === null) {
    await rm(step.path, { force: true });
    return;
  }
  const [original, before] = [Buffer.from(step.original, 'base64'), unfinishedOf(step)];
  // If we are killed before the file is truncated, the next helper recognises it by these bytes. They may not fit on a
  // full disk, although the original does.
  await writeInPlace(step.path, before).catch(() => undefined);
  await writeInPlace(step.path, original, { durable: true });
}

/** The intermediate content before the original is restored: the original after our mark. */
const unfinishedOf = ({ marker, original }: ResolvConfStep): Buffer =>
  Buffer.concat([Buffer.from(`${marker}\n`), Buffer.from(original ?? '', 'base64')]);

/** The same when the original has been written over it, but the rest is not cut off yet. */
function isHalfRestored(content: Buffer, step: ResolvConfStep): boolean {
  const [original, before] = [Buffer.from(step.original ?? '', 'base64'), unfinishedOf(step)];
  return content.equals(Buffer.concat([original, before.subarray(original.length)]));
}

function isOurs(content: Buffer | undefined, step: ResolvConfStep): boolean {
  return content?.subarray(0, step.marker.length + 1).toString() === `${step.marker}\n`;
}

/** First the new bytes, then the truncation: a reader in between finds a first line that identifies the writer. */
async function writeInPlace(file: string, content: Buffer, { durable = false } = {}): Promise<void> {
  // It is gone with its directory, as a file under /run is after a reboot; whoever recreates it also fills it.
  const handle =
    (await openIfPresent(file, writeFlags)) ??
    (await openIfPresent(file, writeFlags | constants.O_CREAT | constants.O_EXCL));
  if (!handle) return;
  try {
    await handle.write(content, 0, content.length, 0);
    await handle.truncate(content.length);
    // Before the journal drops it.
    if (durable) await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Otherwise, a link that somebody has just put in the file's place would make us overwrite a file that we have not
 * remembered.
 */
const writeFlags = constants.O_WRONLY | constants.O_NOFOLLOW;

const isLink = (file: string) =>
  readlink(file).then(
    () => true,
    () => false,
  );

/** Undefined if there is no such file, or no directory for a file to be created, which everybody can read. */
async function openIfPresent(file: string, flags: number): Promise<FileHandle | undefined> {
  const handle = await open(file, flags).catch((error: unknown) => {
    if (hasErrorCode(error, 'ENOENT')) return undefined;
    throw error;
  });
  // Independent of the helper's umask.
  if ((flags & constants.O_CREAT) !== 0) await handle?.chmod(0o644);
  return handle;
}

async function readIfPresent(file: string): Promise<Buffer | undefined> {
  return readFile(file).catch((error: unknown) => {
    if (hasErrorCode(error, 'ENOENT')) return undefined;
    throw error;
  });
}

/** Like `realpath`, but the last link may point to a file that does not exist yet. */
export async function resolveLinks(file: string): Promise<string> {
  try {
    return await realpath(file);
  } catch {
    const target = await readlink(file).catch(() => undefined);
    return target === undefined ? file : path.resolve(path.dirname(file), target);
  }
}
