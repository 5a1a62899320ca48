import type { MiniAppType } from '#shared/entities.ts';
import { MiniAppsRoute } from '../routes/desktop/mini-apps-route.ts';
import { Tabs } from '../routes/frame/tabs.ts';
import { expectSaid } from '../support/service/announcements.ts';
import { connectTo } from '../support/tunnel/connect.ts';
import { texts } from '../support/screens/texts.ts';
import { deliverToPage } from './open-webview.ts';
import { expect } from './webview-fixtures.ts';
import { keepPagesHere } from './kept-pages.ts';
import { casesOf } from '../../lab/runs/thoroughness.ts';

const test = keepPagesHere();

/** Of which type a mini-app is makes no difference to whether its link is a good one. */
const types = casesOf<MiniAppType>({ usual: ['native'], all: ['browser', 'webkit', 'native'] });

test.describe('hostile content in a webview', () => {
  test('forged messages change nothing, and bad links of mini-apps are not even handed to the app', async ({
    signInInApp,
  }) => {
    const { app, page } = await signInInApp('android');
    const connect = await connectTo(page);
    const forged = JSON.stringify({
      jsonrpc: '2.0',
      method: 'tunnel.stateChanged',
      params: [{ state: 'disconnected', reason: 'engine-failed' }],
    });
    await test.step('messages of other frames and windows, and words that are no state, change nothing', async () => {
      await page.evaluate((text) => {
        // As from another window, from a frame of the same origin, and from one of none.
        window.postMessage(text, '*');
        window.postMessage(JSON.parse(text), '*');
        const frame = document.createElement('iframe');
        document.body.append(frame);
        (frame.contentWindow as unknown as { parent: Window }).parent.postMessage(text, '*');
        window.dispatchEvent(new MessageEvent('message', { data: text, origin: 'https://evil.example' }));
      }, forged);
      const nonsense = [
        { state: 'connected', gateway: { host: '<img src=x onerror=alert(1)>', port: 443 } },
        { state: 'up' },
        null,
        'disconnected',
      ];
      for (const payload of nonsense) {
        await deliverToPage(
          page,
          JSON.stringify({ jsonrpc: '2.0', method: 'tunnel.stateChanged', params: [payload] }),
        );
      }
      await expect(connect.status('connect.connected')).toBeVisible();
      // The same words from the app itself are heard: the page does listen. When it next asks the app, which may be at
      // once, they are over.
      const { tunnel } = app.handlers;
      const { snapshot } = tunnel;
      tunnel.snapshot = () => new Promise(() => undefined);
      await deliverToPage(page, forged);
      await expect(connect.says('reason.engineFailed')).toBeVisible();
      tunnel.snapshot = snapshot;
      expect(app.state().state).toBe('connected');
    });

    await test.step('links of mini-apps that run, show files or carry credentials are not even handed to the app', async () => {
      const links = [
        'javascript:alert(1)',
        'file:///etc/passwd',
        'intent://x#Intent;end',
        'myapp://room/7',
        'https://a:b@evil.example/',
      ];
      const items = links.flatMap((link, index) =>
        types.map((type) => ({
          id: `${type}-${index}`,
          name: `<img src=x onerror=alert(1)> ${type} ${index}`,
          type,
          link,
          icon: 'https://evil.example/pixel.png',
          priority: 1,
          requireLabels: [],
        })),
      );
      const asked: string[] = [];
      page.on('request', (request) => asked.push(request.url()));
      page.on('dialog', () => asked.push('dialog'));
      await page.route('**/api/my-apps', (route) =>
        route.fulfill({ json: { code: 0, msg: '', data: { items } } }),
      );
      await new Tabs(page).miniApps.click();
      const miniApps = new MiniAppsRoute(page);
      await expect(miniApps.tiles).toHaveCount(items.length);
      for (const { name } of items) {
        const refused = texts.en['miniApps.openFailed'].replace('{{name}}', () => name);
        await expectSaid(page, refused, () => miniApps.tile(name).click());
      }
      expect(app.opened).toEqual([]);
      expect(asked.filter((url) => /evil|dialog/.test(url))).toEqual([]);
      expect(await page.locator('img').count()).toBe(0);
    });
  });

  test('an app that answers nonsense gets a page that says so, not an empty one', async ({ openInApp }) => {
    const { page } = await openInApp('android', {
      answer: () => async (text) =>
        JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(text).id, result: '<script>' }),
    });
    await expect(page.getByRole('heading', { name: texts.en['crash.title'] })).toBeVisible();
  });
});
