import { spawn, type ChildProcess } from 'node:child_process';
import { appendFile, mkdir, open, readFile, writeFile } from 'node:fs/promises';
import { endianness } from 'node:os';
import path from 'node:path';
import { createSerialQueue } from '#shared/serial-queue.ts';
import { addresses, names, pools, ports, type AddressPair, type Pool } from '../network/addresses.ts';
import { createCertificate, writeIdentity, type CertificateFiles } from './certificates.ts';
import type { Machine } from '../machine/machine.ts';
import { debianConf, laboratoryConf } from './ocserv-conf.ts';
import { ocservCommand, type OcservVersion } from './ocserv-versions.ts';
import { createOneTimeCodes } from './one-time-codes.ts';
import { endProcess, eventually, run } from '../runs/process.ts';

/** The script that writes ocserv's record of an ended session for the service. */
const recordTraffic = path.resolve(import.meta.dirname, '../../../resources/ocserv/record-traffic');

export interface GatewaySettings {
  /** Which ocserv it is; Debian's own if absent. */
  version?: OcservVersion;
  /** Addresses for clients. */
  pool: Pool;
  /** Whether clients get an IPv6 address too. */
  ipv6: boolean;
  /** Whether DTLS is offered. */
  dtls: boolean;
  /** Where DTLS is offered, if not at the port of TLS. */
  udpPort?: number | undefined;
  /** Seconds between dead peer detections. */
  dpdSeconds: number;
  /** How long a session cookie stays valid after its last use, in seconds. */
  cookieSeconds: number;
  /** The largest packet on the path to the gateway, in bytes; the tunnel's are smaller. 1500 if absent. */
  mtu?: number;
  /** Resolvers that it pushes; if absent, those of its own network. */
  dns?: readonly string[];
  /** Names of groups in the sign-in form; none if absent. */
  groups?: readonly string[];
  /** Whether it asks for a one-time code after the password; see `addOneTimeCodes`. */
  oneTimeCodes?: boolean;
  /** Whether it refuses every password. The service may write those that are right at any time, into another file. */
  knowsNobody?: boolean;
  /** Clients present a certificate of this authority (a PEM file), and give no password if it is `only` that. */
  clientCertificates?: { authority: string; only: boolean } | undefined;
  /** When sessions get new keys; if absent, never during a test. */
  rekey?: Rekey;
  /** Additional lines for ocserv.conf, such as `route = 10.0.0.0/8`. */
  options?: readonly string[];
  /** Starts from Debian's configuration file instead of the laboratory's own settings. */
  debianDefaults?: boolean;
}

/** ocserv's `rekey-time` in seconds, and `rekey-method`: on the same connection, or by a new CONNECT. */
export interface Rekey {
  seconds: number;
  method: 'ssl' | 'new-tunnel';
}

/** A real ocserv. */
export interface Gateway {
  readonly name: string;
  readonly address: AddressPair;
  readonly port: number;
  /** ocserv's password file (ocpasswd(8)): lines of `name:groups:hash`; read at every sign-in. */
  readonly passwordFile: string;
  /** The directory with a file for each session that ended and is not counted yet. */
  readonly trafficSpool: string;
  /** The certificate of the authority that signed the gateway's, PEM. */
  readonly authorityFile: string;
  /** The gateway's own certificate and key. */
  readonly certificate: CertificateFiles;
  /** ocserv's whole log since the laboratory was created. */
  log(): Promise<string>;
  addUser(name: string, password: string, groups?: readonly string[]): Promise<void>;
  /** Gives a user a key for one-time codes; returns a function that generates the next code, like the user's device. */
  addOneTimeCodes(name: string): Promise<() => string>;
  /** Gives it another key, with a certificate of the same authority; from its next start on. */
  renewKey(): Promise<void>;
  /** Starts ocserv, which must not be running; settings that are not given stay the same. */
  start(settings?: Partial<GatewaySettings>): Promise<void>;
  /** Ends ocserv cleanly: it informs its clients. */
  stop(): Promise<void>;
  /** Stops it if it is running, and starts it. */
  restart(settings?: Partial<GatewaySettings>): Promise<void>;
  /** Kills ocserv with all its workers at once, so that nobody is informed. */
  kill(): Promise<void>;
  /** Kills it, and makes it forget its settings, users, sessions and log. */
  reset(): Promise<void>;
}

export interface GatewayIdentity {
  readonly name: string;
  readonly address: AddressPair;
  /** The prefix of its tunnel devices' names. */
  readonly device: string;
  readonly pool: Pool;
}

export const gatewayIdentities = {
  trusted: { name: names.gateway, address: addresses.gateway, device: 'vpns-a', pool: pools.first },
  untrusted: {
    name: names.untrustedGateway,
    address: addresses.untrustedGateway,
    device: 'vpns-b',
    pool: pools.untrusted,
  },
} as const satisfies Record<string, GatewayIdentity>;

const defaults = { ipv6: true, dtls: true, dpdSeconds: 60, cookieSeconds: 300 };

/** A gateway on `machine`, not started yet; all its files are in `directory`. */
export async function createGateway(
  machine: Machine,
  directory: string,
  identity: GatewayIdentity,
): Promise<Gateway> {
  await mkdir(directory, { recursive: true });
  const { authority, certificate } = await writeIdentity(directory, identity.name);
  const file = (name: string) => path.join(directory, name);
  const passwordFile = file('passwords');
  const codesFile = file('one-time-codes');
  const trafficSpool = file('traffic');
  await mkdir(trafficSpool);
  const records = [passwordFile, file('nobody'), codesFile, file('log')];
  await Promise.all(records.map((record) => writeFile(record, '')));
  const unused: GatewaySettings = { ...defaults, pool: identity.pool };
  let settings = unused;
  let server: ChildProcess | undefined;
  /**
   * One after the other, because ocserv takes seconds to stop: after a timeout, a test continues while what follows it
   * restarts the gateway, and one of two concurrent starts would find the address in use.
   */
  const enqueue = createSerialQueue();

  async function start(changes: Partial<GatewaySettings> = {}): Promise<void> {
    if (server && runs(server)) throw new Error(`${identity.name} is running`);
    settings = { ...settings, ...changes };
    const { clientCertificates } = settings;
    const own = [
      ...(clientCertificates
        ? [
            'auth = "certificate"',
            `ca-cert = ${clientCertificates.authority}`,
            'cert-user-oid = 0.9.2342.19200300.100.1.1',
          ]
        : []),
      ...(clientCertificates?.only
        ? []
        : [
            `auth = "plain[passwd=${settings.knowsNobody ? file('nobody') : passwordFile}${settings.oneTimeCodes ? `,otp=${codesFile}` : ''}]"`,
          ]),
      `server-cert = ${certificate.certificate}`,
      `server-key = ${certificate.key}`,
      `pid-file = ${file('pid')}`,
      `disconnect-script = ${recordTraffic}`,
    ];
    const configuration = settings.debianDefaults
      ? [...(await debianConf(settings, identity, directory)), ...own]
      : [...laboratoryConf(settings, identity), `socket-file = ${file('socket')}`, ...own];
    await writeFile(file('ocserv.conf'), `${configuration.join('\n')}\n`);
    const logStart = (await readFile(file('log'))).length;
    // In its own process group, so that `kill` reaches the workers.
    const ocserv = ocservCommand(settings.version ?? 'installed', [
      '--foreground',
      '--debug=2',
      '--config',
      file('ocserv.conf'),
    ]);
    const [command, args] = machine.command(ocserv);
    const logFile = await open(file('log'), 'a');
    const started = spawn(command, args, {
      detached: true,
      stdio: ['ignore', logFile.fd, logFile.fd],
      env: { ...process.env, WAYMAKER_TRAFFIC_SPOOL: trafficSpool },
    });
    await logFile.close();
    server = started;
    await eventually(`${identity.name} listens`, async () => {
      const log = (await readFile(file('log'))).subarray(logStart).toString();
      if (started.exitCode !== null) throw new Error(`ocserv ended with ${started.exitCode}: ${log}`);
      const wanted = settings.dtls ? protocols : (['tcp'] as const);
      const listening = await protocolsInUse(machine, identity.address.ipv4, settings.udpPort);
      return wanted.every((protocol) => listening.has(protocol)) ? true : undefined;
    });
  }

  async function end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const ending = server;
    server = undefined;
    if (ending?.pid === undefined || !runs(ending)) return;
    if (signal === 'SIGKILL') process.kill(-ending.pid, signal);
    await endProcess(ending, signal);
    // A worker that was forked at that moment has the listening socket until it has been killed, too.
    await eventually(`${identity.name} listens no more`, async () =>
      (await protocolsInUse(machine, identity.address.ipv4)).has('tcp') ? undefined : true,
    );
  }

  return {
    name: identity.name,
    address: identity.address,
    port: ports.gateway,
    passwordFile,
    trafficSpool,
    authorityFile: authority.certificate,
    certificate,
    async renewKey() {
      await createCertificate(directory, authority, identity.name);
    },
    log: () => readFile(file('log'), 'utf8'),
    async addUser(name, password, groups = []) {
      const hash = await hashOf(password);
      await appendFile(passwordFile, `${name}:${groups.join(',') || '*'}:${hash}\n`);
    },
    async addOneTimeCodes(name) {
      const codes = createOneTimeCodes();
      await appendFile(codesFile, `${codes.usersFileLine(name)}\n`);
      return codes.next;
    },
    start: (changes) => enqueue(() => start(changes)),
    stop: () => enqueue(() => end('SIGTERM')),
    restart: (changes) =>
      enqueue(async () => {
        await end('SIGTERM');
        await start(changes);
      }),
    kill: () => enqueue(() => end('SIGKILL')),
    reset: () =>
      enqueue(async () => {
        await end('SIGKILL');
        settings = unused;
        await Promise.all(records.map((record) => writeFile(record, '')));
      }),
  };
}

const hashes = new Map<string, Promise<string>>();

/** The same for the same password, since most laboratories have the same users. */
async function hashOf(password: string): Promise<string> {
  const known = hashes.get(password) ?? run(['openssl', 'passwd', '-5', '-stdin'], { input: password });
  hashes.set(password, known);
  return (await known).trim();
}

const runs = ({ exitCode, signalCode }: ChildProcess) => exitCode === null && signalCode === null;

const protocols = ['tcp', 'udp'] as const;

/** The protocols in use at this address on a gateway's ports: its sockets in /proc/net (proc_pid_net(5)). */
async function protocolsInUse(
  machine: Machine,
  address: string,
  udpPort: number = ports.gateway,
): Promise<Set<(typeof protocols)[number]>> {
  const bytes = Buffer.from(address.split('.').map(Number));
  const inHostOrder = endianness() === 'LE' ? bytes.toReversed() : bytes;
  const host = Buffer.from(inHostOrder).toString('hex');
  const portOf = { tcp: ports.gateway, udp: udpPort };
  const inUse = await Promise.all(
    protocols.map(async (protocol) => {
      const local = `${host}:${portOf[protocol].toString(16).padStart(4, '0')}`;
      const sockets = (await readFile(`/proc/${machine.pid}/net/${protocol}`, 'utf8')).split('\n');
      return sockets.some((line) =>
        line.toLowerCase().includes(`: ${local} 00000000:0000 ${waits[protocol]} `),
      );
    }),
  );
  return new Set(protocols.filter((_protocol, index) => inUse[index]));
}

/** The state of a socket that waits for anybody (linux/net/tcp_states.h). */
const waits = { tcp: '0a', udp: '07' };
