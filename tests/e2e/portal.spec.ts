import { addresses, names } from '../lab/addresses.ts';
import type { Lab } from '../lab/lab.ts';
import { waitLimit } from '../lab/wait-limit.ts';
import { expect, test as base, withoutRoot } from './fixtures.ts';
import { chooseServer } from './support/connect.ts';
import { launchSignedIn } from './support/sign-in.ts';

/** Where the app reaches the service, and the portal's own page is. */
const port = 8080;
const portalPort = 3000;
const apiUrl = `http://${names.service}:${port}`;
const page = `http://${names.direct}:${port}/`;

/** Until somebody has signed in, no gateway can be reached; whoever asks for the service's port asks the portal. */
const portalNetwork = `
  table inet captive {
    chain prerouting {
      type nat hook prerouting priority dstnat;
      ip daddr { ${addresses.service.ipv4}, ${addresses.direct.ipv4} } tcp dport ${port} dnat ip to ${addresses.service.ipv4}:${portalPort}
    }
  }
  table inet captive_gate {
    chain forward {
      type filter hook forward priority filter;
      ip daddr ${addresses.gateway.ipv4} reject
    }
  }`;

/** Answers the probe in the service's place, and hands on everything else that is for the service. */
const portal = `
  const { createServer, request } = require('node:http');
  const { execFileSync } = require('node:child_process');
  let isPassed = false;
  createServer((asked, answer) => {
    if (asked.headers.host.startsWith('${names.direct}')) {
      if (asked.method === 'POST' && !isPassed) {
        execFileSync('nft', ['delete', 'table', 'inet', 'captive_gate']);
        isPassed = true;
      }
      answer.setHeader('content-type', 'text/html');
      return answer.end('<form method=post><button>Take me online</button></form>');
    }
    if (asked.url === '/api/generate_204' && !isPassed) {
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

async function putBehindPortal(lab: Lab): Promise<AsyncDisposable> {
  await lab.internet.run(['nft', '-f', '-'], { input: portalNetwork });
  const server = await lab.internet.spawnUntil([process.execPath, '-e', portal], /serving/);
  return {
    async [Symbol.asyncDispose]() {
      server.kill('SIGKILL');
      await lab.internet.exec(['nft', 'delete', 'table', 'inet', 'captive']);
      await lab.internet.exec(['nft', 'delete', 'table', 'inet', 'captive_gate']);
    },
  };
}

const test = base.extend<{ behindPortal: void }>({
  behindPortal: [
    async ({ lab }, provide) => {
      await using network = await putBehindPortal(lab);
      await provide(void network);
    },
    { auto: true },
  ],
});

test.skip(withoutRoot, 'the laboratory needs root');

test('with the kill switch on, a window alone gets out to the network’s sign-in page, and then the app connects', async ({
  helper: _helper,
  launch,
  lab,
  service,
  email,
}) => {
  const app = await launchSignedIn(launch, service, email, { env: { WAYMAKER_API_URL: apiUrl } });
  const connect = await chooseServer(app.page);
  await connect.switchOn('killSwitch');
  await connect.connect.click();
  await expect(connect.says('reason.captivePortal')).toBeVisible({ timeout: waitLimit(30_000) });
  await expect(connect.says('connect.blocked')).toBeVisible();

  await connect.passPortal.click();
  await expect.poll(() => app.windows().length).toBe(2);
  const shown = app.windows()[1];
  const signIn = shown?.getByRole('button', { name: 'Take me online' });
  await expect(signIn ?? app.page.locator('none')).toBeVisible();
  expect((await app.windowTitles())[1]).toBe(`${names.direct}:${port} – Waymaker`);
  expect(await lab.user.probe.http4('portal'), 'nothing else gets out').toBeUndefined();

  await signIn?.click();
  await expect(connect.status('connect.connected')).toBeVisible({ timeout: waitLimit(30_000) });
  expect(app.windows()).toHaveLength(1);
  expect((await lab.user.probe.http4('portal'))?.address).toBe(addresses.gateway.ipv4);
  await connect.disconnect.click();
  await expect(connect.status('connect.disconnected')).toBeVisible();
});
