import { expect, test } from 'vitest';
import { createBanners } from '../../../../src/main/gateway/sign-in/banners.ts';
import { createTestMemory } from '../support/memory.ts';

const gateway = { host: 'gw.example', port: 443 };

/** What is shown, and how the user ends each. */
function shownTexts() {
  const shown: string[] = [];
  const ends: ((isRead: boolean) => void)[] = [];
  const banners = createBanners({
    memory: createTestMemory(),
    show(_host, text) {
      shown.push(text);
      return new Promise((resolve) => ends.push(resolve));
    },
  });
  const end = async (isRead: boolean) => {
    ends.shift()?.(isRead);
    await new Promise(setImmediate);
  };
  return { shown, banners, end };
}

test('a gateway that says something else each time has one text shown, and the last one after it was read', async () => {
  const { shown, banners, end } = shownTexts();
  for (let count = 1; count <= 10; count += 1) banners({ gateway, banner: `text ${count}` });
  expect(shown).toEqual(['text 1']);
  await end(true);
  expect(shown).toEqual(['text 1', 'text 10']);
  await end(true);
  banners({ gateway, banner: 'text 10' });
  expect(shown).toHaveLength(2);
});

test('a text that something else has replaced is shown again, and another gateway’s beside it', async () => {
  const { shown, banners, end } = shownTexts();
  banners({ gateway, banner: 'text' });
  banners({ gateway: { ...gateway, host: 'other.example' }, banner: 'another' });
  expect(shown).toEqual(['text', 'another']);
  await end(false);
  banners({ gateway, banner: 'text' });
  expect(shown).toEqual(['text', 'another', 'text']);
});
