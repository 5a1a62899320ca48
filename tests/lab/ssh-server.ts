import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Machine } from './machine.ts';
import { run, words } from './process.ts';

export interface SshServer {
  /** Arguments of ssh(1) that sign a client in, who takes no other server for this one. */
  readonly clientOptions: readonly string[];
}

/** An SSH server on an address of a machine, known by `name`; it and its keys end with the laboratory. */
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
  // Root's home is another in the server's eyes only.
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
