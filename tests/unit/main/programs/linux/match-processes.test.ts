import { expect, test } from 'vitest';
import type { InstalledProgram } from '../../../../../src/main/programs/installed-program.ts';
import { createMatcher } from '../../../../../src/main/programs/linux/match-processes.ts';
import type { Process } from '../../../../../src/main/programs/processes.ts';

function program(id: string, command: string, more: Partial<InstalledProgram> = {}): InstalledProgram {
  const words = command.split(' ');
  return {
    id: `${id}.desktop`,
    name: id,
    icon: undefined,
    command: words,
    executable: words[0],
    isScript: false,
    directory: undefined,
    needsTerminal: false,
    sandbox: undefined,
    ...more,
  };
}

const processWith = (known: Partial<Process>): Process => ({
  pid: 5,
  parent: 1,
  startTime: '1',
  exe: '',
  args: [],
  group: '',
  sandbox: undefined,
  ...known,
});

const programs = [
  program('mail', '/usr/bin/mail'),
  // A wrapper that ends as /usr/lib/chromium/chromium.
  program('chromium', '/usr/bin/chromium', { isScript: true }),
  program('chrome', '/usr/bin/google-chrome-stable', {
    executable: '/opt/google/chrome/google-chrome',
    isScript: true,
  }),
  program('chat', '/usr/share/chat/bin/chat', { isScript: true }),
  program('writer', '/usr/lib/office/program/office.bin --writer'),
  program('calc', '/usr/lib/office/program/office.bin --calc'),
  program('notes', '/usr/bin/python3.11 /usr/share/notes/notes.py'),
  program('player', '/usr/bin/player', { isScript: true }),
  program('java-tool', 'env LANG=C /usr/bin/java -jar /opt/tool/tool.jar', { executable: '/usr/bin/java' }),
  program('python', '/usr/bin/python3.11'),
  program('org.example.Editor', '/usr/bin/sh -c editor', {}),
  program('org.example.Flat', '/usr/bin/flatpak run org.example.Flat', {
    sandbox: { kind: 'flatpak', name: 'org.example.Flat' },
  }),
  program('org.example.Dash-ed', '/usr/bin/flatpak run org.example.Dash-ed', {
    sandbox: { kind: 'flatpak', name: 'org.example.Dash-ed' },
  }),
  program('firefox_firefox', '/snap/bin/firefox', {
    executable: '/usr/bin/snap',
    sandbox: { kind: 'snap', name: 'firefox' },
  }),
];
const match = createMatcher(programs);
const slice = '/user.slice/user-1000.slice/user@1000.service/app.slice';

test.each<[what: string, process: Partial<Process>, ids: string[]]>([
  ['a program', { exe: '/usr/bin/mail' }, ['mail']],
  ['another of that name', { exe: '/home/me/bin/mail' }, []],
  [
    'what a wrapper has become',
    { exe: '/usr/lib/chromium/chromium', args: ['/usr/lib/chromium/chromium'] },
    ['chromium'],
  ],
  [
    'a wrapper that is still one',
    { exe: '/usr/bin/dash', args: ['/bin/sh', '/usr/bin/chromium'] },
    ['chromium'],
  ],
  ['what stands beside a wrapper in its own folder', { exe: '/opt/google/chrome/chrome' }, ['chrome']],
  ['what stands above it', { exe: '/usr/share/chat/chat-renderer' }, ['chat']],
  ['what stands beside a wrapper in a shared folder', { exe: '/usr/bin/ssh' }, []],
  ['a program that two share', { exe: '/usr/lib/office/program/office.bin' }, ['writer', 'calc']],
  [
    'a script by its interpreter',
    { exe: '/usr/bin/python3.11', args: ['python3', '/usr/share/notes/notes.py', '-v'] },
    ['notes'],
  ],
  ['another script', { exe: '/usr/bin/python3.11', args: ['python3', '/home/me/notes.py'] }, []],
  ['the interpreter itself', { exe: '/usr/bin/python3.11', args: ['python3.11'] }, ['python']],
  [
    'a script by its first line',
    { exe: '/usr/bin/python3.11', args: ['/usr/bin/python3', '-s', '/usr/bin/player'] },
    ['player'],
  ],
  [
    'an archive',
    { exe: '/usr/bin/java', args: ['/usr/bin/java', '-jar', '/opt/tool/tool.jar'] },
    ['java-tool'],
  ],
  ['another archive', { exe: '/usr/bin/java', args: ['/usr/bin/java', '-jar', '/opt/other.jar'] }, []],
  [
    'a unit of the desktop',
    { exe: '/usr/lib/editor', group: `${slice}/app-gnome-org.example.Editor-4711.scope` },
    ['org.example.Editor'],
  ],
  [
    'a unit without who has started it',
    { exe: '/usr/lib/editor', group: `${slice}/app-org.example.Editor@0a1b.service` },
    ['org.example.Editor'],
  ],
  [
    "another program in an application's unit",
    { exe: '/usr/bin/mail', group: `${slice}/app-gnome-org.example.Editor-4711.scope` },
    ['mail'],
  ],
  ["Flatpak's sandbox", { exe: '/app/bin/flat', sandbox: 'org.example.Flat' }, ['org.example.Flat']],
  [
    "Flatpak's unit",
    { exe: '/usr/bin/bwrap', group: `${slice}/app-flatpak-org.example.Dash\\x2ded-77.scope` },
    ['org.example.Dash-ed'],
  ],
  [
    'a sandbox of an application that is not known',
    { exe: '/usr/bin/mail', sandbox: 'org.example.Other' },
    [],
  ],
  ["snap's program", { exe: '/snap/firefox/4650/usr/lib/firefox/firefox' }, ['firefox_firefox']],
  [
    "snap's unit",
    { exe: '/usr/lib/snapd/snap-exec', group: `${slice}/snap.firefox.firefox-0a1b.scope` },
    ['firefox_firefox'],
  ],
  ['a process of which nothing is known', { exe: '' }, []],
])('%s', (_, process, ids) => {
  expect(match(processWith(process))).toEqual(ids.map((id) => `${id}.desktop`));
});

test.each(['/home/me', '/var/home/me', '/nfs/staff/m/me'])(
  'with the home %s, a wrapper among others in it says nothing of what stands beside it',
  (home) => {
    const wrapper = (id: string, file: string) => program(id, `${home}/${file}`, { isScript: true });
    const wrappers = [
      wrapper('own', '.local/bin/own'),
      wrapper('tool', 'bin/tool'),
      wrapper('game', '.local/share/game/bin/game'),
      wrapper('cargo', '.cargo/bin/cargo'),
    ];
    const matchOf = createMatcher(wrappers, home);
    const of = (exe: string) => matchOf(processWith({ exe: `${home}/${exe}` }));
    expect(of('.local/share/game/renderer'), 'positive control').toEqual(['game.desktop']);
    for (const other of ['.local/share/Steam/steam', 'bin/other', 'work/other', '.cargo/bin/other'])
      expect(of(other), other).toEqual([]);
  },
);

test('a wrapper in the folder of the processor’s libraries says nothing of what stands beside it', () => {
  const folder = '/usr/lib/x86_64-linux-gnu';
  const matchOf = createMatcher([program('tool', `${folder}/tool`, { isScript: true })]);
  expect(matchOf(processWith({ exe: `${folder}/tool` })), 'positive control').toEqual(['tool.desktop']);
  expect(matchOf(processWith({ exe: `${folder}/libexec/kf5/kio_http` }))).toEqual([]);
});
