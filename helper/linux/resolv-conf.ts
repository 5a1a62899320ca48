import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { open, readFile, readlink, realpath, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Dns } from '../system/dns-port.ts';
import type { UndoStep } from '../system/journal-entry.ts';

/**
 * /etc/resolv.conf as a plain file that nobody manages. It is written in place, because it can be a bind mount
 * (as under `ip netns exec`), and so that its owner, mode and links stay as they are.
 */

export type ResolvConfStep = Extract<UndoStep, { kind: 'resolv-conf' }>;

const markerPrefix = '# Waymaker tunnel ';

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

/** Whether the file is as it was remembered, or as we wrote it. */
export async function isStillRemembered(step: ResolvConfStep): Promise<boolean> {
  const content = await readIfPresent(step.path);
  return (content?.toString('base64') ?? null) === step.original || isOurs(content, step);
}

/** Whether what programs read there is what we wrote, whole. */
export async function isResolvConfSet(step: ResolvConfStep, dns: Dns, file: string): Promise<boolean> {
  return (await readIfPresent(file))?.toString() === contentOf(step, dns);
}

export async function writeResolvConf(step: ResolvConfStep, dns: Dns): Promise<void> {
  await writeInPlace(step.path, Buffer.from(contentOf(step, dns)));
}

function contentOf(step: ResolvConfStep, { servers, searchDomains }: Dns): string {
  const lines = [
    step.marker,
    ...servers.map((server) => `nameserver ${server}`),
    ...(searchDomains.length > 0 ? [`search ${searchDomains.join(' ')}`] : []),
  ];
  return `${lines.join('\n')}\n`;
}

/** Puts the remembered bytes back, unless somebody else has written the file since. */
export async function restoreResolvConf(step: ResolvConfStep): Promise<void> {
  const content = await readIfPresent(step.path);
  if (content !== undefined && !isOurs(content, step)) return;
  if (step.original !== null)
    await writeInPlace(step.path, Buffer.from(step.original, 'base64'), { durable: true });
  else await rm(step.path, { force: true });
}

function isOurs(content: Buffer | undefined, step: ResolvConfStep): boolean {
  return content?.subarray(0, step.marker.length + 1).toString() === `${step.marker}\n`;
}

/** The new bytes first, the cut after: whoever reads in between finds a first line that says whose it is. */
async function writeInPlace(file: string, content: Buffer, { durable = false } = {}): Promise<void> {
  const handle = await open(file, constants.O_WRONLY | constants.O_CREAT, 0o644).catch((error: unknown) => {
    // Gone with its directory, as a file under /run is after a reboot: whoever makes it anew fills it too.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (!handle) return;
  try {
    await handle.write(content, 0, content.length, 0);
    await handle.truncate(content.length);
    // Before the journal forgets it.
    if (durable) await handle.sync();
  } finally {
    await handle.close();
  }
}

async function readIfPresent(file: string): Promise<Buffer | undefined> {
  return readFile(file).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  });
}

/** Like `realpath`, but the last link may point to nothing yet. */
export async function resolveLinks(file: string): Promise<string> {
  try {
    return await realpath(file);
  } catch {
    const target = await readlink(file).catch(() => undefined);
    return target === undefined ? file : path.resolve(path.dirname(file), target);
  }
}
