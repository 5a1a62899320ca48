import { describe, expect, test } from 'vitest';
import { scriptFunctions } from '../../../../../src/main/way-out/script/script-functions.ts';

const names: Readonly<Record<string, string[]>> = {
  'gw.example': ['2001:db8::7', '192.0.2.7'],
  'only6.example': ['2001:db8::8'],
};
const at = (time: string) =>
  scriptFunctions({
    own: ['198.51.100.5', '2001:db8::5'],
    addressesOf: (name) => names[name] ?? [],
    now: () => new Date(time),
  });
type Arguments = (string | number | boolean | null)[];
const call = (name: string, args: Arguments, time = '2026-11-27T16:50:30Z') => at(time)[name]?.(...args);

test.each<[string, Arguments, unknown]>([
  ['isPlainHostName', ['intranet'], true],
  ['isPlainHostName', ['www.example'], false],
  ['dnsDomainIs', ['www.example.com', '.EXAMPLE.com'], true],
  ['dnsDomainIs', ['www.example.org', '.example.com'], false],
  ['dnsDomainLevels', ['a.b.c'], 2],
  ['localHostOrDomainIs', ['www', 'www.example.com'], true],
  ['localHostOrDomainIs', ['www.example.org', 'www.example.com'], false],
  ['localHostOrDomainIs', ['ww', 'www.example.com'], false],
  ['shExpMatch', ['https://a.example/', '*.example/*'], true],
  ['shExpMatch', ['a.example', 'a?example'], true],
  ['shExpMatch', ['axexample', 'a.example'], false],
  ['shExpMatch', ['abcabd', '*abd'], true],
  ['shExpMatch', ['a', 'a**'], true],
  ['shExpMatch', ['', ''], true],
  ['shExpMatch', ['ab', 'a'], false],
  ['shExpMatch', ['a[b]', 'a[b]'], true],
  ['dnsResolve', ['gw.example'], '192.0.2.7'],
  ['dnsResolve', ['only6.example'], null],
  ['dnsResolve', ['192.0.2.9'], '192.0.2.9'],
  ['dnsResolveEx', ['gw.example'], '2001:db8::7;192.0.2.7'],
  ['isResolvable', ['only6.example'], false],
  ['isResolvableEx', ['only6.example'], true],
  ['isInNet', ['gw.example', '192.0.2.0', '255.255.255.0'], true],
  ['isInNet', ['gw.example', '192.0.3.0', '255.255.255.0'], false],
  ['isInNet', ['200.0.0.1', '200.0.0.0', '255.0.0.0'], true],
  ['isInNet', ['nowhere.example', '0.0.0.0', '0.0.0.0'], false],
  ['isInNet', ['gw.example', 'rubbish', null], false],
  ['isInNetEx', ['gw.example', '2001:db8::/32'], true],
  ['isInNetEx', ['gw.example', '10.0.0.0/8'], false],
  ['isInNetEx', ['gw.example', '10.0.0.0/99'], false],
  ['convert_addr', ['192.0.2.1'], 3_221_225_985],
  ['myIpAddress', [], '198.51.100.5'],
  ['myIpAddressEx', [], '198.51.100.5;2001:db8::5'],
  ['shExpMatch', [], true],
  ['isPlainHostName', [null], true],
])('%s%j is %j', (name, args, result) => {
  expect(call(name, args)).toBe(result);
});

describe('on Friday, 27 November 2026, at 16:50:30 UTC', () => {
  test.each<[string, Arguments, boolean]>([
    ['weekdayRange', ['FRI', 'GMT'], true],
    ['weekdayRange', ['mon', 'fri', 'GMT'], true],
    ['weekdayRange', ['MON', 'THU', 'GMT'], false],
    ['weekdayRange', ['SAT', 'MON', 'GMT'], false],
    ['weekdayRange', ['THU', 'MON', 'GMT'], true],
    ['weekdayRange', ['nonsense', 'GMT'], false],
    ['dateRange', [27, 'GMT'], true],
    ['dateRange', [1, 26, 'GMT'], false],
    ['dateRange', ['NOV', 'GMT'], true],
    ['dateRange', ['OCT', 'FEB', 'GMT'], true],
    ['dateRange', [2026, 'GMT'], true],
    ['dateRange', [2027, 2030, 'GMT'], false],
    ['dateRange', [27, 'NOV', 2026, 'GMT'], true],
    ['dateRange', [1, 'JUN', 31, 'DEC', 'GMT'], true],
    ['dateRange', ['JAN', 2025, 'OCT', 2026, 'GMT'], false],
    ['dateRange', [1, 'JAN', 2026, 31, 'DEC', 2026, 'GMT'], true],
    ['dateRange', ['GMT'], false],
    ['dateRange', [0, 'GMT'], false],
    ['timeRange', [16, 'GMT'], true],
    ['timeRange', [8, 16, 'GMT'], true],
    ['timeRange', [17, 18, 'GMT'], false],
    ['timeRange', [22, 6, 'GMT'], false],
    ['timeRange', [22, 17, 'GMT'], true],
    ['timeRange', [16, 50, 16, 50, 'GMT'], true],
    ['timeRange', [16, 51, 17, 0, 'GMT'], false],
    ['timeRange', [16, 50, 30, 16, 50, 30, 'GMT'], true],
    ['timeRange', [16, 50, 31, 16, 50, 59, 'GMT'], false],
    ['timeRange', ['GMT'], false],
    ['timeRange', [1, 2, 3, 'GMT'], false],
  ])('%s%j is %j', (name, args, result) => {
    expect(call(name, args)).toBe(result);
  });
});
