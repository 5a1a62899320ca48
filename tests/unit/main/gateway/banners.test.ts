import { afterEach, expect, test, vi } from 'vitest';
import { createBanners } from '../../../../src/main/gateway/sign-in/banners.ts';
import { createTestMemory } from '../support/memory.ts';

const gateway = { host: 'gw.example', port: 443 };
afterEach(() => void vi.useRealTimers());

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
  for (let count = 1; count <= 10; count += 1) banners.onBanner({ gateway, banner: `text ${count}` });
  expect(shown).toEqual(['text 1']);
  await end(true);
  expect(shown).toEqual(['text 1', 'text 10']);
  await end(true);
  banners.onBanner({ gateway, banner: 'text 10' });
  expect(shown).toHaveLength(2);
});

test('a text that something else has replaced is shown again, and another gateway’s beside it', async () => {
  const { shown, banners, end } = shownTexts();
  banners.onBanner({ gateway, banner: 'text' });
  banners.onBanner({ gateway: { ...gateway, host: 'other.example' }, banner: 'another' });
  expect(shown).toEqual(['text', 'another']);
  await end(false);
  banners.onBanner({ gateway, banner: 'text' });
  expect(shown).toEqual(['text', 'another', 'text']);
});

test('a goodbye that was read is shown again only after ten minutes, and another one at once', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const { shown, banners, end } = shownTexts();
  banners.onGoodbye(gateway, 'Idle timeout');
  banners.onGoodbye(gateway, 'Idle timeout');
  await end(true);
  banners.onGoodbye(gateway, 'Idle timeout');
  expect(shown).toEqual(['Idle timeout']);
  banners.onGoodbye(gateway, 'Ended by an administrator');
  await end(true);
  expect(shown).toEqual(['Idle timeout', 'Ended by an administrator']);
  banners.onGoodbye(gateway, undefined);
  banners.onGoodbye(gateway, 'Ended by an administrator');
  expect(shown).toHaveLength(2);
  banners.onGoodbye(gateway, undefined);
  vi.advanceTimersByTime(10 * 60_000);
  banners.onGoodbye(gateway, 'Ended by an administrator');
  expect(shown).toHaveLength(3);
});

test('a goodbye that was read is not shown again for as long as there is no other tunnel', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const { shown, banners, end } = shownTexts();
  banners.onGoodbye(gateway, 'Idle timeout');
  await end(true);
  vi.advanceTimersByTime(24 * 60 * 60_000);
  banners.onGoodbye(gateway, 'Idle timeout');
  expect(shown).toEqual(['Idle timeout']);
  // The next tunnel has long been there.
  banners.onGoodbye(gateway, undefined);
  banners.onGoodbye(gateway, 'Idle timeout');
  expect(shown).toHaveLength(2);
  await end(true);
  banners.onGoodbye(gateway, undefined);
  banners.onGoodbye(gateway, 'Idle timeout');
  vi.advanceTimersByTime(24 * 60 * 60_000);
  banners.onGoodbye(gateway, 'Idle timeout');
  expect(shown).toHaveLength(2);
});

test('a goodbye that was read only when there was another tunnel is shown when that ends with it, too', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const { shown, banners, end } = shownTexts();
  banners.onGoodbye(gateway, 'Idle timeout');
  banners.onGoodbye(gateway, undefined);
  await end(true);
  vi.advanceTimersByTime(24 * 60 * 60_000);
  banners.onGoodbye(gateway, 'Idle timeout');
  expect(shown).toHaveLength(2);
});

test('a goodbye is shown before the banner of the next tunnel, which waits until it was read', async () => {
  const { shown, banners, end } = shownTexts();
  banners.onGoodbye(gateway, 'Ended by an administrator');
  banners.onBanner({ gateway, banner: 'Welcome' });
  expect(shown).toEqual(['Ended by an administrator']);
  await end(true);
  expect(shown).toEqual(['Ended by an administrator', 'Welcome']);
  await end(true);
  banners.onBanner({ gateway, banner: 'Welcome' });
  expect(shown).toHaveLength(2);
});

test('a goodbye that a question has replaced is shown again', async () => {
  const { shown, banners, end } = shownTexts();
  banners.onGoodbye(gateway, 'Idle timeout');
  await end(false);
  banners.onGoodbye(gateway, 'Idle timeout');
  expect(shown).toEqual(['Idle timeout', 'Idle timeout']);
});
