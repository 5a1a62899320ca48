import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { findBrowser } from '../../../../src/main/programs/linux/browsers.ts';
import { createTunnelBrowser } from '../../../../src/main/programs/tunnel-browser.ts';
import { createTestLog } from '../support/log.ts';

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'waymaker-browser-'));
});

afterEach(async () => {
  await rm(directory, { recursive: true });
});

/** Preferences of a user.js, in the form that Firefox reads. */
function preferencesOf(text: string): Map<string, unknown> {
  return new Map(
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(/^user_pref\((.*)\);$/.exec(line)?.[1]?.replace(/^/, '[').concat(']') ?? ''))
      .map(([name, value]: [string, unknown]) => [name, value]),
  );
}

/** One whose browser is this script. */
const browserOf = () =>
  createTunnelBrowser({
    proxyAddress: () => '127.0.0.1:187',
    findBrowser: () => findBrowser(() => Promise.resolve('firefox-esr.desktop'), { PATH: directory }),
    env: { PATH: directory },
    directory,
    log: createTestLog().log,
  });

const profiles = async () => (await readdir(directory)).filter((name) => name.startsWith('waymaker-window-'));

test('a window of Firefox has a profile with the proxy and no way past it, which ends with the window', async () => {
  const noted = path.join(directory, 'noted.js');
  // In the place of Firefox: keeps what it finds in its profile, and stays until it is closed.
  const script = `#!/bin/sh\n/bin/cp "$2/user.js" ${noted}.new && /bin/mv ${noted}.new ${noted}\nexec /bin/sleep 1000\n`;
  await writeFile(path.join(directory, 'firefox-esr'), script, { mode: 0o755 });
  const browser = browserOf();
  expect(await browser.open()).toBe('opened');
  const text = await vi.waitFor(() => readFile(noted, 'utf8'));
  const preferences = preferencesOf(text);
  const expected = {
    'network.proxy.type': 1,
    'network.proxy.socks': '127.0.0.1',
    'network.proxy.socks_port': 187,
    'network.proxy.socks_remote_dns': true,
    'network.proxy.no_proxies_on': '',
    // Firefox's own services otherwise go out directly as soon as the proxy fails (toolkit/modules/ServiceRequest).
    'network.proxy.allow_bypass': false,
    'network.proxy.failover_direct': false,
    'media.peerconnection.ice.proxy_only': true,
  };
  for (const [name, value] of Object.entries(expected)) expect(preferences.get(name), name).toBe(value);
  expect(await profiles()).toHaveLength(1);
  browser.close();
  await vi.waitFor(async () => expect(await profiles()).toEqual([]));
});

test('a browser that would save its profile when it ends leaves none behind when the app quits', async () => {
  const [noted, saved] = [path.join(directory, 'pid'), path.join(directory, 'saved')];
  const script = `#!/bin/sh
trap '/bin/mkdir -p "$2/saved"; : >${saved}; exit' TERM
echo $$ >${noted}.new && /bin/mv ${noted}.new ${noted}
while :; do : >"$2/busy" || :; done
`;
  await writeFile(path.join(directory, 'firefox-esr'), script, { mode: 0o755 });
  const browser = browserOf();
  expect(await browser.open()).toBe('opened');
  const pid = Number(await vi.waitFor(() => readFile(noted, 'utf8')));
  browser.close();
  await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'));
  expect(await readdir(directory)).not.toContain(path.basename(saved));
  await vi.waitFor(async () => expect(await profiles()).toEqual([]));
});
