import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, withoutRoot } from '../fixtures.ts';
import { test } from '../support/command-line/command-line-fixture.ts';

/** `waymaker reset`, for users who want to leave nothing of theirs behind. */

test.skip(withoutRoot, 'the laboratory needs root');

test('reset asks first; then the user’s files, the sign-in and the tunnel are gone', async ({
  signedInCommandLine: commandLine,
  directory,
  lab,
  networkBefore,
}) => {
  const { run, json, succeed } = commandLine;
  const profile = path.join(directory, 'app');
  await succeed(['connect']);
  const refused = await run(['reset'], { input: 'no\n' });
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain(profile);
  expect(await json(['status'])).toMatchObject({ signedIn: true, tunnel: { state: 'connected' } });

  expect(await succeed(['reset', '--yes'])).toContain(profile);
  expect(existsSync(profile)).toBe(false);
  await expect.poll(() => lab.user.snapshot()).toBe(networkBefore);
  expect(await json(['status'])).toMatchObject({ signedIn: false });
});
