import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { menuEntry, metainfo } from '../../../packaging/desktop/desktop-share.ts';
import { iconFile, iconSizes } from '../../../packaging/desktop/icons.ts';
import { exec } from '../../lab/runs/process.ts';

/** What makes a desktop know the installed app, before the tools that desktops' makers check such files with. */

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'waymaker-desktop-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function check(tool: readonly string[], name: string, text: string): Promise<string> {
  const file = path.join(folder, name);
  await writeFile(file, text);
  const { code, stdout, stderr } = await exec([...tool, file]);
  return code === 0 ? 'accepted' : `${stdout}${stderr}`;
}

test('the menu entry is one, for links too, and in the languages of the app', async () => {
  const text = await readFile(menuEntry, 'utf8');
  const validate = (changed: string) => check(['desktop-file-validate'], 'waymaker.desktop', changed);
  expect(await validate(text)).toBe('accepted');
  expect(await validate(text.replace('Terminal=false', 'Terminal=perhaps'))).toContain('Terminal');
  expect(text).toContain('\nMimeType=x-scheme-handler/waymaker;\n');
  // A link comes after `--`, so that none is a switch.
  expect(text).toMatch(/^Exec=\/opt\/Waymaker\/waymaker -- %u$/m);
  for (const locale of ['zh_CN', 'zh_TW'])
    expect(text).toMatch(new RegExp(`^Comment\\[${locale}\\]=\\p{L}`, 'mu'));
});

test('the description for software centres is valid, with the version and the day it was made', async () => {
  const text = await metainfo('1.2.3', Date.UTC(2026, 0, 31, 23) / 1000);
  const validate = (changed: string) =>
    check(['appstreamcli', 'validate', '--no-net'], 'example.waymaker.Waymaker.metainfo.xml', changed);
  expect(await validate(text)).toBe('accepted');
  expect(await validate(text.replace('desktop-application', 'something-else'))).not.toBe('accepted');
  expect(text).toContain('<release version="1.2.3" date="2026-01-31" />');
  expect(text).not.toContain('@');
  for (const language of ['zh-CN', 'zh-TW']) expect(text).toContain(`<summary xml:lang="${language}">`);
});

test.each(iconSizes)('the icon of %i pixels has that size', async (pixels) => {
  const picture = await readFile(iconFile(pixels));
  // A PNG's first chunk (https://www.w3.org/TR/png-3/#11IHDR).
  expect(picture.toString('latin1', 12, 16)).toBe('IHDR');
  expect([picture.readUInt32BE(16), picture.readUInt32BE(20)]).toEqual([pixels, pixels]);
});
