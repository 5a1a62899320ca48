import type { ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { addresses } from './addresses.ts';
import type { Gateway } from './gateway.ts';
import type { Machine } from './machine.ts';
import { eventually, words } from './process.ts';

/** Either may come first: a slow DTLS handshake does not hold the configuration up for ever. */
const configuredWithDtls = /^(?=[^]*Configured as )(?=[^]*Established DTLS connection)/;

/**
 * Debian's openconnect with its stock vpnc-script, signing in with name and password as its users do; resolves
 * when the tunnel is configured and DTLS is up, rejects if openconnect ends before. SIGINT ends it in good order.
 */
export async function startOpenconnect(
  machine: Machine,
  gateway: Pick<Gateway, 'name' | 'port' | 'authorityFile'>,
  user: { name: string; password: string },
): Promise<ChildProcess> {
  const client = [
    'openconnect',
    ...words('--non-inter --passwd-on-stdin'),
    `--user=${user.name}`,
    `--cafile=${gateway.authorityFile}`,
    `https://${gateway.name}:${gateway.port}`,
  ];
  // A here-document, not a pipe, so that the process started is openconnect itself and takes the signals.
  const started = await machine.spawnUntil(
    ['sh', '-c', 'exec "$@" <<END\n$LAB_PASSWORD\nEND', 'sh', ...client],
    configuredWithDtls,
    { env: { ...process.env, LAB_PASSWORD: user.password } },
  );
  // The script is run after that line; it is done when the route is there and openconnect has no child.
  await eventually('vpnc-script is done', async () => {
    const route = await machine.run(['ip', 'route', 'get', addresses.echo.ipv4]);
    const children = await readFile(`/proc/${started.pid}/task/${started.pid}/children`, 'utf8');
    return (route.includes('dev tun') && children === '') || undefined;
  });
  return started;
}
