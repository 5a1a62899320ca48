import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { chromium } from 'playwright';
import { startDesktopSession } from '../../lab/desktop/desktop-session.ts';
import { startSystemProxy } from '../../unit/main/support/start-system-proxy.ts';
import { expect, test } from '../fixtures.ts';
import { chromiumExecutable, quietArguments } from '../../stand-in/chromium.ts';

/** A PAC file that sends one name to a proxy, and that proxy. */
async function serveProxy() {
  const server = createServer((request, response) => {
    const port = (server.address() as AddressInfo).port;
    if (request.url === '/3f9cd2.pac') {
      response.setHeader('Content-Type', 'application/x-ns-proxy-autoconfig');
      response.end(
        `function FindProxyForURL(url, host) { return host === 'routed.example' ? 'PROXY 127.0.0.1:${port}' : 'DIRECT'; }`,
      );
    } else response.end(`the proxy was asked for ${request.url}`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const pacUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/3f9cd2.pac`;
  return { pacUrl, [Symbol.dispose]: () => server.close().closeAllConnections() };
}

for (const [desktop, own] of [
  ['GNOME', ['gsettings', 'set', 'org.gnome.system.proxy', 'mode', 'none']],
  // A Chromium that finds no ProxyType at its start does not look again (its proxy_config_service_linux.cc).
  ['KDE', ['kwriteconfig5', '--file', 'kioslaverc', '--group', 'Proxy Settings', '--key', 'ProxyType', '0']],
] as const) {
  test(`in ${desktop}, a browser that is running follows the proxy settings there and back`, async () => {
    await using session = await startDesktopSession();
    using served = await serveProxy();
    await mkdir(path.join(session.directory, '.config'), { recursive: true });
    await session.user(...own);
    const proxy = startSystemProxy(desktop, session.run);

    const browser = await chromium.launch({
      // The whole browser: the shell for pages that nobody looks at does not read the desktop's settings.
      executablePath: chromiumExecutable,
      args: [...quietArguments(), '--headless=new'],
      env: { ...process.env, ...session.env, XDG_CURRENT_DESKTOP: desktop, KDE_SESSION_VERSION: '5' },
    });
    try {
      const page = await browser.newPage();
      const visit = async () => {
        try {
          await page.goto('http://routed.example/');
          return await page.locator('body').innerText();
        } catch (error) {
          return String(error);
        }
      };
      const throughProxy = 'the proxy was asked for http://routed.example/';
      expect(await visit()).toContain('ERR_NAME_NOT_RESOLVED');

      expect(await proxy.use(served.pacUrl)).toBe(true);
      await expect.poll(visit).toBe(throughProxy);

      await proxy.restore();
      await expect.poll(visit).toContain('ERR_NAME_NOT_RESOLVED');
    } finally {
      await browser.close();
    }
  });
}
