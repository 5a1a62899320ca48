import { afterEach, beforeEach, expect, test } from 'vitest';
import { createSay } from '#shared/texts/say.ts';
import type { Core } from '../../../../src/main/core/core.ts';
import { createDesktopTray } from '../../../../src/main/desktop-tray.ts';
import type { TrayView } from '../../../../src/main/tray/tray-view.ts';
import { createTestSurroundings, type TestSurroundings } from '../support/surroundings.ts';

let around: TestSurroundings;

beforeEach(async () => {
  around = await createTestSurroundings();
  around.answers['/api/translations/waymaker/en'] = {
    'tray.quit': 'Leave Northern Lights',
    'connect.disconnected': 'Off',
    // Without what is to be filled in.
    'tray.tooltip': 'Northern Lights',
  };
});
afterEach(() => around[Symbol.asyncDispose]());

const sayOf = (core: Core) =>
  createSay(
    () => core.language(),
    'linux',
    (language) => core.operatorTexts.of(language),
  );

test('what the operator says is in the tray as soon as a page has asked for it, and after a restart', async () => {
  const core = around.startCore();
  await core.session.load();
  const views: TrayView[] = [];
  createDesktopTray({
    core,
    say: sayOf(core),
    draw: (view) => void views.push(view),
    openWindow: () => undefined,
    quit: () => undefined,
    complain: () => undefined,
  });
  await expect.poll(() => JSON.stringify(views.at(-1))).toContain('Quit Waymaker');
  await core.client.call('translations', { params: { lang: 'en' } });
  await expect.poll(() => JSON.stringify(views.at(-1))).toContain('Leave Northern Lights');
  expect(views.at(-1)?.tooltip).toBe('Waymaker: Off');
  core.close();

  const say = sayOf(around.startCore());
  expect([say('tray.quit'), say('tray.open')]).toEqual(['Leave Northern Lights', 'Open Waymaker']);
});
