import { once } from 'node:events';
import { createServer } from 'node:net';
import { StartProblem } from './start-problem.ts';

/** Ports on this machine's loopback; the service's own environment variables change them. */
const settings = {
  service: { name: 'WAYMAKER_SERVICE_PORT', usual: 8787 },
  mailbox: { name: 'WAYMAKER_MAILBOX_PORT', usual: 8025 },
} as const;

export interface Ports {
  service: number;
  mailbox: number;
}

/** The ports that are wanted; rejects with a StartProblem that says which is none, or taken, and by what it is changed. */
export async function wantedPorts(environment: NodeJS.ProcessEnv): Promise<Ports> {
  const ports: Ports = { service: wanted('service', environment), mailbox: wanted('mailbox', environment) };
  for (const kind of ['service', 'mailbox'] as const) {
    const port = ports[kind];
    const { name } = settings[kind];
    if (!(await isFree(port))) {
      throw new StartProblem(
        `Port ${port} of this machine is taken by another program, perhaps by an \`npm start\`. Choose another one: ${command(`${name}=${await freePortAfter(port)}`, environment)}`,
      );
    }
  }
  return ports;
}

async function freePortAfter(port: number): Promise<number> {
  let next = port;
  do next = next === 65_535 ? 1024 : next + 1;
  while (!(await isFree(next)));
  return next;
}

/** sudo keeps what is set behind it, not before it. */
const command = (setting: string, environment: NodeJS.ProcessEnv) =>
  `${environment['SUDO_UID'] === undefined ? '' : 'sudo '}${setting} npm start`;

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
