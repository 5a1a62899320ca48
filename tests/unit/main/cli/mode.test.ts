import { expect, test } from 'vitest';
import type { PreferencesReply } from '#shared/host/contract.ts';
import { createSay } from '#shared/texts/say.ts';
import { CommandProblem, type CommandContext } from '../../../../src/main/cli/command-context.ts';
import { mode, type ModeName } from '../../../../src/main/cli/commands/mode.ts';

/** What `waymaker mode` ends with if the preferences are answered like this. */
async function problemOf(wanted: ModeName, reply: PreferencesReply): Promise<unknown> {
  const before = {
    routing: 'global',
    killSwitch: false,
    localNetwork: false,
    addresses: { policy: 'include', countries: ['cn'], prefixes: [] },
  };
  const client = {
    tunnel: { snapshot: () => Promise.resolve({ state: 'disconnected' }) },
    preferences: { get: () => Promise.resolve(before), set: () => Promise.resolve(reply) },
  };
  const context = {
    say: createSay('en', 'linux'),
    core: () => Promise.resolve({ client }),
  } as unknown as CommandContext;
  return await mode(context, { mode: wanted, items: [], isExcept: false }).catch((error: unknown) => error);
}

const network = { kind: 'network' } as const;
const refused = { kind: 'service', code: 503, msg: 'Back in a minute.' } as const;

test.each([
  ['auto', network, 'Failed to get PAC config'],
  ['ip', network, 'Setting route failed'],
  // Specification §8: other codes are told in the service's words.
  ['auto', refused, refused.msg],
  ['ip', refused, refused.msg],
  ['auto', { ...refused, msg: '' }, 'Failed to get PAC config'],
] as const)('mode %s without lists for it: %j', async (wanted, failure, message) => {
  const problem = await problemOf(wanted, { ok: false, error: 'no-lists', failure });
  expect(problem).toBeInstanceOf(CommandProblem);
  expect(problem).toMatchObject({ code: 'no-lists', message });
});

test.each(['auto', 'ip'] as const)('mode %s before anybody has signed in says so', async (wanted) => {
  const problem = await problemOf(wanted, {
    ok: false,
    error: 'no-lists',
    failure: { kind: 'unauthorized' },
  });
  expect(problem).toMatchObject({ exitCode: 3, code: 'not-signed-in' });
  expect(String(problem)).toContain('waymaker sign-in');
});
