import { once } from 'node:events';
import { createServer } from 'node:net';
import { startAsRoot } from './root-command.ts';
import { StartProblem } from './start-problem.ts';

/** Ports on this machine's loopback, which the service's own environment variables change. */
const settings = {
  service: { name: 'WAYMAKER_SERVICE_PORT', usual: 8787 },
  mailbox: { name: 'WAYMAKER_MAILBOX_PORT', usual: 8025 },
} as const;

export interface Ports {
  service: number;
  mailbox: number;
}

/**
 * The requested ports; rejects with a StartProblem that says which one is invalid, or which are in use and which
 * command uses free ones.
 */
export async function wantedPorts(environment: NodeJS.ProcessEnv): Promise<Ports> {
  const ports: Ports = { service: wanted('service', environment), mailbox: wanted('mailbox', environment) };
  const free = { ...ports };
  const taken: number[] = [];
  for (const kind of ['service', 'mailbox'] as const) {
    const isDouble = kind === 'mailbox' && ports.mailbox === ports.service;
    if (!isDouble && (await isFree(ports[kind]))) continue;
    taken.push(ports[kind]);
    free[kind] = await freePortAfter(ports[kind], free);
  }
  if (taken.length === 0) return ports;
  const list = [...new Set(taken)].join(' and ');
  throw new StartProblem(
    taken.length === 1
      ? `Port ${list} of this machine is taken by another program. Choose another one: ${command(free, environment)}`
      : `Ports ${list} of this machine are taken, perhaps by \`npm start\` in another clone. Choose others: ${command(free, environment)}`,
  );
}

async function freePortAfter(port: number, others: Ports): Promise<number> {
  let next = port;
  do next = next === 65_535 ? 1024 : next + 1;
  while (Object.values(others).includes(next) || !(await isFree(next)));
  return next;
}

/** With all settings that differ from the defaults: the next command does not inherit them. */
function command(ports: Ports, environment: NodeJS.ProcessEnv): string {
  const set = (['service', 'mailbox'] as const)
    .filter((kind) => ports[kind] !== settings[kind].usual)
    .map((kind) => `${settings[kind].name}=${ports[kind]}`);
  return environment['SUDO_UID'] === undefined
    ? [...set, 'npm start'].join(' ')
    : startAsRoot(environment, set);
}

function wanted(kind: keyof typeof settings, environment: NodeJS.ProcessEnv): number {
  const { name, usual } = settings[kind];
  const text = environment[name]?.trim() ?? '';
  const port = text === '' ? usual : Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new StartProblem(`${name}: must be a port, 1 to 65535`);
  }
  return port;
}

export async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  server.listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  const closed = once(server, 'close');
  server.close();
  await closed;
  return true;
}
