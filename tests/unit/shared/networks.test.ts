import { expect, test } from 'vitest';
import { isTrusted, ssid, ssidText, type CurrentNetwork } from '#shared/networks.ts';

const hex = (name: string) => Buffer.from(name).toString('hex');
const home: CurrentNetwork = { kind: 'wifi', ssid: hex('home'), isProtected: true };
const rules = { trustWired: false, trustedNetworks: [hex('home')] };

test('a Wi-Fi network is trusted by the bytes of its name, and only if it is protected', () => {
  expect(isTrusted(home, rules)).toBe(true);
  expect(isTrusted({ ...home, ssid: hex('Home') }, rules)).toBe(false);
  expect(isTrusted({ ...home, ssid: hex('home\0') }, rules)).toBe(false);
  expect(isTrusted({ ...home, isProtected: false }, rules)).toBe(false);
  expect(isTrusted({ kind: 'wifi', isProtected: true }, rules)).toBe(false);
});

test('wired networks are trusted where that is set, others never, and no network is neither', () => {
  expect(isTrusted({ kind: 'wired' }, rules)).toBe(false);
  expect(isTrusted({ kind: 'wired' }, { ...rules, trustWired: true })).toBe(true);
  expect(isTrusted({ kind: 'other' }, { ...rules, trustWired: true })).toBe(false);
  expect(isTrusted({ kind: 'none' }, rules)).toBeUndefined();
});

test('a name is up to 32 bytes of anything', () => {
  for (const good of [hex('a'), '00', 'ff'.repeat(32)]) expect(ssid.safeParse(good).success).toBe(true);
  for (const bad of ['', 'f', 'FF', 'zz', 'ff'.repeat(33), ' ff'])
    expect(ssid.safeParse(bad).success).toBe(false);
});

test('a name that is text is shown as it is', () => {
  for (const name of ['home', 'Café 3', '家里的 Wi-Fi', 'בית', '🏠']) expect(ssidText(hex(name))).toBe(name);
});

test('a hostile name is shown without what deceives, and with its bytes', () => {
  const shown: [string, string][] = [
    ['home\u{202e}x', 'homex'],
    ['ho\u{200b}me', 'home'],
    ['ho\u{ad}me', 'home'],
    ['ho\u{3164}me', 'home'],
    ['\u{feff}home', 'home'],
    ['home\u{fe0f}', 'home'],
    ['home ', 'home'],
    ['ho\nme', 'home'],
    ['home\0', 'home'],
    ['\u{1b}[31mhome', '[31mhome'],
    ['a\u{a0}b', 'a b'],
  ];
  for (const [name, text] of shown) expect(ssidText(hex(name))).toBe(`${text} (${hex(name)})`);
  expect(ssidText('ff00')).toBe('(ff00)');
  expect(ssidText('20')).toBe('(20)');
  expect(ssidText('686f6d65ff')).toBe('home (686f6d65ff)');
});
