import type { Page } from 'playwright/test';
import { expect, test } from '../fixtures.ts';
import { askHost } from '../support/host/ask-host.ts';
import { electronBinary } from '../support/host/electron-binary.ts';
import { surroundingsOf } from '../support/host/surroundings-of.ts';
import { serverNames } from '../support/service/service.ts';
import { openConnectTab } from '../support/tunnel/connect.ts';
import { arriveSignedIn } from '../support/tunnel/sign-in.ts';

test.skip(electronBinary() !== undefined, 'nothing holds up the messages of real Electron');

/** Resolves when the page has drawn whatever it has been told. */
const drawn = (page: Page) =>
  page.evaluate(async () => {
    for (let frame = 0; frame < 3; frame += 1) await new Promise(requestAnimationFrame);
  });

test('a chosen server stays chosen while the app still reports the one before it, and gives way to a later choice', async ({
  keptHere,
  serviceHere,
  email,
}) => {
  const { page } = keptHere;
  await arriveSignedIn(page, serviceHere, email);
  const connect = await openConnectTab(page);
  await expect(connect.chosen(serverNames.first), 'the first of the list, as none is chosen').toBeVisible();
  expect(await askHost(page, 'server.chosen')).toBeNull();

  const deliver = surroundingsOf(keptHere).delayRequests('server.choose');
  await connect.choose(serverNames.untrusted);
  // What the page asks for at first use, whose answer comes after the click.
  expect(await askHost(page, 'server.chooseFirst', 'first')).toBe(true);
  await drawn(page);
  expect(await connect.serverButton.textContent()).toContain(serverNames.untrusted);

  deliver();
  await expect.poll(() => askHost(page, 'server.chosen')).toBe('untrusted');
  await drawn(page);
  expect(await connect.serverButton.textContent()).toContain(serverNames.untrusted);

  expect(await askHost(page, 'server.choose', 'unknown'), 'as the tray does').toBe(true);
  await expect(connect.chosen(serverNames.unknown)).toBeVisible();
});
