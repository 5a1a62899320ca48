import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { GatewayForm } from '#shared/host/gateway-form.ts';
import { createSay } from '#shared/texts/say.ts';
import type { Core } from '../../../../src/main/core/core.ts';
import { createDesktopTray } from '../../../../src/main/desktop-tray.ts';
import type { TrayView } from '../../../../src/main/tray/tray-view.ts';
import { ownAddress } from '../support/own-address.ts';
import { createTestSurroundings, type TestSurroundings } from '../support/surroundings.ts';

let around: TestSurroundings;

beforeEach(async () => {
  around = await createTestSurroundings();
  around.answers['/api/translations/waymaker/en'] = {
    'tray.quit': 'Leave Northern Lights',
    'connect.disconnected': 'Off',
    'proxy.username': 'Your name at Northern Lights',
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

test('what the operator says is in the question for a proxy’s password', async () => {
  const before = around.startCore();
  await before.session.load();
  await before.client.call('translations', { params: { lang: 'en' } });
  before.close();

  const proxy = createServer();
  proxy.on('connect', (_, socket) => {
    const refusal = ['HTTP/1.1 407 Who?', 'Proxy-Authenticate: Basic realm="here"', 'Content-Length: 0'];
    socket.end(`${refusal.join('\r\n')}\r\n\r\n`);
  });
  proxy.listen(0, ownAddress());
  await once(proxy, 'listening');
  try {
    const { address, port } = proxy.address() as AddressInfo;
    const core = around.startCore({ all_proxy: `http://${address}:${port}` });
    const forms: (GatewayForm | null)[] = [];
    core.onGatewayForm((form) => void forms.push(form));
    await core.session.load();
    await core.client.call('basicInfo');
    await expect.poll(() => forms.at(-1)?.gateway).toBe(address);
    const labels = forms.at(-1)?.fields.map(({ label }) => label);
    expect(labels).toEqual(['Your name at Northern Lights', 'Password']);
  } finally {
    proxy.close();
  }
});
