import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { MessageWriter } from '../../../../helper/linux/dns/message-writer.ts';
import { callOnBus } from '../../../../helper/linux/dns/system-bus.ts';
import { isResolvedSet, settingCalls } from '../../../../helper/linux/dns/systemd-resolved.ts';

/**
 * What systemd-resolved 239 lacks, which belongs to RHEL 8: it has no SetLinkDefaultRoute, which came with 240
 * (org.freedesktop.resolve1(5)), and its resolvectl no such command.
 */

let directory: string;
let socket: string;
let bus: Server | undefined;
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'waymaker-bus-'));
  socket = path.join(directory, 'bus');
});
afterEach(async () => {
  bus?.close();
  await rm(directory, { recursive: true, force: true });
});

/** A bus with a service that answers each call, and those for which there is an error with that. */
async function startBus(errors: Readonly<Record<string, string>>): Promise<void> {
  bus = createServer((client) => answer(client, errors));
  await new Promise<void>((resolve) => bus?.listen(socket, resolve));
}

function answer(client: Socket, errors: Readonly<Record<string, string>>): void {
  let bytes = Buffer.alloc(0);
  let isAdmitted = false;
  client.on('data', (more: Buffer) => {
    bytes = Buffer.concat([bytes, more]);
    if (!isAdmitted) {
      const begin = bytes.indexOf('BEGIN\r\n');
      if (begin < 0) return;
      isAdmitted = true;
      client.write('OK 0123456789abcdef0123456789abcdef\r\n');
      bytes = bytes.subarray(begin + 'BEGIN\r\n'.length);
    }
    while (bytes.length >= 16) {
      const size = Math.ceil((16 + bytes.readUInt32LE(12)) / 8) * 8 + bytes.readUInt32LE(4);
      if (bytes.length < size) return;
      const said = bytes.toString('latin1', 0, size);
      const error = Object.entries(errors).find(([member]) => said.includes(`\0${member}\0`))?.[1];
      client.write(reply(bytes.readUInt32LE(8), error));
      bytes = bytes.subarray(size);
    }
  });
}

/** D-Bus specification, "Message Format": METHOD_RETURN or ERROR with REPLY_SERIAL and ERROR_NAME. */
function reply(serial: number, error: string | undefined): Buffer {
  const header = new MessageWriter();
  header.byte('l'.charCodeAt(0)).byte(error === undefined ? 2 : 3);
  header.byte(0).byte(1).uint32(0).uint32(serial);
  const fields: ((to: MessageWriter) => void)[] = [(to) => to.byte(5).signature('u').uint32(serial)];
  if (error !== undefined) fields.push((to) => to.byte(4).signature('s').string(error));
  header.array(fields, 8, (write) => write(header));
  return header.align(8).bytes();
}

const dns = { servers: ['198.51.100.53', '2001:db8::53'], searchDomains: ['corp.example'] };
const unknown = 'org.freedesktop.DBus.Error.UnknownMethod';

test('resolvers are set where systemd-resolved does not know yet what it was asked besides', async () => {
  await startBus({ SetLinkDefaultRoute: unknown, SetLinkDNSOverTLS: unknown });
  await expect(callOnBus(settingCalls(7, dns), socket)).resolves.toBeUndefined();
});

test('what every systemd-resolved knows has to succeed, and so has what this one knows', async () => {
  await startBus({ SetLinkDNS: unknown });
  await expect(callOnBus(settingCalls(7, dns), socket)).rejects.toThrow('SetLinkDNS was refused');
  bus?.close();
  await rm(socket, { force: true });
  await startBus({ SetLinkDefaultRoute: 'org.freedesktop.DBus.Error.AccessDenied' });
  await expect(callOnBus(settingCalls(7, dns), socket)).rejects.toThrow('SetLinkDefaultRoute was refused');
});

/** What resolvectl says of a device; a failure is `undefined`. */
function resolvectl(values: Readonly<Record<string, string | undefined>>, stderr: string) {
  const settings: Record<string, string | undefined> = {
    dns: dns.servers.join(' '),
    domain: '~. corp.example',
    'default-route': 'yes',
    llmnr: 'no',
    mdns: 'no',
    dnsovertls: 'no',
    dnssec: 'no',
    ...values,
  };
  return async (_: string, [setting = '']: readonly string[]) => {
    const value = settings[setting];
    return value === undefined
      ? { status: 1, stdout: '', stderr }
      : { status: 0, stdout: `Link 7 (wm0): ${value}\n`, stderr: '' };
  };
}

test('what resolvectl does not know counts as set, and what it cannot tell does not', async () => {
  expect(await isResolvedSet(resolvectl({}, ''), dns), 'positive control').toBe(true);
  expect(await isResolvedSet(resolvectl({ 'default-route': 'no' }, ''), dns)).toBe(false);
  const none = { 'default-route': undefined };
  for (const said of ['Unknown operation default-route.\n', "Unknown command verb 'default-route'.\n"])
    expect(await isResolvedSet(resolvectl(none, said), dns), said).toBe(true);
  expect(await isResolvedSet(resolvectl(none, 'Failed to get link data: Connection timed out\n'), dns)).toBe(
    false,
  );
  expect(await isResolvedSet(resolvectl({ dns: undefined }, 'Unknown operation dns.\n'), dns)).toBe(false);
});
