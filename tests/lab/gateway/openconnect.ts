import type { ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { addresses } from '../network/addresses.ts';
import type { Gateway } from './gateway.ts';
import type { Machine } from '../machine/machine.ts';
import { eventually, words } from '../runs/process.ts';

/** In any order: a slow DTLS handshake does not delay the configuration for ever. */
const configuredWithDtls = /^(?=[^]*Configured as )(?=[^]*Established DTLS connection)/;

type GatewayAddress = Pick<Gateway, 'name' | 'port' | 'authorityFile'>;

interface Password {
  readonly name: string;
  readonly password: string;
}

/** The result of a sign-in, for later use: openconnect(8), `--authenticate`. */
interface Session {
  readonly cookie: string;
  readonly fingerprint: string;
  /** The gateway's name and the verified address, for `--resolve`. */
  readonly resolve: string;
}

export type Credentials = Password | Session;

/** Arguments for signing in with name and password, which is read from standard input. */
const withPassword = (gateway: GatewayAddress, name: string) => [
  ...words('--non-inter --passwd-on-stdin'),
  `--user=${name}`,
  `--cafile=${gateway.authorityFile}`,
];

const withSession = ({ fingerprint, resolve }: Session) => [
  '--cookie-on-stdin',
  `--servercert=${fingerprint}`,
  `--resolve=${resolve}`,
];

const url = (gateway: GatewayAddress) => `https://${gateway.name}:${gateway.port}`;

/** Signs in without a tunnel. */
export async function signIn(
  machine: Machine,
  gateway: GatewayAddress,
  { name, password }: Password,
): Promise<Session> {
  const output = await machine.run(
    ['openconnect', '--authenticate', ...withPassword(gateway, name), url(gateway)],
    { input: `${password}\n` },
  );
  const value = (variable: string) => {
    const [, text] = new RegExp(`^${variable}='(.*)'$`, 'm').exec(output) ?? [];
    if (text === undefined) throw new Error(`openconnect --authenticate told no ${variable}`);
    return text;
  };
  return { cookie: value('COOKIE'), fingerprint: value('FINGERPRINT'), resolve: value('RESOLVE') };
}

/**
 * Debian's openconnect with its stock vpnc-script, with name and password as its users start it, or with a session.
 * Resolves when the tunnel is configured and DTLS is up; rejects if openconnect ends before. SIGINT ends it cleanly.
 */
export async function startOpenconnect(
  machine: Machine,
  gateway: GatewayAddress,
  credentials: Credentials,
): Promise<ChildProcess> {
  const isSession = 'cookie' in credentials;
  const options = isSession ? withSession(credentials) : withPassword(gateway, credentials.name);
  const secret = isSession ? credentials.cookie : credentials.password;
  // A here-document, not a pipe, so that the started process is openconnect itself and receives the signals.
  const started = await machine.spawnUntil(
    ['sh', '-c', 'exec "$@" <<END\n$LAB_SECRET\nEND', 'sh', 'openconnect', ...options, url(gateway)],
    configuredWithDtls,
    { env: { ...process.env, LAB_SECRET: secret } },
  );
  // The script runs after that line; it is done when the route exists and openconnect has no child.
  await eventually('vpnc-script is done', async () => {
    const route = await machine.run(['ip', 'route', 'get', addresses.echo.ipv4]);
    const children = await readFile(`/proc/${started.pid}/task/${started.pid}/children`, 'utf8');
    return (route.includes('dev tun') && children === '') || undefined;
  });
  return started;
}
