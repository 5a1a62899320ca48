import type { Page } from 'playwright/test';
import { expect, test } from '../fixtures.ts';
import { LoginRoute } from '../routes/account/login-route.ts';
import type { DesktopApp } from '../support/host/desktop-app.ts';

/** What pages find under the name of the desktop's transport. */
interface PageHost {
  request(channel: string, input?: unknown): Promise<unknown>;
  subscribe(channel: string, listener: () => void): () => void;
}

const request = (page: Page, channel: string, input?: unknown) =>
  page.evaluate(
    async ([name, argument]) => {
      const host = (globalThis as unknown as { waymakerHost: PageHost }).waymakerHost;
      return await host.request(name, argument).then(
        (value) => ({ value }),
        (error: unknown) => ({ error: error instanceof Error ? error.message : 'no error' }),
      );
    },
    [channel, input] as const,
  );

/** Links that the app hands to the system from now on. */
async function linksFromNow(app: DesktopApp): Promise<() => Promise<readonly string[]>> {
  const before = (await app.externalLinks()).length;
  return async () => (await app.externalLinks()).slice(before);
}

test.describe('the window keeps its pages in', () => {
  test('the page has the host transport, and nothing of Node, no permission, and no frame of another origin', async ({
    keptHere: { page },
  }) => {
    await expect(new LoginRoute(page).heading).toBeVisible();
    const found = await page.evaluate(() =>
      [
        'require',
        'process',
        'module',
        'exports',
        'Buffer',
        'global',
        'electron',
        'ipcRenderer',
        '__dirname',
      ].filter((name) => name in globalThis),
    );
    expect(found).toEqual([]);
    const members = await page.evaluate(() => {
      const { waymakerHost } = globalThis as unknown as { waymakerHost: object };
      return { names: Object.keys(waymakerHost).sort(), frozen: Object.isFrozen(waymakerHost) };
    });
    expect(members).toEqual({ names: ['request', 'subscribe'], frozen: true });
    const inFrame = await page.evaluate(() => {
      const frame = document.createElement('iframe');
      document.body.append(frame);
      return typeof (frame.contentWindow as unknown as { waymakerHost?: unknown }).waymakerHost;
    });
    expect(inFrame).toBe('undefined');
    const violated = await page.evaluate(
      () =>
        new Promise<string>((resolve) => {
          document.addEventListener('securitypolicyviolation', (event) => resolve(event.effectiveDirective));
          const frame = document.createElement('iframe');
          frame.src = 'https://elsewhere.example/';
          document.body.append(frame);
        }),
    );
    expect(violated).toBe('frame-src');
    const states = await page.evaluate(async () => {
      const names = ['geolocation', 'notifications', 'camera', 'microphone', 'midi'];
      const permissions = await Promise.all(
        names.map((name) => navigator.permissions.query({ name: name as PermissionName })),
      );
      return permissions.map(({ state }) => state);
    });
    expect(states).toEqual(['denied', 'denied', 'denied', 'denied', 'denied']);
  });

  test('a known request is answered, and any other is refused without a word of the inside', async ({
    keptHere: { page },
  }) => {
    expect(await request(page, 'app.describe')).toMatchObject({
      value: { kind: 'desktop', hasTunnel: true },
    });
    for (const channel of [
      'no.such',
      'app',
      'app.describe.more',
      'session.changed',
      'constructor.name',
      '__proto__.toString',
      'host',
      'electron-store-get-data',
      '',
    ]) {
      expect(await request(page, channel), channel).toEqual({ error: expect.any(String) });
    }
    const refused: [string, unknown][] = [
      ['storage.get', '../../etc/passwd'],
      ['storage.set', { key: 'a', value: 7 }],
      ['api.call', { name: 'auth', body: { authId: 'x', authCode: '000000', isDevice: false } }],
      ['api.call', { name: 'constructor' }],
      ['tunnel.connect', { address: 'x'.repeat(513) }],
      ['tunnel.disconnect', { reason: 'no-such-reason' }],
    ];
    for (const [channel, input] of refused) {
      expect(await request(page, channel, input), channel).toEqual({ error: expect.any(String) });
    }
    expect(await request(page, 'app.describe')).toMatchObject({ value: { kind: 'desktop' } });

    const told = (await request(page, 'storage.get', 7)) as { error: string };
    expect(told.error).not.toMatch(/\bat \S+:\d+|\/src\/|\/out\/|remote method/);
    const message = await page.evaluate(async () => {
      const host = (globalThis as unknown as { waymakerHost: PageHost }).waymakerHost;
      return await host
        .request('storage.get', () => 'key')
        .then(
          () => 'accepted',
          (error: unknown) => String(error),
        );
    });
    expect(message).toMatch(/could not be cloned/i);
  });

  test('the policy blocks inline script and handlers, foreign script and foreign connections', async ({
    keptHere: { page },
  }) => {
    await expect(new LoginRoute(page).heading).toBeVisible();
    const outcome = await page.evaluate(async () => {
      const violated: string[] = [];
      const connectViolated = new Promise<void>((resolve) => {
        document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => {
          violated.push(effectiveDirective);
          if (effectiveDirective === 'connect-src') resolve();
        });
      });

      const inline = document.createElement('script');
      inline.textContent = 'globalThis.inlineRan = true';
      document.body.append(inline);
      const foreign = document.createElement('script');
      foreign.src = 'https://elsewhere.example/script.js';
      const foreignFailed = new Promise((resolve) => foreign.addEventListener('error', resolve));
      document.body.append(foreign);
      await foreignFailed;
      const fetched = await fetch('https://elsewhere.example/').then(
        () => true,
        () => false,
      );
      await connectViolated;
      return { inlineRan: 'inlineRan' in globalThis, fetched, violated };
    });
    expect(outcome).toMatchObject({ inlineRan: false, fetched: false });
    expect(outcome.violated).toEqual(expect.arrayContaining(['script-src-elem', 'connect-src']));
    // A debugger's evaluation is exempt from the policy; a handler of the page's own is not.
    const evaluated = await page.evaluate(() => {
      const button = document.createElement('button');
      button.setAttribute('onclick', 'globalThis.handlerRan = true');
      document.body.append(button);
      button.click();
      return 'handlerRan' in globalThis;
    });
    expect(evaluated).toBe(false);
  });

  test('no navigation, window.open or second instance moves the page, and only safe web and mail links open outside', async ({
    keptHere: app,
  }) => {
    const { page } = app;
    const opened = await linksFromNow(app);
    const login = new LoginRoute(page);
    await expect(login.heading).toBeVisible();
    const address = page.url();
    const windows = page.context().pages().length;

    await page.evaluate(() => {
      location.href = 'https://elsewhere.example/navigated';
    });
    await expect.poll(opened).toEqual(['https://elsewhere.example/navigated']);
    await page.evaluate(() => {
      window.open('https://elsewhere.example/opened');
    });
    await expect
      .poll(opened)
      .toEqual(['https://elsewhere.example/navigated', 'https://elsewhere.example/opened']);
    await page.evaluate(() => {
      window.open('file:///etc/passwd');
      location.href = 'smb://elsewhere.example/share';
    });
    await page.evaluate(() => {
      window.open('mailto:help@elsewhere.example');
    });
    await expect
      .poll(opened)
      .toEqual([
        'https://elsewhere.example/navigated',
        'https://elsewhere.example/opened',
        'mailto:help@elsewhere.example',
      ]);
    await expect.poll(() => page.context().pages().length).toBe(windows);
    expect(page.url()).toBe(address);
    await expect(login.heading).toBeVisible();

    const later = await linksFromNow(app);
    for (const link of [
      'file:///etc/passwd',
      'javascript:alert(1)',
      'smb://elsewhere.example/share',
      'https://user:secret@elsewhere.example/',
      'not a link',
    ]) {
      expect(await request(app.page, 'app.openExternal', link), link).toEqual({ value: false });
    }
    expect(await request(app.page, 'app.openExternal', 'https://elsewhere.example/')).toEqual({
      value: true,
    });
    expect(await later()).toEqual(['https://elsewhere.example/']);
    await app.startSecondInstance();
    await expect(login.heading).toBeVisible();
  });
});
