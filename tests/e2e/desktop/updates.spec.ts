import { eventually } from '../../lab/runs/process.ts';
import { updateHeld, updateProblem, updateState } from '#shared/host/updates-contract.ts';
import { updateTexts } from '#shared/texts/update-texts.ts';
import { expect, test } from '../fixtures.ts';
import { AccountRoute } from '../routes/account/account-route.ts';
import { UpdatesSection } from '../routes/desktop/updates-section.ts';
import { electronBinary } from '../support/host/electron-binary.ts';
import { createUpdatingApp } from '../support/host/updating-app.ts';
import { openSettings } from '../support/screens/open-settings.ts';
import { updateScreens } from '../support/screens/update-states.ts';
import { launchSignedIn } from '../support/tunnel/sign-in.ts';

test.skip(
  electronBinary() !== undefined,
  'real Electron would start the AppImage outside of what tests can see',
);

test('a newer version is found, downloaded and told above other pages, and at a click takes the place of the app', async ({
  launchHere,
  serviceHere,
  email,
  directory,
}) => {
  await using made = await createUpdatingApp(directory);
  await made.publish('0.2.0', { size: 3_000_000 });
  const app = await launchSignedIn(launchHere, serviceHere, email, made.options);
  const { page } = app;
  const updates = new UpdatesSection(page);
  await openSettings(page);
  const release = made.feed.holdAfter(1_200_000);
  await updates.button('update.check').click();
  await expect(updates.says('update.downloading', { version: '0.2.0' }).first()).toBeAttached();
  await expect(updates.section.getByText(/^[\d.]+ MB of 3 MB$/)).toBeVisible();
  await expect(updates.section.getByRole('button')).toHaveCount(0);
  // The button is gone with the focus.
  await expect(updates.section).toBeFocused();
  release();
  await expect(updates.says('update.ready', { version: '0.2.0' })).toBeVisible();
  expect(await made.installed()).toBe('0.1.0');

  await new AccountRoute(page).follow();
  await expect(updates.notice('0.2.0')).toBeVisible();
  await updates.show.click();
  await expect(updates.says('update.ready', { version: '0.2.0' })).toBeVisible();
  await expect(updates.notice('0.2.0')).toHaveCount(0);
  await updates.button('update.installAndReopen').click();
  await app.ended;
  expect(await made.installed()).toBe('0.2.0');
  expect(await eventually('the new version was started', async () => (await made.started()).at(0))).toBe(
    '0.2.0',
  );
});

test('the states that are looked at in each language are all that there are, and say all texts', () => {
  const states = updateScreens.map(({ view }) => view.state);
  const kinds = updateState.def.options.flatMap(({ shape }) => shape.kind.def.values);
  expect(new Set(states.map(({ kind }) => kind))).toEqual(new Set(kinds));
  const problems = states.flatMap((state) => ('problem' in state ? [state.problem] : []));
  expect(new Set(problems)).toEqual(new Set(updateProblem.options));
  const reasons = states.flatMap((state) => ('held' in state ? [state.held] : []));
  expect(new Set(reasons)).toEqual(new Set([null, ...updateHeld.options]));
  const said = updateScreens.flatMap(({ says, button }) => [...says, ...(button ? [button] : [])]);
  // By the first, the section is found; the other is in the notice above other pages.
  expect(new Set(['update.title', 'update.show', ...said])).toEqual(new Set(Object.keys(updateTexts.en)));
});
