import { describe, expect, test } from 'vitest';
import { language } from '#shared/entities.ts';
import { commandTexts } from '#shared/texts/command-texts.ts';
import { desktopTexts } from '#shared/texts/desktop-texts.ts';
import { en } from '#shared/texts/en.ts';
import { placeholders } from '#shared/texts/placeholders.ts';
import { createSay } from '#shared/texts/say.ts';
import { systemTexts } from '#shared/texts/system-texts.ts';
import { zhHans } from '#shared/texts/zh-hans.ts';
import { zhHant } from '#shared/texts/zh-hant.ts';

const pages = { en, 'zh-hans': zhHans, 'zh-hant': zhHant };
const systems = ['macos', 'windows'] as const;

/** What only one system, or two of them, have. */
const ofLinux =
  /\bapt\b|\bdnf\b|systemctl|systemd|NetworkManager|\/etc\/|\/var\/|\/usr\/|GNOME|KDE|Plasma|\bnft|openconnect/;
const others = {
  macos: /\.exe\b|Windows|ProgramData|管理员终端|系統管理員終端/,
  windows: /\broot\b|\bsudo\b|macOS|launchctl|\/Applications|\/Library|\bMac\b|anchor/,
};

/** What each of these says is said on one system only: the code that says it is in that system's folder. */
const saidElsewhere = {
  macos: [
    'doctor.engineBoth',
    'doctor.engineOpenconnect',
    'doctor.filterMissing',
    'doctor.filterEngineOff',
    // Of all systems, by name.
    'download.windows',
    'notice.text',
  ],
  windows: [
    'doctor.engineBoth',
    'doctor.engineOpenconnect',
    'doctor.filterMissing',
    'cause.helperUnapproved',
    'cause.helperUnapprovedTitle',
    'download.macos',
    'notice.text',
    // Windows asks for an administrator, in other words.
    'selfTest.needsRoot',
  ],
} as const;

describe.each(systems)('on %s', (system) => {
  test.each(language.options)('no text names what only another system has, in %s', (now) => {
    const usual = { ...pages[now], ...desktopTexts[now], ...commandTexts[now] };
    const said = new Set<string>([
      ...saidElsewhere[system],
      // The line of macOS's own file that the doctor asks for.
      'doctor.filterAnchorMissing',
    ]);
    const wrongIn = (texts: Record<string, string>) =>
      Object.entries(texts)
        .filter(([key, text]) => !said.has(key) && (ofLinux.test(text) || others[system].test(text)))
        .map(([key]) => key);
    expect(wrongIn(usual)).toContain('cause.helperAbsent');
    expect(wrongIn({ ...usual, ...systemTexts(system, now) })).toEqual([]);
  });

  test('each of its texts replaces one, with the same placeholders', () => {
    for (const now of language.options) {
      const usual: Record<string, string> = { ...pages[now], ...commandTexts[now] };
      for (const [key, text] of Object.entries(systemTexts(system, now) ?? {}))
        expect([key, placeholders(text)]).toEqual([key, placeholders(usual[key] ?? 'nothing')]);
    }
  });
});

test('Linux, and pages in a browser, have the usual texts', () => {
  for (const platform of ['linux', 'web'] as const) expect(systemTexts(platform, 'en')).toBeUndefined();
  const text = (platform: 'linux' | 'macos' | 'windows') => createSay('en', platform)('cause.helperAbsent');
  expect(text('linux')).toContain('systemctl start waymaker-helper');
  expect(text('macos')).toContain('launchctl kickstart');
  expect(text('windows')).toContain('sc.exe start Waymaker');
});

test('the operator’s text replaces the system’s', () => {
  const say = createSay('en', 'macos', () => ({ 'cause.helperAbsent': 'Ask your administrator.' }));
  expect(say('cause.helperAbsent')).toBe('Ask your administrator.');
});
