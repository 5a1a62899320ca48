import { chown, mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { HelperLab } from '../helper-lab.ts';
import { attach, type TestClient } from './test-client.ts';

/** Carries what comes to its own socket on to the helper's. */
export const relay = `
  const { connect, createServer } = require('node:net');
  const [, helper, own] = process.argv;
  createServer({ allowHalfOpen: true }, (client) => {
    const upstream = connect({ path: helper, allowHalfOpen: true });
    const end = () => { client.destroy(); upstream.destroy(); };
    for (const socket of [client, upstream]) socket.on('error', end).on('close', end);
    client.pipe(upstream).pipe(client);
  }).listen(own, () => console.log('relaying'));`;

export const asUser = (uid: number) => [`--reuid=${uid}`, `--regid=${uid}`, '--clear-groups', '--'];

let serial = 0;

/**
 * A socket on which whoever connects is that user to the helper; `under`: what the program runs under that they ask by.
 */
export async function socketOf(
  net: Pick<HelperLab, 'lab' | 'socket'>,
  uid: number,
  under: readonly string[] = [],
): Promise<string> {
  const directory = path.join(net.lab.directory, `user-${uid}-${(serial += 1)}`);
  await mkdir(directory);
  await chown(directory, uid, uid);
  const own = path.join(directory, 'relay.sock');
  const argv = ['setpriv', ...asUser(uid), ...under, process.execPath, '-e', relay, net.socket, own];
  await net.lab.user.spawnUntil(argv, /relaying/);
  return own;
}

/** By laboratory, the sockets of those who have asked: a process for each client would cost more than what it asks. */
const sockets = new WeakMap<HelperLab['lab'], Map<string, Promise<string>>>();

/** A client of the helper as that user; root is this process. */
export async function attachAs(
  net: Pick<HelperLab, 'lab' | 'socket'>,
  uid: number,
  under: readonly string[] = [],
): Promise<TestClient> {
  const known = sockets.get(net.lab) ?? new Map<string, Promise<string>>();
  sockets.set(net.lab, known);
  const key = JSON.stringify([uid, under]);
  const found = known.get(key) ?? socketOf(net, uid, under);
  known.set(key, found);
  return await attach(await found);
}

/** Two users' clients of a helper that is started anew for them. */
export async function attachTwoUsers(net: HelperLab): Promise<[TestClient, TestClient]> {
  const users = [64_950, 64_951] as const;
  await net.end('SIGTERM');
  await net.start({ args: users.flatMap((uid) => ['--allow-user', String(uid)]) });
  return await Promise.all([attachAs(net, users[0]), attachAs(net, users[1])]);
}
