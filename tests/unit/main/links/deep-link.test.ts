import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { linkAmong, parseDeepLink } from '../../../../src/main/links/deep-link.ts';

describe('what a link can ask for', () => {
  test.each([
    ['waymaker://open', { does: 'open' }],
    ['waymaker://open/', { does: 'open' }],
    ['WAYMAKER://open', { does: 'open' }],
    ['waymaker://connect', { does: 'connect', serverId: undefined }],
    ['waymaker://connect?server=eu-1', { does: 'connect', serverId: 'eu-1' }],
    ['waymaker://connect/?server=eu.1:2_3', { does: 'connect', serverId: 'eu.1:2_3' }],
  ])('%s', (link, expected) => {
    expect(parseDeepLink(link)).toEqual(expected);
  });
});

describe('nothing else does anything', () => {
  test.each([
    'waymaker:',
    'waymaker://',
    'waymaker:connect',
    'waymaker:///connect',
    'waymaker://app/dashboard',
    'waymaker://app/device-login?deviceId=x&token=y',
    'waymaker://disconnect',
    'waymaker://quit',
    'waymaker://connect/../open',
    'waymaker://connect/x',
    'waymaker://connect#x',
    'waymaker://connect:443',
    'waymaker://user:password@connect',
    'waymaker://connect@evil.example',
    'waymaker://connect?server=',
    'waymaker://connect?server=a&server=b',
    'waymaker://connect?server=a&killSwitch=false',
    'waymaker://connect?address=evil.example',
    'waymaker://connect?server=https://evil.example',
    'waymaker://connect?server=../../etc',
    'waymaker://connect?server=a%00b',
    'waymaker://connect?server=a%0ab',
    'waymaker://connect?server=%3Cscript%3E',
    'waymaker://connect?server=%E2%80%AEtxt',
    `waymaker://connect?server=${'a'.repeat(129)}`,
    `waymaker://open${' '.repeat(600)}`,
    'waymaker://connect?ser\tver=a',
    'waymaker://connect?server=a\n',
    'waymaker://open\r\n',
    '\u0000waymaker://open',
    ' waymaker://open ',
    'https://connect',
    'javascript:waymaker://connect',
    ' --inspect waymaker://connect',
    '',
  ])('%s', (link) => {
    expect(parseDeepLink(link)).toBeUndefined();
  });

  test('whatever the text is, it is one of these or nothing', () => {
    const parts = fc.constantFrom(
      'waymaker://',
      'connect',
      'open',
      '?server=',
      'a',
      '/',
      '%00',
      '@',
      '#',
      '&',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(parts, fc.string())), (texts) => {
        const link = parseDeepLink(texts.join(''));
        if (link?.does === 'connect') expect(link.serverId ?? 'a').toMatch(/^[\w.:-]+$/);
      }),
    );
  });
});

test('only the last of a program’s arguments can be a link', () => {
  expect(linkAmong(['app', '--', 'waymaker://open'])).toBe('waymaker://open');
  expect(linkAmong(['app', 'waymaker://open', '--hidden'])).toBeUndefined();
  expect(linkAmong(['app', 'https://waymaker.example'])).toBeUndefined();
  expect(linkAmong([])).toBeUndefined();
});
