import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { parseDesktopEntry } from '../../../../../src/main/programs/linux/desktop-entry.ts';
import { parseExec } from '../../../../../src/main/programs/linux/exec-line.ts';

const fields = { name: 'An app', icon: 'an-app', file: '/usr/share/applications/an-app.desktop' };

test.each<[string, string[] | undefined]>([
  ['firefox %u', ['firefox']],
  ['/usr/bin/chromium %U', ['/usr/bin/chromium']],
  ['editor --file=%f %F', ['editor', '--file=']],
  ['app %i --name %c --from %k', ['app', '--icon', 'an-app', '--name', 'An app', '--from', fields.file]],
  ['app %d %D %n %N %v %m', ['app']],
  ['app 100%%', ['app', '100%']],
  ['"/opt/An app/run" --flag', ['/opt/An app/run', '--flag']],
  [String.raw`app "a \"b\" \$c \\ \d"`, ['app', String.raw`a "b" $c \ \d`]],
  // As Wine writes it, beyond the specification.
  [
    String.raw`env WINEPREFIX="/home/me/.wine" wine C:\\\\windows\\\\app.exe`,
    ['env', 'WINEPREFIX=/home/me/.wine', 'wine', String.raw`C:\\windows\\app.exe`],
  ],
  [`sh -c 'echo "$HOME" && exec app'`, ['sh', '-c', 'echo "$HOME" && exec app']],
  ['app $(reboot) `reboot` ; reboot', ['app', '$(reboot)', '`reboot`', ';', 'reboot']],
  ['app "" last', ['app', '', 'last']],
  ['', undefined],
  ['   ', undefined],
  ['"" app', undefined],
  ['app "no end', undefined],
  ["app 'no end", undefined],
  ['app \\', undefined],
  ['app %z', undefined],
  ['app %', undefined],
])('the arguments of %j', (exec, args) => {
  expect(parseExec(exec, fields)).toEqual(args);
});

test('an icon that is not there leaves nothing of its field code', () => {
  expect(parseExec('app %i', { ...fields, icon: undefined })).toEqual(['app']);
});

test('names are in the first language that there is, with their escapes resolved', async () => {
  const text = await readFile('tests/fixtures/desktop-entries/chromium.desktop', 'utf8');
  const entry = parseDesktopEntry(text);
  expect(entry?.localised('Name', ['zh_CN', 'zh'])).toBe('Chromium 网页浏览器');
  expect(entry?.localised('Name', ['zh_HK', 'zh_TW'])).toBe('Chromium 網頁瀏覽器');
  expect(entry?.localised('Name', ['en'])).toBe('Chromium Web Browser');
  expect(entry?.text('Exec')).toBe('/usr/bin/chromium %U');
  expect(entry?.is('Terminal')).toBe(false);
  expect(parseDesktopEntry('[Desktop Entry]\nName=a\\sb\\nc\\\\d\n')?.text('Name')).toBe('a b\nc\\d');
});

test('only the group of the entry itself counts, and lines that are none are passed over', () => {
  const entry = parseDesktopEntry(
    [
      '# Name=comment',
      'Name=before any group',
      '[Desktop Action new]',
      'Name=action',
      '[Desktop Entry]',
      'nonsense',
      '=no key',
      'Name = spaced ',
      'OnlyShowIn=GNOME;;a\\;b;',
      '[Desktop Action other]',
      'Name=other',
    ].join('\r\n'),
  );
  expect(entry?.text('Name')).toBe('spaced');
  expect(entry?.list('OnlyShowIn')).toEqual(['GNOME', 'a;b']);
  expect(parseDesktopEntry('[Other]\nName=x')).toBeUndefined();
  expect(parseDesktopEntry('')).toBeUndefined();
});
