import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ProxyCredentials, ProxyProtocol } from '#shared/helper/protocol.ts';
import type { Lab } from '../lab.ts';
import { endProcess } from '../runs/process.ts';
import { addresses } from './addresses.ts';

export const proxyPorts = { http: 3128, socks5: 1080 } as const satisfies Record<ProxyProtocol, number>;

/**
 * Starts a proxy on the user's router, and makes it the only way out until it is disposed: whatever else the user's
 * machine sends beyond the router vanishes. Debian's tinyproxy or microsocks.
 */
export async function startOnlyProxy(
  { internet, directory }: Pick<Lab, 'internet' | 'directory'>,
  protocol: ProxyProtocol,
  credentials?: ProxyCredentials,
): Promise<AsyncDisposable> {
  const { ipv4 } = addresses.router;
  await internet.run(['nft', '-f', '-'], {
    input: `table inet only_proxy {
      chain forward {
        type filter hook forward priority filter
        iifname user0 drop
      }
    }`,
  });
  const port = proxyPorts[protocol];
  const untilListening = [
    'sh',
    '-c',
    `{ until ss -Hltn | grep -q ':${port} '; do sleep 0.05; done; echo ready; } & exec "$@"`,
    'sh',
  ];
  const command = protocol === 'http' ? await tinyproxy() : microsocks();
  const child = await internet.spawnUntil(
    ['setpriv', '--pdeathsig', 'KILL', '--', ...untilListening, ...command],
    /ready/,
  );
  return {
    async [Symbol.asyncDispose]() {
      await endProcess(child);
      await internet.run(['nft', 'delete', 'table', 'inet', 'only_proxy']);
    },
  };

  async function tinyproxy(): Promise<string[]> {
    const file = path.join(directory, 'tinyproxy.conf');
    const lines = [
      `Port ${proxyPorts.http}`,
      `Listen ${ipv4}`,
      'Timeout 600',
      ...(credentials ? [`BasicAuth ${credentials.username} ${credentials.password}`] : []),
    ];
    await writeFile(file, `${lines.join('\n')}\n`);
    return ['tinyproxy', '-d', '-c', file];
  }

  function microsocks(): string[] {
    const who = credentials ? ['-u', credentials.username, '-P', credentials.password] : [];
    return ['microsocks', '-i', ipv4, '-p', String(proxyPorts.socks5), ...who];
  }
}
