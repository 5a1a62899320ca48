import { expect, test } from 'vitest';
import { secondStart } from '../../../src/main/desktop-second-start.ts';

const app = '/opt/Waymaker/waymaker';

test.each([
  ['by the user', [app], { showsWindow: true, link: undefined }],
  ['by a link', [app, '--', 'waymaker://connect'], { showsWindow: true, link: 'waymaker://connect' }],
  // Chromium adds switches of its own.
  [
    'at login, when the desktop has brought the app back already',
    [app, '--allow-file-access-from-files', '--hidden'],
    { showsWindow: false, link: undefined },
  ],
  [
    'by a link, with the entry that is for logins',
    [app, '--hidden', '--', 'waymaker://open'],
    { showsWindow: true, link: 'waymaker://open' },
  ],
])('what a second start asks of the app that runs: %s', (_, argv, asked) => {
  expect(secondStart(argv)).toEqual(asked);
});
