import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../../lab/runs/process.ts';
import { programFile } from '../../lab/runs/programs.ts';
import { createWindows, whyNoWindows, type Windows } from '../../lab/windows/windows.ts';
import { helperLabForEach } from '../support/lab-for-each.ts';

/** The proxies of automatic routing and of captive portals, as processes of Windows, under wine in a laboratory. */

const net = helperLabForEach({ engine: 'own' });

interface Served {
  port: number;
  pacUrl: string;
}

async function bring(windows: Windows): Promise<void> {
  await windows.bring(programFile('tests/helper/windows/proxy-host-driver.ts'), 'proxy-host-driver.mjs');
  await windows.bring(programFile('helper/windows/start-proxy.ts'), 'proxy.mjs');
}

/** Starts the driver in the helper's place; what it says of its proxy once that serves. */
async function start(windows: Windows, what: string) {
  const driver = windows.start(['Z:\\work\\node.exe', 'Z:\\work\\proxy-host-driver.mjs', what]);
  const events = () =>
    driver
      .output()
      .split('\n')
      // The last one may not be whole yet.
      .slice(0, -1)
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as { event: string } & Partial<Served>);
  const served = await eventually('the proxy serves', () => events().find(({ event }) => event === 'serves'));
  return { served: served as Served, events };
}

const proxies = (windows: Windows) => windows.processes('proxy.mjs');
const kill = (windows: Windows, text: string) => {
  const found = windows.processes(text);
  expect(found).not.toEqual([]);
  for (const pid of found) process.kill(pid, 'SIGKILL');
};

/** What somebody on that machine gets: a PAC file, or nothing. */
async function fetchPac({ pacUrl }: Served): Promise<string | undefined> {
  const script = `fetch(process.argv[1]).then((answer) => answer.text()).then(console.log)`;
  const { code, stdout } = await net.lab.user.exec([process.execPath, '-e', script, pacUrl]);
  return code === 0 ? stdout : undefined;
}

/** The first line of the proxy's answer to CONNECT. */
async function connectThrough(port: number, to: string): Promise<string> {
  const script = `
    const socket = require('node:net').connect(Number(process.argv[1]), '127.0.0.1', () =>
      socket.write('CONNECT ' + process.argv[2] + ' HTTP/1.1\\r\\nHost: ' + process.argv[2] + '\\r\\n\\r\\n'));
    socket.once('data', (bytes) => { console.log(String(bytes).split('\\r\\n')[0]); socket.destroy(); });
  `;
  const { stdout } = await net.lab.user.exec([process.execPath, '-e', script, String(port), to]);
  return stdout.trim();
}

test.skipIf(whyNoWindows() !== undefined)(
  'the proxy serves its file and connections, is replaced at the same port, and outlives the helper only if it is to',
  async () => {
    const { gateway, user } = net.lab;
    await using windows = await createWindows({ machine: user });
    await bring(windows);
    const there = `${gateway.address.ipv4}:${gateway.port}`;

    const { served, events } = await start(windows, 'outlives');
    expect(await fetchPac(served)).toContain('FindProxyForURL');
    expect(await connectThrough(served.port, there)).toMatch(/^HTTP\/1\.1 200/);
    // Nothing within the machine.
    expect(await connectThrough(served.port, '127.0.0.1:28')).toMatch(/^HTTP\/1\.1 403/);

    const [first] = proxies(windows);
    kill(windows, 'proxy.mjs');
    await eventually('another proxy runs', () => {
      const [now] = proxies(windows);
      return (now !== undefined && now !== first) || undefined;
    });
    await eventually('it serves the same file', () => fetchPac(served));
    expect(events().map(({ event }) => event)).toContain('log');

    kill(windows, 'proxy-host-driver.mjs');
    await eventually(
      'the driver is gone',
      () => windows.processes('proxy-host-driver.mjs').length === 0 || undefined,
    );
    expect(await fetchPac(served)).toContain('FindProxyForURL');

    // The next helper ends it; but not whoever has its number by then.
    const record = path.join(windows.folder, 'proxy.json');
    const found = await readFile(record, 'utf8');
    await writeFile(record, JSON.stringify({ ...(JSON.parse(found) as object), createdAt: '1' }));
    expect((await windows.node('proxy-host-driver.mjs', ['ends'])).output).toContain('ended');
    expect(proxies(windows)).toHaveLength(1);
    await writeFile(record, found);
    expect((await windows.node('proxy-host-driver.mjs', ['ends'])).output).toContain('ended');
    await eventually('the proxy is gone', () => proxies(windows).length === 0 || undefined);
    expect(await fetchPac(served)).toBeUndefined();
  },
);

test.skipIf(whyNoWindows() !== undefined)(
  'a proxy that is not to outlive the helper ends with it, and so does that of a portal, which has another port',
  async () => {
    const { gateway, user } = net.lab;
    await using windows = await createWindows({ machine: user });
    await bring(windows);
    const there = `${gateway.address.ipv4}:${gateway.port}`;
    for (const what of ['stays', 'portal']) {
      const { served } = await start(windows, what);
      expect(await connectThrough(served.port, there)).toMatch(/^HTTP\/1\.1 200/);
      expect(served.port === 28).toBe(what === 'stays');
      kill(windows, 'proxy-host-driver.mjs');
      await eventually(`the proxy is gone (${what})`, () => proxies(windows).length === 0 || undefined);
    }
  },
);
