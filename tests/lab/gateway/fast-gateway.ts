import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { addresses } from '../network/addresses.ts';
import type { Machine } from '../machine/machine.ts';
import { endProcess, outputOf, words } from '../runs/process.ts';
import type { FastGatewayArguments } from './fast/program.ts';
import { table } from './fast/port-translation.ts';
import type { Gateway } from './gateway.ts';

/**
 * A gateway that carries packets as our engine does, with large reads and writes and the system's offload, which ocserv
 * does not: a tunnel to it shows what its client can carry. It serves one client at a time, over IPv4.
 */
export interface FastGateway extends AsyncDisposable {
  addUser(name: string, password: string): Promise<void>;
  /** What it has logged so far: sign-ins, tunnels, and which steps of the data path it runs on. */
  log(): string;
  readonly pid: number;
}

/** What ocserv pushes, too: the largest packets that fit into datagrams of a usual link. */
const mtu = 1_434;
/** Of the first pool, whose addresses the machine masquerades where they come from a device with such a name. */
const client = { ipv4: '198.51.100.130', ipv6: '2001:db8:2:100::130' };
const device = 'vpns-fast0';

/** Runs on the gateways' machine, with the address and certificate of `gateway`, which must not be running. */
export async function startFastGateway(
  machine: Machine,
  directory: string,
  gateway: Gateway,
): Promise<FastGateway> {
  const users: { username: string; password: string }[] = [];
  const file = path.join(directory, 'fast-gateway-users');
  const writeUsers = () => writeFile(file, JSON.stringify(users), { mode: 0o600 });
  await writeUsers();
  const given: FastGatewayArguments = {
    ...gateway.certificate,
    users: file,
    address: gateway.address.ipv4,
    port: gateway.port,
    device,
    pushed: { addresses: client, resolvers: [addresses.inside.ipv4, addresses.inside.ipv6], mtu },
  };
  const script = path.join(import.meta.dirname, 'fast/program.ts');
  const server = await machine.spawnUntil(
    [...words('setpriv --pdeathsig KILL --'), process.execPath, script, JSON.stringify(given)],
    /listening/,
  );
  return {
    async addUser(username, password) {
      users.push({ username, password });
      await writeUsers();
    },
    log: () => outputOf(server),
    pid: server.pid ?? 0,
    async [Symbol.asyncDispose]() {
      await endProcess(server, 'SIGKILL');
      await machine.run(words('nft -f -'), { input: `table ip ${table}\ndelete table ip ${table}` });
    },
  };
}
