import { readdir } from 'node:fs/promises';
import { afterAll, beforeEach } from 'vitest';
import type { Gateway } from '../../lab/gateway/gateway.ts';
import { alwaysCurrent } from './always-current.ts';
import { createHelperLab, isDisconnected, type HelperLab, type HelperLabOptions } from './helper-lab.ts';

/**
 * For each test of a file a laboratory with a helper that runs and has nothing set up. To make one takes a second, so
 * that of the test before is taken where it is as it was made: its gateways were left alone, and its helper, or a new
 * one where that does not run any more, puts the network back as it was found.
 */
export function helperLabForEach(options?: Pick<HelperLabOptions, 'engine'>): HelperLab {
  let current: HelperLab | undefined;
  let isUsed = false;

  /** A gateway of which it is known whether anybody stopped or restarted it. */
  function watched(gateway: Gateway): Gateway {
    const used = <Value>(outcome: Value): Value => {
      isUsed = true;
      return outcome;
    };
    return {
      ...gateway,
      start: (settings) => used(gateway.start(settings)),
      stop: () => used(gateway.stop()),
      restart: (settings) => used(gateway.restart(settings)),
      kill: () => used(gateway.kill()),
    };
  }

  async function isAsMade(net: HelperLab): Promise<boolean> {
    if (isUsed) return false;
    net.letClientsGo();
    if (!net.isUsual()) {
      await net.end('SIGKILL');
      await net.start();
    }
    const client = await net.attach();
    if (!(await isDisconnected(client))) return false;
    net.letClientsGo();
    const left = await Promise.all([readdir(net.stateDirectory), net.proxies(), net.engines()]);
    const isSame = left.flat().length === 0 && (await net.lab.user.snapshot()) === net.initialSnapshot;
    // Last, because what was logged before the answer may be read after it.
    net.forgetLog();
    return isSame;
  }

  beforeEach(async () => {
    if (current && (await isAsMade(current))) return;
    await current?.[Symbol.asyncDispose]();
    isUsed = false;
    const made = await createHelperLab(options);
    const { gateway, untrustedGateway } = made.lab;
    const lab = { ...made.lab, gateway: watched(gateway), untrustedGateway: watched(untrustedGateway) };
    current = { ...made, lab };
    await current.start();
  });

  afterAll(async () => {
    await current?.[Symbol.asyncDispose]();
  });

  return alwaysCurrent(() => current);
}
