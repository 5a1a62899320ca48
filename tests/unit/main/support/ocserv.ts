import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ocservCommand, type OcservVersion } from '../../../lab/gateway/ocserv-versions.ts';
import { endProcess, eventually, run, startUntil } from '../../../lab/runs/process.ts';
import type { TestCertificate } from './test-authority.ts';
import { freePort } from './free-port.ts';

export interface Ocserv {
  readonly port: number;
  /** What it has logged. */
  log(): string;
  stop(): Promise<void>;
}

/** A real ocserv on loopback, good for signing in: nobody ever connects, so it makes no tunnel. */
export async function startOcserv(options: {
  certificate: TestCertificate;
  /** Debian's own if absent. */
  version?: OcservVersion;
  users: Record<string, { password: string; groups?: readonly string[] }>;
  /** Somebody else's password file, in place of one with `users`. */
  passwordFile?: string;
  banner?: string;
  groups?: readonly string[];
  /** Lines of liboath's users.oath: whoever has one is asked for a one-time code after the password. */
  oneTimeCodes?: readonly string[];
  /** Clients show a certificate of this authority (PEM), and give no password if it is `only` that. */
  clientCertificates?: { authority: string; only: boolean };
  /** Further lines of ocserv.conf. */
  lines?: readonly string[];
}): Promise<Ocserv> {
  const directory = await mkdtemp(path.join(tmpdir(), 'waymaker-ocserv-'));
  // Its workers run as nobody and have to reach the sockets in there.
  await chmod(directory, 0o711);
  const file = (name: string) => path.join(directory, name);
  const port = await freePort();
  const passwords = await Promise.all(
    Object.entries(options.users).map(async ([name, { password, groups = [] }]) => {
      const hash = await run(['openssl', 'passwd', '-5', '-stdin'], { input: password });
      return `${name}:${groups.join(',') || '*'}:${hash.trim()}`;
    }),
  );
  await writeFile(file('passwords'), `${passwords.join('\n')}\n`);
  if (options.oneTimeCodes) await writeFile(file('codes'), `${options.oneTimeCodes.join('\n')}\n`);
  await writeFile(file('cert.pem'), options.certificate.certificate);
  await writeFile(file('key.pem'), options.certificate.key);
  const { clientCertificates } = options;
  if (clientCertificates) await writeFile(file('client-authority.pem'), clientCertificates.authority);
  const configuration = [
    ...(clientCertificates
      ? [
          'auth = "certificate"',
          `ca-cert = ${file('client-authority.pem')}`,
          'cert-user-oid = 0.9.2342.19200300.100.1.1',
        ]
      : []),
    ...(clientCertificates?.only
      ? []
      : [
          `auth = "plain[passwd=${options.passwordFile ?? file('passwords')}${options.oneTimeCodes ? `,otp=${file('codes')}` : ''}]"`,
        ]),
    'listen-host = 127.0.0.1',
    `tcp-port = ${port}`,
    'run-as-user = nobody',
    'run-as-group = nogroup',
    'isolate-workers = false',
    `socket-file = ${file('socket')}`,
    `pid-file = ${file('pid')}`,
    `server-cert = ${file('cert.pem')}`,
    `server-key = ${file('key.pem')}`,
    'device = vpns-unit',
    'ipv4-network = 192.0.2.0/24',
    'cookie-timeout = 300',
    'cisco-client-compat = true',
    'max-ban-score = 0',
    ...(options.banner === undefined ? [] : [`banner = "${options.banner}"`]),
    ...(options.groups ?? []).map((group) => `select-group = ${group}`),
    ...(options.lines ?? []),
  ];
  await writeFile(file('ocserv.conf'), `${configuration.join('\n')}\n`);
  const server = await startUntil(
    ocservCommand(options.version ?? 'installed', [
      '--foreground',
      '--debug',
      '3',
      '--config',
      file('ocserv.conf'),
    ]),
    /initialized/i,
  );
  let logged = '';
  for (const stream of [server.stdout, server.stderr])
    stream?.on('data', (chunk) => (logged += String(chunk)));
  await eventually('ocserv listens', () => isListening(port));
  return {
    port,
    log: () => logged,
    async stop() {
      await endProcess(server);
      await eventually('ocserv is gone', () => server.exitCode !== null || undefined);
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function isListening(port: number): Promise<true | undefined> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return undefined;
  } finally {
    socket.destroy();
  }
}
