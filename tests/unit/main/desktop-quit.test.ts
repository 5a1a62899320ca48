import { describe, expect, test } from 'vitest';
import { defaultPreferences } from '#shared/host/preferences.ts';
import { createSay } from '#shared/texts/say.ts';
import { createQuit } from '../../../src/main/desktop-quit.ts';
import { createBehaviour } from '../../../src/main/preferences/behaviour.ts';
import { createMemorySettings } from './support/memory-settings.ts';
import { address, handshaking, setUp } from './support/tunnel-controller.ts';

/** What quitting does to a connection that is asked for in the same moment. */

/** An app whose settings are those of its first start, and that would be asked nothing. */
async function setUpQuit(leave: () => Promise<void> = () => Promise.resolve()) {
  const made = await setUp();
  const quit = createQuit({
    core: {
      tunnel: made.controller,
      preferences: { get: () => defaultPreferences },
      behaviour: createBehaviour({ settings: createMemorySettings(), knowsNetworks: false }),
    },
    say: createSay('en', 'linux'),
    ask: () => Promise.reject(new Error('asks something')),
    leave,
  });
  return { ...made, quit };
}

describe('an app that ends', () => {
  test('connects to nothing that was asked for just before', async () => {
    const { tunnel, who, quit, commands } = await setUpQuit();
    const { promise, resolve } = Promise.withResolvers<undefined>();
    who.refusal = promise;
    const asked = tunnel.connect({ address });
    await quit();
    resolve(undefined);
    await asked;
    expect(await tunnel.snapshot(undefined)).toEqual({ state: 'disconnected' });
    expect(commands()).toEqual([]);
  });

  test('connects to nothing that is asked for meanwhile', async () => {
    const { tunnel, quit, commands } = await setUpQuit();
    await quit();
    expect(await tunnel.connect({ address })).toEqual({ ok: false, error: 'unavailable' });
    expect(commands()).toEqual([]);
  });

  test('ends a connection that has begun', async () => {
    const { tunnel, quit, commands, settled } = await setUpQuit();
    await tunnel.connect({ address });
    await settled(handshaking);
    await quit();
    expect(commands().at(-1)).toEqual({ method: 'disconnect', params: {} });
  });
});

test('an app that could not end connects again', async () => {
  const { tunnel, quit, settled } = await setUpQuit(() => Promise.reject(new Error('it stays')));
  await expect(quit()).rejects.toThrow('it stays');
  expect(await tunnel.connect({ address })).toEqual({ ok: true });
  await settled(handshaking);
});
