import { readdir, readFile, realpath } from 'node:fs/promises';
import { isIPv4 } from 'node:net';
import path from 'node:path';
import type { Dns } from '../../system/ports/dns-port.ts';
import { findProgram, runOrThrow, type RunCommand } from '../../posix/command.ts';
import { tunnelDevice } from '../identifiers.ts';
import { nameserversIn } from './resolv-conf.ts';

/** resolvconf(8): programs that know resolvers submit records, and resolv.conf is generated from all of them. */

/**
 * The name of our record: Debian's interface-order puts it before all physical devices, whose resolvers could not be
 * reached anyway.
 */
export const resolvconfRecord = `tun.${tunnelDevice}`;

/** The directories where Debian's resolvconf and openresolv keep their records. */
const recordDirectories = ['interface', 'interfaces', 'keys'].map((name) => `/run/resolvconf/${name}`);

export const resolvconfFiles = ['/run/resolvconf', ...recordDirectories];

/**
 * openresolv lists resolvers in the order of its records' metrics, and with `-x` only those of such records; it does
 * not know the name of ours. Debian's takes no notice of what follows the name.
 */
const onlyOurs = ['-m', '0', '-x'];

/** What systemd's resolvconf is another name of (resolvectl(1), "Compatibility with resolvconf(8)"). */
const otherNames = ['resolvectl', 'systemd-resolve'];

/** Whether there is a program that keeps records; that of systemd takes their names for those of devices. */
export async function hasResolvconf(find: typeof findProgram = findProgram): Promise<boolean> {
  const file = find('resolvconf');
  if (file === undefined) return false;
  return !otherNames.includes(path.basename(await realpath(file).catch(() => file)));
}

export async function setResolvconf(run: RunCommand, record: string, dns: Dns, file: string): Promise<void> {
  await runOrThrow(run, 'resolvconf', ['-a', record, ...onlyOurs], recordText(dns));
  // It does nothing for a record that it already has, even if the file was changed.
  if (!(await isResolvconfSet(record, dns, file))) await runOrThrow(run, 'resolvconf', ['-u']);
}

/** Whether there is such a record. */
export async function hasResolvconfRecord(record: string): Promise<boolean> {
  const records = await Promise.all(recordDirectories.map((directory) => readText(`${directory}/${record}`)));
  return records.some((text) => text !== undefined);
}

/** The resolvers in all other records. */
export async function otherServersOfResolvconf(record: string): Promise<string[]> {
  const files = await Promise.all(
    recordDirectories.map(async (directory) => {
      const found = await readdir(directory).catch(() => []);
      return found.filter((name) => name !== record).map((name) => `${directory}/${name}`);
    }),
  );
  const texts = await Promise.all(files.flat().map(readText));
  return texts.flatMap((text) => nameserversIn(text ?? ''));
}

/** The record exists, and resolv.conf asks it first, or a resolver on this machine that uses the records. */
export async function isResolvconfSet(record: string, dns: Dns, file: string): Promise<boolean> {
  const records = await Promise.all(recordDirectories.map((directory) => readText(`${directory}/${record}`)));
  if (!records.some((text) => text?.trim() === recordText(dns).trim())) return false;
  const first = /^nameserver\s+(\S+)/m.exec((await readText(file)) ?? '')?.[1];
  return first !== undefined && (first === dns.servers[0] || isLoopback(first));
}

const isLoopback = (address: string) => (isIPv4(address) ? address.startsWith('127.') : address === '::1');

export async function clearResolvconf(run: RunCommand, record: string): Promise<void> {
  if (await hasResolvconf()) await runOrThrow(run, 'resolvconf', ['-d', record]);
}

function recordText({ servers, searchDomains }: Dns): string {
  const lines = [
    ...servers.map((server) => `nameserver ${server}`),
    ...(searchDomains.length > 0 ? [`search ${searchDomains.join(' ')}`] : []),
  ];
  return `${lines.join('\n')}\n`;
}

const readText = (file: string) => readFile(file, 'utf8').catch(() => undefined);
