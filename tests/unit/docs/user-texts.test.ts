import { expect, test } from 'vitest';
import { desktopTexts } from '#shared/texts/desktop-texts.ts';
import { updateTexts } from '#shared/texts/update-texts.ts';
import { en } from '#shared/texts/en.ts';
import { readPage } from './markdown.ts';

/** What the app can say, each with anything in its placeholders; `{{used}} of {{total}}` would match most sentences. */
const texts = [...Object.values(en), ...Object.values(desktopTexts.en), ...Object.values(updateTexts.en)]
  .filter((text) => text.replaceAll(/\{\{\w+\}\}|\W/g, '').length > 4 || !text.includes('{{'))
  .map(
    (text) =>
      new RegExp(
        `^${text
          .split(/\{\{\w+\}\}/)
          .map(escaped)
          .join('.+')}$`,
      ),
  );

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}

test.each(['docs/user.md', 'docs/modes.md'])(
  'the words that users read of in italics in %s are the app’s',
  (page) => {
    const quoted = [...readPage(page).matchAll(/(?<![\w`])_([^_\n]+(?:\n[^_\n]+)?)_(?!\w)/g)].map(
      ([, words = '']) => words.replaceAll(/\s+/g, ' '),
    );
    expect(quoted).toContain('Local network');
    expect(quoted.filter((words) => !texts.some((text) => text.test(words)))).toEqual([]);
  },
);
