import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Machine } from './machine.ts';
import { run, words } from '../runs/process.ts';

export interface SshServer {
  /** Arguments of ssh(1) for a client that signs in and accepts only this server. */
  readonly clientOptions: readonly string[];
}

/**
 * An SSH server on an address of a machine, known by `name`; the server and its keys are removed with the laboratory.
 */
export async function startSshServer(
  machine: Machine,
  directory: string,
  { address, name }: { address: string; name: string },
): Promise<SshServer> {
  const own = await mkdtemp(path.join(directory, 'ssh-'));
  const [home, hostKey, userKey, known] = ['home', 'host-key', 'user-key', 'known-hosts'].map((file) =>
    path.join(own, file),
  ) as [string, string, string, string];
  await mkdir(path.join(home, '.ssh'), { recursive: true, mode: 0o700 });
  const printed = await run(['dropbearkey', '-t', 'ed25519', '-f', hostKey]);
  const publicKey = /^ssh-ed25519 \S+/m.exec(printed)?.[0] ?? '';
  await writeFile(known, `${name} ${publicKey}\n`);
  await run([...words('ssh-keygen -q -t ed25519 -N'), '', '-f', userKey]);
  await run(['cp', `${userKey}.pub`, path.join(home, '.ssh/authorized_keys')]);
  // Only the server sees another home directory for root.
  const script = 'mount --bind "$1" /root && shift && exec dropbear "$@"';
  const options = ['-F', '-E', '-s', '-r', hostKey, '-p', `${address}:22`, '-P', path.join(own, 'pid')];
  await machine.spawnUntil(
    ['unshare', '--mount', 'sh', '-c', script, 'sh', home, ...options],
    /Not backgrounding/,
  );
  return {
    clientOptions: ['-F', 'none', '-i', userKey, '-l', 'root', '-o', `UserKnownHostsFile=${known}`].concat(
      words('-o StrictHostKeyChecking=yes -o BatchMode=yes'),
    ),
  };
}
