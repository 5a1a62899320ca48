import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { noticesFile, thirdPartyNotices } from '../../scripts/third-party-notices/notices.ts';

test('THIRD-PARTY-NOTICES has what the app has in it: run scripts/third-party-notices/write.ts', async () => {
  const notices = await thirdPartyNotices();
  // Of the pages, their font, the main process, and the helper.
  for (const name of ['react-dom', '@fontsource-variable/inter', 'pino', '@github/keytar', 'koffi'])
    expect(notices).toMatch(new RegExp(`^${name} \\d`, 'm'));
  expect(await readFile(noticesFile, 'utf8')).toBe(notices);
});
