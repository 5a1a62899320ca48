import { existsSync } from 'node:fs';
import { addresses } from '../../lab/network/addresses.ts';
import { endProcess } from '../../lab/runs/process.ts';
import { expect, test, withoutRoot } from '../fixtures.ts';
import { expectNoViolations } from '../support/screens/axe.ts';
import { connectTo } from '../support/tunnel/connect.ts';
import { tabTo } from '../support/screens/keyboard.ts';
import { openSettings } from '../support/screens/open-settings.ts';
import { installProbeProgram } from '../support/tunnel/probe-program.ts';
import { launchSignedIn } from '../support/tunnel/sign-in.ts';

test.skip(withoutRoot, 'the laboratory needs root');

const { gateway, user } = addresses;

test('by app, only what is chosen goes through the tunnel, or all but that, whoever has started it', async ({
  helper: _helper,
  lab,
  service,
  email,
  directory,
  launch,
}) => {
  const probe = await installProbeProgram(lab, directory);
  const before = probe.start();
  expect(await probe.seen(), 'positive control').toBe(user.ipv4);
  const { page } = await launchSignedIn(launch, service, email, { env: probe.env });
  await connectTo(page);
  const others = async () => (await lab.user.probe.http4('others'))?.address;

  const settings = await openSettings(page);
  await settings.switchOn(settings.byApp);
  await expect(settings.says('routing.appsNone')).toBeVisible();
  // As long as nothing is chosen, everything goes through the tunnel.
  expect([await probe.seen(), await others()]).toEqual([gateway.ipv4, gateway.ipv4]);

  await settings.choosePrograms.click();
  await expect(settings.program(probe.name)).toBeVisible();
  await expectNoViolations(page, 'the applications to choose from');
  await settings.programSearch.fill('no such app');
  await expect(settings.says('routing.appsNoneFound')).toBeVisible();
  await settings.programSearch.fill('prob');
  await tabTo(settings.program(probe.name));
  await page.keyboard.press('Space');
  await expect(settings.program(probe.name)).toBeChecked();
  await page.keyboard.press('Escape');
  await expect(settings.programSearch).toBeHidden();
  await expect(settings.choosePrograms).toBeFocused();
  await expect.poll(others).toBe(user.ipv4);
  expect(await probe.seen()).toBe(gateway.ipv4);

  // It was running before, so that nobody knows what it has kept open.
  await expect(settings.says('routing.appPartial')).toBeVisible();
  await expectNoViolations(page, 'an application that was running before');
  const first = await probe.pid();
  await settings.restartProgram.click();
  await settings.confirmRestart.click();
  await expect(settings.says('routing.appInside')).toBeVisible();
  await expect(settings.restartProgram).toHaveCount(0);
  await expect(settings.chosenPrograms.first()).toBeFocused();
  expect(await probe.seen()).toBe(gateway.ipv4);
  expect(await probe.pid()).not.toBe(first);
  await expect.poll(() => before.exitCode ?? before.signalCode, 'what was running has ended').not.toBeNull();

  // One that is started from elsewhere is found soon.
  const second = await probe.pid();
  process.kill(second);
  await expect.poll(() => existsSync(`/proc/${second}/exe`)).toBe(false);
  const again = probe.start();
  await expect.poll(() => probe.seen()).toBe(gateway.ipv4);

  await settings.policy.selectOption({ index: 1 });
  await expect.poll(others).toBe(gateway.ipv4);
  await expect.poll(() => probe.seen()).toBe(user.ipv4);
  await page.reload();
  await expect(settings.byApp).toBeChecked();
  await expect(settings.chosenPrograms).toHaveCount(1);

  await settings.forgetProgram(probe.name).focus();
  await page.keyboard.press('Enter');
  await expect(settings.says('routing.appsNone')).toBeVisible();
  await expect(settings.choosePrograms).toBeFocused();
  await expect.poll(() => probe.seen()).toBe(gateway.ipv4);
  await endProcess(again, 'SIGKILL');
});
