import { readFile, rm } from 'node:fs/promises';
import type { Lab } from '../../lab/lab.ts';
import { addresses, pools } from '../../lab/network/addresses.ts';
import { findLeaks } from '../../lab/packets/leaks.ts';
import { expect, test, withoutRoot } from '../fixtures.ts';
import { ConnectRoute } from '../routes/connect/connect-route.ts';
import { untilDrawn } from '../support/host/ask-host.ts';
import type { TestHelper } from '../support/tunnel/helper.ts';
import { connectTo } from '../support/tunnel/connect.ts';
import { enginePids } from '../support/tunnel/engine.ts';
import { launchSignedIn } from '../support/tunnel/sign-in.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';

test.skip(withoutRoot, 'the laboratory needs root');

const seenByFarSide = async (lab: Lab) => (await lab.user.probe.http4('survival'))?.address;

test.describe('SIGKILL', () => {
  test('of the app leaves the tunnel up, and a tunnel whose engine or helper is killed comes back by itself', async ({
    networkBefore,
    keyring,
    lab,
    service,
    helper,
    launch,
    email,
  }) => {
    test.setTimeout(waitLimit(180_000));
    const first = await launchSignedIn(launch, service, email, { env: keyring.env });
    await connectTo(first.page);
    const engines = await enginePids(lab);
    expect(engines).toHaveLength(1);
    await first.kill();
    expect(await seenByFarSide(lab)).toBe(addresses.gateway.ipv4);
    const second = await launch({ env: keyring.env });
    const connect = new ConnectRoute(second.page);
    await expect(connect.status('connect.connected')).toBeVisible();
    expect(await enginePids(lab), 'the same tunnel').toEqual(engines);
    expect(helper.output).not.toContain('engine ended');

    const isBack = async () => {
      await expect(connect.status('connect.connected')).toBeVisible({ timeout: waitLimit(45_000) });
      await expect.poll(() => seenByFarSide(lab)).toBe(addresses.gateway.ipv4);
    };
    await test.step('of the engine: the tunnel comes back by itself', async () => {
      for (const pid of engines) process.kill(pid, 'SIGKILL');
      await expect
        .poll(async () => (await enginePids(lab)).filter((pid) => !engines.includes(pid)), {
          timeout: waitLimit(30_000),
        })
        .toHaveLength(1);
      await isBack();
      await expect.poll(() => helper.output).toContain('engine ended');
    });

    await test.step('of the helper: the tunnel comes back by itself', async () => {
      await helper.kill();
      await helper.start();
      await isBack();
    });

    await test.step('of the helper with the kill switch on: nothing leaves until the tunnel is back', async () => {
      await connect.switchOn('killSwitch');
      await helper.kill();
      expect(await seenByFarSide(lab)).toBeUndefined();
      await rm(helper.runDirectory, { recursive: true });
      const capture = await lab.capture();
      const stream = await lab.user.probe.stream('survival');
      await helper.start();
      await isBack();
      await stream[Symbol.asyncDispose]();
      expect(findLeaks(await capture.stop(), 'survival'), 'nor for a moment in between').toEqual([]);
    });

    await test.step('of the helper after a disconnect: the tunnel does not come back', async () => {
      await connect.disconnect.click();
      await expect(connect.status('connect.disconnected')).toBeVisible();
      expect(await lab.user.snapshot()).toBe(networkBefore);
      const control = await lab.capture();
      await seenByFarSide(lab);
      expect(findLeaks(await control.stop(), 'survival'), 'positive control').not.toEqual([]);

      await helper.kill();
      await helper.start();
      // What was shown of the helper before would pass for what the new one has said.
      await expect.poll(() => hasCaller(lab, helper)).toBe(true);
      await untilDrawn(second.page);
      await expect(connect.status('connect.disconnected')).toBeVisible();
      await expect(connect.connect).toBeEnabled();
      expect(await lab.user.snapshot()).toBe(networkBefore);
    });
  });

  test('of app and helper, with /run emptied: the next helper restores everything from the journal', async ({
    signedIn: app,
    connected: _connected,
    networkBefore,
    lab,
    helper,
  }) => {
    await app.kill();
    await helper.kill();
    expect(await lab.user.snapshot()).not.toBe(networkBefore);
    await rm(helper.runDirectory, { recursive: true });
    await helper.start();
    await expect.poll(() => lab.user.snapshot()).toBe(networkBefore);
    expect(await seenByFarSide(lab)).toBe(addresses.user.ipv4);
    expect(await enginePids(lab)).toEqual([]);
  });
});

test('gateway restarted with another address pool: new address, routes and DNS are in place, none twice', async ({
  connected: connect,
  lab,
  helper,
  networkBefore,
}) => {
  await connect.openDetails();
  const firstAddress = await connect.fact(/\(IPv4\)/).innerText();
  const firstLines = await lines(lab);
  await lab.gateway.restart({ pool: pools.second });
  try {
    await expect(connect.fact(/\(IPv4\)/)).not.toHaveText(firstAddress, { timeout: waitLimit(45_000) });
    await expect(connect.status('connect.connected')).toBeVisible();
    const secondAddress = await connect.fact(/\(IPv4\)/).innerText();
    expect(secondAddress).toMatch(/^198\.51\.100\.(19[2-9]|2\d\d)$/);
    await expect.poll(() => seenByFarSide(lab)).toBe(addresses.gateway.ipv4);

    const now = await lines(lab);
    const text = now.join('\n');
    expect(text).toContain(secondAddress);
    expect(text).not.toContain(firstAddress);
    // As many of everything as with the first pool: nothing was left over, nothing is there twice.
    expect(now).toHaveLength(firstLines.length);
    const resolvers = (await readFile(lab.user.resolvConf, 'utf8')).match(/^nameserver .*/gm);
    expect(resolvers).toEqual([`nameserver ${addresses.inside.ipv4}`, `nameserver ${addresses.inside.ipv6}`]);

    await connect.disconnect.click();
    await expect(connect.status('connect.disconnected')).toBeVisible();
    expect(await lab.user.snapshot()).toBe(networkBefore);
  } finally {
    await lab.gateway.restart({ pool: pools.first });
  }
  await expect.poll(() => helper.output).toContain('engine ended');
});

/**
 * Whether somebody is connected to the helper, by the kernel's list of sockets (Linux, net/unix/af_unix.c,
 * unix_seq_show).
 */
async function hasCaller(lab: Lab, { socket }: TestHelper): Promise<boolean> {
  const list = await readFile(`/proc/${lab.user.pid}/net/unix`, 'utf8');
  return list.split('\n').some((line) => line.endsWith(` ${socket}`) && / 03 +\d+ /.test(line));
}

/** Addresses, routes, rules and filters of the user's machine, a line each. */
async function lines(lab: Lab): Promise<string[]> {
  return (await lab.user.snapshot()).split('\n').filter(Boolean);
}
