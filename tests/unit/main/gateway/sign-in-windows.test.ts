import { expect, test } from 'vitest';
import { mayOpenWindow } from '../../../../src/main/gateway/sign-in/sign-in-windows.ts';

test('a page that signs somebody in may open windows of its own, of https or still empty', () => {
  expect(mayOpenWindow('https://idp.example/push?x=1', 1)).toBe(true);
  expect(mayOpenWindow('about:blank', 1)).toBe(true);
  for (const url of [
    'http://idp.example/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:text/html,x',
    'about:srcdoc',
    'chrome://settings',
    'waymaker://open',
    'ms-settings:',
    'https:',
    '',
  ])
    expect.soft(mayOpenWindow(url, 1), url).toBe(false);
});

test('a page that opens one window after another fills no screen', () => {
  let open = 1;
  while (open < 100 && mayOpenWindow('https://idp.example/', open)) open += 1;
  expect(open).toBeGreaterThan(2);
  expect(open).toBeLessThan(10);
});
