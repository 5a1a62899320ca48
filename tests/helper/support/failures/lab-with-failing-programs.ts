import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { alwaysCurrent } from '../always-current.ts';
import { createHelperLab, proxyGone, type HelperLab } from '../helper-lab.ts';
import { interpose, type FailingPrograms } from './failing-programs.ts';

/**
 * One laboratory for the tests of a file, and for each of them a helper whose programs fail as it says. With
 * `isPutBack`, everything has to be as before once the user has disconnected.
 */
export function labWithFailingPrograms({ isPutBack }: { isPutBack: boolean }): {
  net: HelperLab;
  programs: FailingPrograms;
} {
  let net: HelperLab | undefined;
  let programs: FailingPrograms | undefined;
  const here = { net: alwaysCurrent(() => net), programs: alwaysCurrent(() => programs) };

  beforeAll(async () => {
    net = await createHelperLab();
    programs = await interpose(net);
  });

  beforeEach(async () => {
    await here.programs.start();
    await here.programs.plan(undefined);
  });

  afterEach(async () => {
    if (isPutBack) {
      await here.programs.plan(undefined);
      const client = await here.net.attach();
      await client.call('disconnect', {});
      await proxyGone(here.net);
      expect(await here.net.lab.user.snapshot()).toBe(here.net.initialSnapshot);
    }
    await here.net.end('SIGTERM');
  });

  afterAll(async () => {
    await programs?.[Symbol.asyncDispose]();
    await net?.[Symbol.asyncDispose]();
  });

  return here;
}
