import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { BrowserContext, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumThroughProxy } from '../../../src/main/programs/window-arguments.ts';
import { proxyPorts } from '../../../helper/proxy-host/proxy-ports.ts';
import { chromiumIn } from '../../e2e/support/machine/chromium-in.ts';
import { chromiumExecutable, launchChromium } from '../../stand-in/chromium.ts';
import { addresses, names, ports } from '../../lab/network/addresses.ts';
import type { EchoReply } from '../../lab/network/echo.ts';
import { takeLab } from '../../lab/kept-labs.ts';
import type { Lab } from '../../lab/lab.ts';
import type { CapturedPacket } from '../../lab/packets/frame.ts';
import { endProcess, eventually, words } from '../../lab/runs/process.ts';
import { startProxy, type ProxyProcess } from '../support/proxy/proxy-process.ts';
import { isExhaustive } from '../../lab/runs/thoroughness.ts';

const realList = path.resolve(import.meta.dirname, '../../fixtures/route-lists/cn-domains.txt');

/**
 * A real browser with the proxy's PAC file. There is no tunnel: that a name went by the proxy shows in the address
 * that it was found to have, which is another one at the resolver that the proxy was told.
 */
let lab: Lab;
let proxy: ProxyProcess;
let browser: BrowserContext;
let page: Page;

beforeAll(async () => {
  lab = await takeLab({ gateway: false });
  await lab.internet.run(words(`ip route add ${addresses.inside.ipv4} via ${addresses.gateway.ipv4}`));
  proxy = startProxy(lab.user);
});

afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  await lab.internet.run(words(`ip route del ${addresses.inside.ipv4}`));
  await lab[Symbol.asyncDispose]();
});

if (isExhaustive)
  describe('with the PAC file,', () => {
    beforeAll(async () => {
      const { port, pacPath } = await proxy.configure({
        resolvers: [addresses.inside.ipv4],
        families: { ipv4: true, ipv6: false },
        // Among as many others as there are in real life: the browser has to take so large a file.
        routeDomains: [...(await readFile(realList, 'utf8')).split('\n'), names.where, names.inside],
        blockedDomains: [names.echo],
      });
      browser = await launchChromium({
        profile: path.join(lab.directory, 'browser'),
        languages: ['en-US'],
        dark: false,
        viewport: { width: 800, height: 600 },
        // The headless shell has no PAC files.
        executablePath: await chromiumIn(lab.user, lab.directory, chromiumExecutable),
        args: [`--proxy-pac-url=http://127.0.0.1:${port}${pacPath}`],
      });
      page = await browser.newPage();
      // A page of a remote service, from which others may be asked for.
      await page.goto(`http://${names.direct}/`);
    });
    afterAll(() => browser.close());

    /** What a page gets from a name's echo; undefined if it gets nothing. */
    async function echoed(host: string): Promise<EchoReply | undefined> {
      const text = await page.evaluate(
        (url) =>
          fetch(url).then(
            (response) => response.text(),
            () => undefined,
          ),
        `http://${host}/`,
      );
      return text === undefined ? undefined : (JSON.parse(text) as EchoReply);
    }

    const publicQueries = async (name: string) =>
      (await lab.internet.queries()).filter((query) => query.name === name).length;

    test('routed names go by the proxy, and are not looked up by the machine', async () => {
      expect(await echoed(names.where)).toMatchObject({
        destination: addresses.inside.ipv4,
        host: names.where,
      });
      expect(await echoed(names.inside)).toMatchObject({ destination: addresses.inside.ipv4 });
      expect(await publicQueries(names.where)).toBe(0);
      expect(await publicQueries(names.inside)).toBe(0);
    });

    test('other names go direct', async () => {
      const { ipv4, ipv6 } = addresses.direct;
      expect([ipv4, ipv6]).toContain((await echoed(names.direct))?.destination);
      expect(await publicQueries(names.direct)).toBeGreaterThan(0);
      expect((await lab.gatewayMachine.queries()).filter(({ name }) => name === names.direct)).toEqual([]);
    });

    test('blocked names fail, by the proxy', async () => {
      expect(await echoed(names.echo)).toBeUndefined();
      expect(await publicQueries(names.echo)).toBe(0);
      // The proxy does not even look for them.
      expect((await lab.gatewayMachine.queries()).filter(({ name }) => name === names.echo)).toEqual([]);
    });

    test.each(proxyPorts)('port %i is none that it refuses', async (port) => {
      const errorAt = async (other: number) => {
        const failed = page.waitForEvent('requestfailed');
        await echoed(`${names.direct}:${other}`);
        return (await failed).failure()?.errorText;
      };
      expect(await errorAt(25)).toBe('net::ERR_UNSAFE_PORT');
      // Nobody listens there.
      expect(await errorAt(port)).toBe('net::ERR_CONNECTION_REFUSED');
    });

    test('when the proxy is gone, its names fail and do not go direct', async () => {
      const capture = await lab.capture(`tcp port ${ports.http} or port ${ports.dns}`);
      await endProcess(proxy.child, 'SIGKILL');
      expect(await echoed(names.where)).toBeUndefined();
      expect(await echoed(names.echo)).toBeUndefined();
      const another = await browser.newPage();
      await expect(another.goto(`http://${names.where}/`)).rejects.toThrow(/ERR_PROXY_CONNECTION_FAILED/);
      expect(await publicQueries(names.where)).toBe(0);
      expect(await publicQueries(names.echo)).toBe(0);
      // The others go on, which is also how the capture shows that it would have seen these.
      await page.goto(`http://${names.direct}/again`);
      const packets = await capture.stop();
      const seen = (text: string) => packets.filter(({ payload }) => payload.includes(text)).length;
      expect(seen('/again')).toBeGreaterThan(0);
      expect([seen(names.where), seen('\x05where'), seen(names.echo), seen('\x04echo')]).toEqual([
        0, 0, 0, 0,
      ]);
    });
  });

test('a window through the tunnel sends nothing past it, WebRTC included, and nothing anywhere when the proxy is gone', async () => {
  await proxy[Symbol.asyncDispose]();
  proxy = startProxy(lab.user);
  const { ipv4 } = addresses.direct;
  /** What leaves past the proxy while a browser with these arguments opens a page that asks a STUN server. */
  async function leaving(
    args: string[],
    host: string,
    during: (left: () => Promise<Buffer[]>) => Promise<unknown>,
    before?: (page: Page) => Promise<void>,
  ): Promise<Buffer[]> {
    const profile = path.join(lab.directory, `window-${args.length}`);
    const look = { languages: ['en-US'], dark: false, viewport: { width: 800, height: 600 } };
    const executablePath = await chromiumIn(lab.user, lab.directory, chromiumExecutable);
    const other = await launchChromium({ ...look, profile, executablePath, args });
    const opened = await other.newPage();
    const capture = await lab.capture(
      `(udp or tcp port ${ports.http}) and not (host ${addresses.inside.ipv4} or host ${addresses.inside.ipv6})`,
    );
    await opened.goto(`http://${host}/`);
    const packets: CapturedPacket[] = [];
    const payloads = () => packets.map(({ payload }) => payload).filter(({ length }) => length > 0);
    await opened.evaluate(async (server) => {
      const connection = new RTCPeerConnection({ iceServers: [{ urls: `stun:${server}:3478` }] });
      connection.createDataChannel('probe');
      await connection.setLocalDescription();
      // As long as the page is there.
      Object.assign(globalThis, { connection });
    }, ipv4);
    // A server that does not answer is asked again and again.
    await during(async () => {
      packets.push(...(await capture.packets()));
      return payloads();
    });
    await before?.(opened);
    packets.push(...(await capture.stop()));
    await other.close();
    return payloads();
  }
  // STUN's magic cookie (RFC 8489 §5).
  const stun = Buffer.from('2112a442', 'hex');
  // The positive control: a browser that is told nothing. How long it takes to ask, the other one has twice.
  let askedAfterMs = 0;
  const untilAsked = async (left: () => Promise<Buffer[]>) => {
    const begun = performance.now();
    await eventually(
      'the server is asked',
      async () => (await left()).some((payload) => payload.includes(stun)) || undefined,
    );
    askedAfterMs = performance.now() - begun;
  };
  const open = Buffer.concat(await leaving([], `window.${names.probes}`, untilAsked));
  expect(open.includes('\x06window')).toBe(true);
  const { port } = await proxy.configure({ resolvers: [addresses.inside.ipv4] });
  // The proxy finds this name, and the page, inside.
  const inTunnel = await leaving(
    chromiumThroughProxy(`127.0.0.1:${port}`),
    names.where,
    () => delay(Math.max(2_000, 2 * askedAfterMs)),
    async (opened) => {
      await endProcess(proxy.child, 'SIGKILL');
      await expect(opened.goto(`http://${names.direct}/`)).rejects.toThrow(/ERR_PROXY_CONNECTION_FAILED/);
    },
  );
  expect(inTunnel).toEqual([]);
});
