import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { processesBeside } from '../../../lab/machine/processes.ts';
import { addresses } from '../../../lab/network/addresses.ts';
import { words } from '../../../lab/runs/process.ts';
import { helperLabForEach } from '../../support/lab-for-each.ts';

/** A user who disconnects just when the connection to the gateway has broken. */

const net = helperLabForEach({ engine: 'own' });

/** One that breaks sooner is not opened anew. */
const hasLastedMs = 10_500;

/** Whether the gateway accepts connections; its workers go on. Its system accepts them in any case. */
function letGateway(does: 'accept' | 'wait'): void {
  const acceptors = processesBeside(net.lab.gatewayMachine.pid).filter(
    ({ name }) => name.startsWith('ocserv') && name !== 'ocserv-worker',
  );
  expect(acceptors.length).toBeGreaterThan(0);
  for (const { pid } of acceptors) process.kill(pid, does === 'accept' ? 'SIGCONT' : 'SIGSTOP');
}

test.each([
  ['is still to be opened again ends the session', 'accept', {}],
  // Traffic stays blocked, but for the gateway.
  [
    'is still to be opened again ends the session, with the kill switch on',
    'accept',
    { reason: 'plan-ended' },
  ],
  ['cannot be opened again leaves the session to the gateway', 'wait', {}],
] as const)('whoever disconnects while a connection that broke %s', async (_what, meanwhile, why) => {
  const session = await net.signIn();
  const client = await net.connect({ session, killSwitch: 'reason' in why });
  await delay(hasLastedMs);
  const seen = client.states.length;
  letGateway('wait');
  try {
    await net.lab.user.run(words(`ss -K state established dst ${addresses.gateway.ipv4} dport = :443`));
    await expect.poll(() => net.log()).toContain('TLS has ended, and is opened anew');
    const left = client.call('disconnect', why);
    // By then the engine has been told.
    await delay(50);
    letGateway(meanwhile);
    await left;
  } finally {
    letGateway('accept');
  }
  expect(client.states.slice(seen).map(({ state }) => state)).not.toContain('connecting');
  const isBlocked = 'reason' in why;
  expect(client.states.at(-1)).toEqual({
    state: 'disconnected',
    ...(isBlocked && { ...why, blocked: true }),
  });
  await client.call('disconnect', {});

  // Whether the gateway still knows the session.
  const before = client.states.length;
  await client.call('connect', net.request({ session }));
  if (meanwhile === 'accept')
    await client.until('connecting', { seen: before, where: ({ phase }) => phase === 'authenticating' });
  else await client.until('connected', { seen: before });
  await client.call('disconnect', {});
});
