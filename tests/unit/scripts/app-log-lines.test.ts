import { expect, test } from 'vitest';
import { createAppLogLines } from '../../../scripts/start/app-log-lines.ts';

const record = (level: number, msg: string, message?: string) =>
  `${JSON.stringify({ level, time: 0, msg, ...(message !== undefined && { err: { message, stack: 'at …' } }) })}\n`;

test("warnings and failures in the app's log are shown, each once and in a line", () => {
  const lines: string[] = [];
  const take = createAppLogLines((line) => lines.push(line));
  const output = [
    record(30, 'networks cannot be asked for', 'no bus'),
    record(40, 'keychain not usable', 'no bus'),
    record(40, 'keychain not usable', 'no bus'),
    'Segmentation fault\n',
    record(50, 'the window has crashed'),
    record(50, 'the page could not be loaded', 'closed\nCall log:\n  - navigating'),
  ].join('');
  // As a pipe may cut it.
  take(output.slice(0, 100));
  take(output.slice(100));
  expect(lines).toEqual([
    'The app says: keychain not usable: no bus',
    'Segmentation fault',
    'The app says: the window has crashed',
    'The app says: the page could not be loaded: closed',
  ]);
});
