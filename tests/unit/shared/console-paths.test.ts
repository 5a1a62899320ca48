import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { canonicalPath, consolePaths, isConsolePath } from '#shared/console-paths.ts';

const renderer = path.resolve(import.meta.dirname, '../../../src/renderer');
const sources = [
  'ui/pages/sections.ts',
  ...readdirSync(path.join(renderer, 'shell')).map((file) => `shell/${file}`),
];

test('every page of the router is one of the console', () => {
  const texts = sources.map((file) => readFileSync(path.join(renderer, file), 'utf8')).join('\n');
  const routed = [...texts.matchAll(/\bpath: '(\/[^']*)'/g)].map(([, found]) => found);
  expect(routed.length).toBeGreaterThan(20);
  expect(consolePaths).toEqual(expect.arrayContaining(routed));
});

test.each(['/', '/dashboard', '/vpn/', '/apps/7', '/pay/confirming', '/DASHBOARD', '/Pay/Order//'])(
  '%s is a page',
  (address) => {
    expect(isConsolePath(address)).toBe(true);
  },
);

test.each(['/api/user-info', '/store/none', '/apps/7/8', '/service-worker.js', '/assets/x.js', '/xx'])(
  '%s is the service’s own',
  (address) => {
    expect(isConsolePath(address)).toBe(false);
  },
);

test.each([
  ['/', '/'],
  ['/DASHBOARD', '/dashboard'],
  ['/Device-Login/', '/device-login'],
  ['/device%2Dlogin//', '/device-login'],
  ['/Apps/AbC%20d/', '/apps/AbC%20d'],
  ['/APPS/Create', '/apps/create'],
  ['/apps/', '/apps'],
  ['/Not/There/', '/Not/There'],
  ['/%ff', '/%ff'],
])('the page at %s is that of %s, which stays as it is', (pathname, page) => {
  expect(canonicalPath(pathname)).toBe(page);
  expect(canonicalPath(page)).toBe(page);
});
