import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { ControlClient } from '#shared/control/contract.ts';
import type { Say } from '#shared/texts/say.ts';
import type { ActiveRouting } from '#shared/tunnel/state.ts';
import { isAppRouted } from './expected-way.ts';
import { finding, type Finding } from './finding.ts';
import { limitMs } from './remote-services.ts';

interface GroupCheckOptions {
  routing: Extract<ActiveRouting, { mode: 'app' }>;
  service: { host: string; port: number };
  client: ControlClient;
  isFromTunnel: (address: string) => boolean;
  say: Say;
}

/**
 * A program on the same runtime that connects when it is told where, and reports its local address. It is moved before
 * it opens anything.
 */
const program = `process.once('message', ({ host, port, limitMs }) => {
  const socket = require('node:net').connect({ host, port });
  const end = (address) => process.send(address, () => process.exit());
  socket.once('connect', () => end(socket.localAddress));
  socket.once('error', () => end(null));
  setTimeout(() => end(null), limitMs);
});`;

/** Starts a real program, puts it into the chosen group, and checks whether its traffic goes the same way. */
export async function checkGroup(options: GroupCheckOptions): Promise<Finding> {
  const { routing, service, client, isFromTunnel, say } = options;
  const expected = isAppRouted(routing, true);
  if (expected === undefined) return { check: 'group', outcome: 'unknown' };
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  child.on('error', () => undefined);
  try {
    if (child.pid === undefined || (await client.routedApps.admit({ pid: child.pid })) !== 'admitted')
      return finding('group', false, say('doctor.groupRefused'));
    const reply = once(child, 'message', { signal: AbortSignal.timeout(2 * limitMs) });
    child.send({ ...service, limitMs });
    const [address] = (await reply) as unknown[];
    if (typeof address !== 'string') return finding('group', false, say('doctor.groupSilent'));
    return finding('group', isFromTunnel(address) === expected, say('doctor.groupWrong', { address }));
  } catch {
    return finding('group', false, say('doctor.groupSilent'));
  } finally {
    child.kill('SIGKILL');
  }
}
