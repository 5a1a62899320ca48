import { expect, test } from 'vitest';
import { formatPeriod } from '../../../../../src/renderer/i18n/format-period.ts';
import { takeHandOver } from '../../../../../src/renderer/features/store/take-hand-over.ts';

/** A browser at an address, and the addresses that its history got. */
function browserAt(address: string) {
  const location = new URL(address, 'https://vpn.example');
  const replaced: string[] = [];
  const history = {
    replaceState(_data: unknown, _title: string, to: string) {
      replaced.push(to);
      location.href = new URL(to, location).href;
    },
  };
  return { replaced, handOver: takeHandOver(location, history) };
}

test('a hand-over is taken out of the address, and given once', () => {
  const { handOver, replaced } = browserAt('/store/purchase?product=month#hand-over=secret');
  expect(replaced).toEqual(['/store/purchase?product=month']);
  expect([handOver.take(), handOver.take()]).toEqual(['secret', undefined]);
});

test.each(['/store/purchase', '/#download', '/store/purchase?hand-over=secret'])(
  'there is none in %s, which stays as it is',
  (address) => {
    const { handOver, replaced } = browserAt(address);
    expect(replaced).toEqual([]);
    expect(handOver.take()).toBeUndefined();
  },
);

test.each([
  [365, '1 year', '1年', '1 年'],
  [730, '2 years', '2年', '2 年'],
  [30, '1 month', '1个月', '1 個月'],
  [360, '12 months', '12个月', '12 個月'],
  [7, '1 week', '1周', '1 週'],
  [10, '10 days', '10天', '10 天'],
])('%i days are %s, %s, %s', (days, ...expected) => {
  expect(['en', 'zh-Hans', 'zh-Hant'].map((language) => formatPeriod(days, language))).toEqual(expected);
});
