import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ProxyCredentials, ProxyProtocol } from '#shared/helper/gateway-session.ts';
import { createCertificate } from '../gateway/certificates.ts';
import type { Lab } from '../lab.ts';
import { endProcess, words } from '../runs/process.ts';
import { addresses } from './addresses.ts';

export const proxyPorts = { http: 3128, https: 8443, socks5: 1080 } as const satisfies Record<
  ProxyProtocol,
  number
>;

/**
 * Starts a proxy on the user's router, and makes it the only way out until it is disposed: whatever else the user's
 * machine sends beyond the router vanishes. Debian's tinyproxy, for `https` with TLS before it and a certificate of the
 * gateway's authority, or microsocks.
 */
export async function startOnlyProxy(
  { internet, directory, gateway }: Pick<Lab, 'internet' | 'directory' | 'gateway'>,
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
  const start = async (port: number, command: readonly string[]) =>
    await internet.spawnUntil(
      [
        ...words('setpriv --pdeathsig KILL -- sh -c'),
        `{ until ss -Hltn | grep -q ':${port} '; do sleep 0.05; done; echo ready; } & exec "$@"`,
        'sh',
        ...command,
      ],
      /ready/,
    );
  const children = [
    protocol === 'socks5'
      ? await start(proxyPorts.socks5, microsocks())
      : await start(proxyPorts.http, await tinyproxy()),
    ...(protocol === 'https' ? [await start(proxyPorts.https, await tlsFront())] : []),
  ];
  return {
    async [Symbol.asyncDispose]() {
      await Promise.all(children.map((child) => endProcess(child)));
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

  async function tlsFront(): Promise<string[]> {
    const authority = gateway.authorityFile;
    const signer = { certificate: authority, key: authority.replace(/\.crt$/, '.key') };
    const { certificate, key } = await createCertificate(directory, signer, ipv4);
    const script = path.join(import.meta.dirname, 'tls-front.ts');
    return [
      process.execPath,
      script,
      ipv4,
      String(proxyPorts.https),
      certificate,
      key,
      String(proxyPorts.http),
    ];
  }

  function microsocks(): string[] {
    const who = credentials ? ['-u', credentials.username, '-P', credentials.password] : [];
    return ['microsocks', '-i', ipv4, '-p', String(proxyPorts.socks5), ...who];
  }
}
