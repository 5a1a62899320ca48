import { expect, test } from 'vitest';
import { externalLink } from '#shared/host/external-link.ts';

test.each([
  ['https://example.com/a?b#c', 'https://example.com/a?b#c'],
  ['HTTP://EXAMPLE.com', 'http://example.com/'],
  ['mailto:help@example.com', 'mailto:help@example.com'],
])('%s may be opened', (link, opened) => {
  expect(externalLink(link)).toBe(opened);
});

test.each([
  'file:///etc/passwd',
  'javascript:alert(1)',
  'smb://server/share',
  'ms-settings:',
  'waymaker://app/',
  'https://user:password@example.com/',
  'https://bank.example@evil.example/',
  '/usr/bin/xterm',
  '--help',
  '',
])('%j may not', (link) => {
  expect(externalLink(link)).toBeUndefined();
});
