import { expect, test } from 'vitest';
import { names } from '../../../lab/network/addresses.ts';
import { waitLimit } from '../../../lab/runs/wait-limit.ts';
import { helperLabForEach } from '../../support/lab-for-each.ts';

/** What a real gateway says about a session. */

const net = helperLabForEach({ engine: 'own' });
/** Long enough for whoever is told of it to use it once more. */
const idleSeconds = Math.ceil(waitLimit(3_000) / 1_000);

test('when a session ends and what the gateway has to say are told, and that it is not used before it ends for that', async () => {
  await net.lab.gateway.restart({
    options: [
      'session-timeout = 3600',
      `idle-timeout = ${idleSeconds}`,
      `mobile-idle-timeout = ${idleSeconds}`,
      'banner = "Be kind. 你好"',
      `split-dns = ${names.inside}`,
    ],
  });
  const before = Date.now();
  const client = await net.connect();
  const { terms } = await client.until('connected', { where: (state) => state.terms !== undefined });
  expect(terms).toMatchObject({ message: 'Be kind. 你好' });
  // The gateway counts in whole seconds.
  expect(terms?.endsAt).toBeGreaterThan(before + 3_600_000 - 1_000);
  expect(terms?.endsAt).toBeLessThanOrEqual(Date.now() + 3_600_000);
  expect(net.log()).toContain(`"splitDns":"${names.inside}"`);

  const seen = client.states.length;
  const near = await client.until('connected', {
    seen,
    where: (state) => state.terms?.idleEndsAt !== undefined,
  });
  expect(near.terms?.idleEndsAt).toBeLessThanOrEqual(Date.now() + 1_000 * idleSeconds);
  // Whoever uses it again hears no more of it.
  const unused = client.states.length;
  await net.lab.user.probe.http4('used');
  await client.until('connected', {
    seen: unused,
    where: (state) => state.terms !== undefined && state.terms.idleEndsAt === undefined,
  });
  // And if nobody does, the gateway keeps its word.
  const told = client.states.length;
  await client.until('connected', {
    seen: told,
    where: (state) => state.terms?.idleEndsAt !== undefined,
  });
  await client.until('connecting', { seen: told, limitMs: 60_000 });
});
