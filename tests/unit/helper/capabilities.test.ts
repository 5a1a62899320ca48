import { expect, test } from 'vitest';
import { helperCapabilities } from '../../../helper/version.ts';

test('a system announces only what it has', () => {
  const all = helperCapabilities({ groups: true, proxies: true, portals: true });
  const none = helperCapabilities({ groups: false, proxies: false, portals: false });
  expect(all.filter((name) => !none.includes(name))).toEqual(['routing.pac', 'routing.app', 'portal']);
  expect(none).toEqual(expect.arrayContaining(['routing.global', 'routing.ip', 'log']));
});
