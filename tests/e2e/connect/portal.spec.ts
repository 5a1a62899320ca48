import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { addresses, names } from '../../lab/network/addresses.ts';
import type { CapturedPacket } from '../../lab/packets/frame.ts';
import type { Lab } from '../../lab/lab.ts';
import { findLeaks } from '../../lab/packets/leaks.ts';
import { curlLimits } from '../../lab/probes/probe.ts';
import { isExhaustive } from '../../lab/runs/thoroughness.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';
import { expect, test as base, withoutRoot } from '../fixtures.ts';
import { LoginRoute } from '../routes/account/login-route.ts';
import { must, signInByApi } from '../support/service/api-user.ts';
import { deviceIdOf } from '../support/service/device-id.ts';
import { chooseServer } from '../support/tunnel/connect.ts';
import type { DesktopApp } from '../support/host/desktop-app.ts';
import { launchSignedIn } from '../support/tunnel/sign-in.ts';

/** Where the app reaches the service, and the portal's own page is. */
const port = 8080;
const portalPort = 3000;
const apiUrl = `http://${names.service}:${port}`;
const page = `http://${names.direct}:${port}/`;
const behindPortal = { env: { WAYMAKER_API_URL: apiUrl } };

/** Whoever asks for the service's port asks the portal. */
const portalNetwork = `
  table inet captive {
    chain prerouting {
      type nat hook prerouting priority dstnat;
      ip daddr { ${addresses.service.ipv4}, ${addresses.direct.ipv4} } tcp dport ${port} dnat ip to ${addresses.service.ipv4}:${portalPort}
    }
  }`;

/** Until somebody has signed in, no gateway can be reached. */
const gate = `
  table inet captive_gate {
    chain forward {
      type filter hook forward priority filter;
      ip daddr ${addresses.gateway.ipv4} reject
    }
  }`;

/**
 * While its gate is closed, answers the probe in the service's place; hands on everything else that is for the service.
 * `closed` is a file that exists as long as the gate is closed.
 */
const portalProgram = (closed: string) => `
  const { createServer, request } = require('node:http');
  const { execFileSync } = require('node:child_process');
  const { existsSync, rmSync } = require('node:fs');
  const closed = ${JSON.stringify(closed)};
  createServer((asked, answer) => {
    if (asked.headers.host.startsWith('${names.direct}')) {
      if (asked.method === 'POST' && existsSync(closed)) {
        execFileSync('nft', ['delete', 'table', 'inet', 'captive_gate']);
        rmSync(closed);
      }
      answer.setHeader('content-type', 'text/html');
      return answer.end('<form method=post><button>Take me online</button></form>');
    }
    if (asked.url === '/api/generate_204' && existsSync(closed)) {
      return answer.writeHead(302, { location: '${page}' }).end();
    }
    const { url: path, method, headers } = asked;
    const upstream = request({ host: '${addresses.service.ipv4}', port: 8787, path, method, headers }, (from) => {
      answer.writeHead(from.statusCode, from.headers);
      from.pipe(answer).on('error', () => {});
    });
    upstream.on('error', () => answer.destroy());
    answer.on('close', () => upstream.destroy());
    asked.pipe(upstream);
  }).listen(${portalPort}, '${addresses.service.ipv4}', () => console.log('serving'));`;

interface Portal extends AsyncDisposable {
  /** From now on, nobody gets through without signing in. */
  closeGate(): Promise<void>;
}

/** A network with a portal that lets everybody through for now. */
async function startPortal(lab: Lab): Promise<Portal> {
  const directory = await mkdtemp(path.join(tmpdir(), 'portal-'));
  const closed = path.join(directory, 'closed');
  await lab.internet.run(['nft', '-f', '-'], { input: portalNetwork });
  const server = await lab.internet.spawnUntil([process.execPath, '-e', portalProgram(closed)], /serving/);
  return {
    async closeGate() {
      await writeFile(closed, '');
      await lab.internet.run(['nft', '-f', '-'], { input: gate });
    },
    async [Symbol.asyncDispose]() {
      server.kill('SIGKILL');
      await lab.internet.exec(['nft', 'delete', 'table', 'inet', 'captive']);
      await lab.internet.exec(['nft', 'delete', 'table', 'inet', 'captive_gate']);
      await rm(directory, { recursive: true, force: true });
    },
  };
}

const test = base.extend<{ portal: Portal }>({
  portal: async ({ lab }, provide) => {
    await using portal = await startPortal(lab);
    await provide(portal);
  },
});

test.skip(withoutRoot, 'the laboratory needs root');

/** What left or arrived outside the tunnel, except for what the way to the portal is for. */
function besidesPortal(packets: readonly CapturedPacket[], marker: string): string[] {
  const hosts: readonly string[] = [addresses.service, addresses.direct].flatMap(({ ipv4, ipv6 }) => [
    ipv4,
    ipv6,
  ]);
  const lookedUp: readonly (string | undefined)[] = [names.service, names.direct];
  return findLeaks(packets, marker)
    .filter((leak) => {
      if (leak.packet.payload.includes(marker)) return true;
      if (leak.kind === 'dns') return !lookedUp.includes(leak.name);
      const { source, sourcePort, destination, destinationPort } = leak.packet;
      const isThere = hosts.includes(destination) && destinationPort === port;
      return !isThere && !(hosts.includes(source) && sourcePort === port);
    })
    .map(({ kind, packet }) => `${kind} ${packet.source} > ${packet.destination}:${packet.destinationPort}`);
}

/** Sends probes of several kinds, and says what of them was answered. */
async function probe(lab: Lab, marker: string) {
  const { http4, http6, dns, dnsToPublicResolver } = lab.user.probe;
  return await Promise.all([http4(marker), http6(marker), dns(marker), dnsToPublicResolver(marker)]);
}

const resolved = `${names.direct}:${port}:${addresses.direct.ipv4}`;
/** Any program of the user's that asks for the portal's page, and need not look up its name. */
const toPortal = () => [
  'curl',
  '--silent',
  ...curlLimits(),
  '--output',
  '/dev/null',
  '--resolve',
  resolved,
  page,
];

/** Signs in to the network in the window that has opened. */
async function passPortal(app: DesktopApp): Promise<void> {
  await expect.poll(() => app.windows().length, { timeout: waitLimit(30_000) }).toBe(2);
  const button = app.windows()[1]?.getByRole('button', { name: 'Take me online' });
  if (!button) throw new Error('no window');
  await button.click({ timeout: waitLimit(30_000) });
}

if (isExhaustive)
  test('a tunnel that comes to a network with a portal: the user signs in there, and nothing else leaves', async ({
    helper: _helper,
    launch,
    lab,
    service,
    email,
    portal,
  }) => {
    // It loses its tunnel twice.
    test.setTimeout(waitLimit(180_000));
    const app = await launchSignedIn(launch, service, email, behindPortal);
    const connect = await chooseServer(app.page);
    await connect.switchOn('killSwitch');
    await connect.connect.click();
    await expect(connect.status('connect.connected')).toBeVisible({ timeout: waitLimit(30_000) });

    const capture = await lab.capture();
    await lab.setGatewayReachable(false);
    await expect(connect.status('connect.reconnecting')).toBeVisible({ timeout: waitLimit(60_000) });
    await connect.passPortal.click();
    await expect(connect.says('connect.noPortal'), 'whoever looks for one in vain is told').toBeVisible();
    await lab.setGatewayReachable(true);
    await expect(connect.status('connect.connected')).toBeVisible({ timeout: waitLimit(60_000) });

    await portal.closeGate();
    await expect(connect.status('connect.reconnecting')).toBeVisible({ timeout: waitLimit(60_000) });
    await connect.passPortal.click();
    await expect.poll(() => app.windows().length, { timeout: waitLimit(30_000) }).toBe(2);
    await probe(lab, 'marker-held');
    expect((await lab.user.exec(toPortal())).code, 'only the window reaches the portal').not.toBe(0);
    await passPortal(app);
    await expect(connect.status('connect.connected')).toBeVisible({ timeout: waitLimit(60_000) });
    await expect.poll(() => app.windows().length).toBe(1);
    expect((await lab.user.probe.http4('marker-held'))?.address).toBe(addresses.gateway.ipv4);
    expect(besidesPortal(await capture.packets(), 'marker-held')).toEqual([]);

    await connect.disconnect.click();
    await expect(connect.status('connect.disconnected')).toBeVisible();
    await probe(lab, 'marker-free');
    expect((await lab.user.exec(toPortal())).code, 'everybody does where allowed').toBe(0);
    expect(besidesPortal(await capture.stop(), 'marker-free'), 'seen where allowed').not.toEqual([]);
  });

test('with the kill switch on, a window alone gets out to the network’s sign-in page, and then the app connects', async ({
  helper: _helper,
  networkBefore,
  launch,
  lab,
  service,
  email,
  portal,
}) => {
  await portal.closeGate();
  const app = await launchSignedIn(launch, service, email, behindPortal);
  const connect = await chooseServer(app.page);
  await connect.switchOn('killSwitch');
  await connect.connect.click();
  await expect(connect.says('reason.captivePortal')).toBeVisible({ timeout: waitLimit(30_000) });
  await expect(connect.says('connect.blocked')).toBeVisible();

  const capture = await lab.capture();
  await connect.passPortal.click();
  await expect.poll(() => app.windows().length).toBe(2);
  const shown = app.windows()[1];
  const signIn = shown?.getByRole('button', { name: 'Take me online' });
  await expect(signIn ?? app.page.locator('none')).toBeVisible();
  const title = `${names.direct}:${port} – Waymaker`;
  await expect.poll(async () => (await app.windowTitles())[1]).toBe(title);
  await probe(lab, 'marker-held');
  expect((await lab.user.exec(toPortal())).code, 'only the window reaches the portal').not.toBe(0);

  await signIn?.click();
  await expect(connect.status('connect.connected')).toBeVisible({ timeout: waitLimit(30_000) });
  await expect.poll(() => app.windows().length).toBe(1);
  expect((await lab.user.probe.http4('marker-held'))?.address).toBe(addresses.gateway.ipv4);

  await test.step('a service that ends the session opens nothing: the user does, to sign in again', async () => {
    const elsewhere = await signInByApi(service, email);
    must(await elsewhere.call('revokeDevice', { params: { deviceId: await deviceIdOf(app.page) } }));
    const login = new LoginRoute(app.page);
    await expect(login.heading).toBeVisible();
    await expect(login.held).toBeVisible();
    expect(await lab.user.probe.http4('marker-held')).toBeUndefined();
    expect(besidesPortal(await capture.packets(), 'marker-held')).toEqual([]);
    await login.unblock.click();
    await expect(login.held).toBeHidden();
    await expect(login.email).toBeFocused();
    await expect.poll(() => lab.user.snapshot()).toBe(networkBefore);
    await probe(lab, 'marker-free');
    expect((await lab.user.exec(toPortal())).code, 'everybody does where allowed').toBe(0);
    expect(besidesPortal(await capture.stop(), 'marker-free'), 'seen where allowed').not.toEqual([]);
  });
});
