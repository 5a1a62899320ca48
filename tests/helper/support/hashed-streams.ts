import path from 'node:path';
import { expect } from 'vitest';
import { addresses } from '../../lab/network/addresses.ts';
import { endProcess, words } from '../../lab/runs/process.ts';
import type { HelperLab } from './helper-lab.ts';

const script = path.resolve(import.meta.dirname, '../../lab/packets/hashed-stream.ts');
const port = '9000';

/** Streams to the echo and back by both versions of IP, at once: what was sent has to arrive. */
export async function exchangeStreams({ lab }: HelperLab, bytes: number): Promise<void> {
  const hosts = [addresses.echo.ipv4, addresses.echo.ipv6];
  const servers = await Promise.all(
    hosts.map((host) =>
      lab.internet.spawnUntil(
        [...words('setpriv --pdeathsig KILL --'), process.execPath, script, 'serve', host, port],
        /ready/,
      ),
    ),
  );
  try {
    const send = (host: string) =>
      lab.user.run([process.execPath, script, 'send', host, port, String(bytes)]);
    expect(await Promise.all(hosts.map(send))).toEqual(['the same\n', 'the same\n']);
  } finally {
    await Promise.all(servers.map((server) => endProcess(server, 'SIGKILL')));
  }
}
