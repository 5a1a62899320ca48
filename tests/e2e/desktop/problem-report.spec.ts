import { readFile, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { eventually } from '../../lab/runs/process.ts';
import { expect, test } from '../fixtures.ts';
import { ReportRoute } from '../routes/report-route.ts';
import { SettingsRoute } from '../routes/settings-route.ts';

test('a report is shown, saved as it was shown, and only then written a mail about', async ({
  signedInHere: app,
  directory,
  email,
}) => {
  test.skip(!app.surroundings, 'the save dialog cannot be reached in real Electron');
  const { page, surroundings } = app;
  await new SettingsRoute(page).follow();
  const report = new ReportRoute(page);
  await report.link.click();
  await expect(report.heading).toBeFocused();
  await expect(report.contents).toContainText('Log of the app');
  await expect(report.contents).toContainText('(the helper gives none)');
  const shown = (await report.contents.textContent()) ?? '';
  expect(shown).not.toContain(email);
  expect(shown.split(/\W/)).not.toContain(os.hostname());

  await report.description.fill('It does not connect.');
  const file = path.join(directory, 'report.txt');
  await report.save.click();
  await eventually('the app asks for a file', async () => (await surroundings?.saveDialog()) ?? undefined);
  await surroundings?.chooseFile(file);
  await expect(report.saved).toBeVisible();
  expect(await readFile(file, 'utf8')).toBe(`== What happened ==\nIt does not connect.\n\n${shown}`);
  expect((await stat(file)).mode & 0o777).toBe(0o600);

  // Who thinks better of it sends nothing.
  await report.send.click();
  await eventually('the app asks for a file', async () => (await surroundings?.saveDialog()) ?? undefined);
  await surroundings?.chooseFile(null);
  await expect(report.send).toBeEnabled();
  expect(await app.externalLinks()).toEqual([]);
  await report.send.click();
  await eventually('the app asks for a file', async () => (await surroundings?.saveDialog()) ?? undefined);
  await surroundings?.chooseFile(file);
  const [link] = await eventually('a mail is written', async () => {
    const links = await app.externalLinks();
    return links.length > 0 ? links : undefined;
  });
  expect(link).toContain('mailto:help@example.com?subject=Problem%20with%20Waymaker');
  expect(link).toContain(encodeURIComponent('It does not connect.'));
});
