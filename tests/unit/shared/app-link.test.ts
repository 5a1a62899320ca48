import { describe, expect, test } from 'vitest';
import { appLink } from '#shared/host/app-link.ts';

const never = [
  'javascript:alert(1)',
  ' javascript:alert(1)',
  'java\nscript:alert(1)',
  'JAVASCRIPT://%0aalert(1)',
  'vbscript:x',
  'data:text/html,x',
  'blob:https://example.com/1',
  'file:///etc/passwd',
  'about:blank',
  'content://settings/system',
  'intent://x#Intent;scheme=y;end',
  'ms-msdt:/id PCWDiagnostic',
  'ms-officecmd://x',
  'search-ms:query=x',
  'shell:startup',
  'waymaker://app/',
  'chrome://settings',
  'myapp:no-slashes',
  'https://user:password@example.com/',
  'https://',
  'nonsense',
  '',
];

describe.each(['browser', 'webkit', 'native'] as const)('%s', (type) => {
  test.each(never)('%j is never opened', (link) => {
    expect(appLink(type, link)).toBeUndefined();
  });

  test.each(['https://wiki.example.net/a?b#c', 'http://192.0.2.1:8080/'])('%j is opened', (link) => {
    expect(appLink(type, link)).toBe(link);
  });
});

test('only a native app has a scheme of its own', () => {
  expect(appLink('native', 'my.app+1://open/7?x=y')).toBe('my.app+1://open/7?x=y');
  expect(appLink('webkit', 'myapp://open')).toBeUndefined();
  expect(appLink('browser', 'myapp://open')).toBeUndefined();
  expect(appLink('browser', 'mailto:a@example.com')).toBeUndefined();
});
