import { randomBytes } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { addresses } from './network/addresses.ts';
import { startCapture, type Capture } from './packets/capture.ts';
import { startDelay } from './network/delay.ts';
import type { FarSide } from './network/far-side.ts';
import { createGateway, gatewayIdentities, type Gateway, type GatewaySettings } from './gateway/gateway.ts';
import { createMachine, type Machine } from './machine/machine.ts';
import { setForwarding, wire } from './network/network.ts';
import { createProbes, resolve, type Probes } from './probes/probe.ts';
import { programFile } from './runs/programs.ts';
import { publishPort, type PublishedPort } from './network/publish.ts';
import { labsRoot, machineNames, recordOwner, removeLab, sweepAbandonedLabs } from './machine/registry.ts';
import type { ResolverQuery } from './network/resolver.ts';
import { takeSnapshot } from './machine/snapshot.ts';
import { insideZone, publicZone, type GatewayFamilies } from './network/zones.ts';

export interface LabOptions {
  /** Settings of the gateway; `false` does not start it. */
  gateway?: Partial<GatewaySettings> | false;
  /** The IP versions of the addresses that the gateway's name has; `ipv4` if absent. */
  gatewayFamilies?: GatewayFamilies;
}

export interface UserMachine extends Machine {
  readonly probe: Probes;
  /** The whole network configuration as text; the same network gives the same text. */
  snapshot(): Promise<string>;
  /** The addresses that the machine's own resolver finds for a name, sorted; empty if there are none. */
  resolve(name: string): Promise<string[]>;
  /**
   * The address from which the echo on the internet is asked by IPv4: the machine's own, the gateway's through a tunnel,
   * or undefined if it cannot be asked. The question contains `marker`.
   */
  seenFrom(marker?: string): Promise<string | undefined>;
}

export interface FarMachine extends Machine {
  /** The queries that this side's resolver has received so far, oldest first. */
  queries(): Promise<ResolverQuery[]>;
}

/**
 * A user's machine, an internet and a gateway in network namespaces: dual stack, real ocserv, two resolvers with
 * different answers, and echoes that report the source address that they saw. Needs root; several can exist at the same
 * time. Disposing ends every process inside and leaves nothing behind.
 */
export interface Lab extends AsyncDisposable {
  /** The folder for the laboratory's files; removed with it. */
  readonly directory: string;
  readonly user: UserMachine;
  /** Router, public resolver, echoes, and the place for the service (`names.service`). */
  readonly internet: FarMachine;
  readonly gateway: Gateway;
  /** The machine on which gateways run; its resolver is the VPN's. */
  readonly gatewayMachine: FarMachine;
  /** Another gateway, stopped at first, whose certificate comes from an untrusted authority. */
  readonly untrustedGateway: Gateway;
  /** Captures what passes the user's uplink, starting before this resolves (pcap-filter(7)). */
  capture(filter?: string): Promise<Capture>;
  /** Adds `milliseconds` each way to every packet between the user's machine and the gateway, until disposed. */
  delay(milliseconds: number): Promise<AsyncDisposable>;
  /**
   * Makes a TCP port of `internet` reachable at this machine's 127.0.0.1; without a `port`, or with 0, at a free one.
   */
  publish(inside: { host: string; port: number }, port?: number): Promise<PublishedPort>;
  /** Cuts or restores the wire between the internet and the gateway; packets just vanish, without any notice. */
  setGatewayReachable(reachable: boolean): Promise<void>;
}

export async function createLab(options: LabOptions = {}): Promise<Lab> {
  await sweepAbandonedLabs();
  const id = randomBytes(3).toString('hex');
  const directory = path.join(labsRoot, id);
  // ocserv's unprivileged workers reach their socket through it.
  await mkdir(directory, { recursive: true, mode: 0o755 });
  await recordOwner(directory);
  try {
    return await build(id, directory, options);
  } catch (error) {
    await removeLab(id);
    throw error;
  }
}

async function build(id: string, directory: string, options: LabOptions): Promise<Lab> {
  const families = options.gatewayFamilies ?? 'ipv4';
  const machine = (name: keyof typeof machineNames, resolver: { ipv4: string; ipv6: string }) =>
    createMachine(
      `wm${id}${machineNames[name]}`,
      directory,
      `nameserver ${resolver.ipv4}\nnameserver ${resolver.ipv6}\n`,
    );
  const [user, internet, gatewayMachine] = await Promise.all([
    machine('user', addresses.resolver),
    machine('internet', addresses.resolver),
    machine('gateway', addresses.inside),
  ]);
  await wire({ user, internet, gateway: gatewayMachine });
  const [far, inside, gateway, untrustedGateway] = await Promise.all([
    serveFarSide(internet, directory, {
      zone: publicZone(families),
      resolver: addresses.resolver,
      echoes: [addresses.echo, addresses.direct, addresses.router, addresses.neighbour],
    }),
    serveFarSide(gatewayMachine, directory, {
      zone: insideZone(families),
      resolver: addresses.inside,
      echoes: [addresses.inside],
    }),
    createGateway(gatewayMachine, path.join(directory, 'gateway'), gatewayIdentities.trusted),
    createGateway(gatewayMachine, path.join(directory, 'untrusted'), gatewayIdentities.untrusted),
  ]);
  if (options.gateway !== false) await gateway.start(options.gateway);
  const probe = createProbes(user);
  return {
    directory,
    user: {
      ...user,
      probe,
      snapshot: () => takeSnapshot(user),
      resolve: (name) => resolve(user, name),
      seenFrom: async (marker = 'where') => (await probe.http4(marker))?.address,
    },
    internet: far,
    gateway,
    gatewayMachine: inside,
    untrustedGateway,
    capture: (filter) => startCapture(user, { machine: internet, device: 'user0' }, directory, filter),
    delay: (milliseconds) => startDelay(internet, milliseconds),
    publish: (at, port) => publishPort(internet, directory, at, port),
    setGatewayReachable: (reachable) => setForwarding(internet, reachable),
    [Symbol.asyncDispose]: () => removeLab(id),
  };
}

async function serveFarSide(
  machine: Machine,
  directory: string,
  served: Omit<FarSide, 'queries'>,
): Promise<FarMachine> {
  const queries = path.join(directory, `${machine.namespace}-queries`);
  const script = programFile('tests/lab/network/far-side.ts');
  const farSide: FarSide = { ...served, queries };
  await machine.spawnUntil(
    ['setpriv', '--pdeathsig', 'KILL', '--', process.execPath, script, JSON.stringify(farSide)],
    /serving/,
  );
  return { ...machine, queries: () => readQueries(queries) };
}

async function readQueries(file: string): Promise<ResolverQuery[]> {
  const lines = await readFile(file, 'utf8').catch(() => '');
  return lines
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as ResolverQuery);
}
