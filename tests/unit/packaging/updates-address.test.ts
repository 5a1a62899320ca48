import { expect, test } from 'vitest';
import { updatesAddress } from '../../../packaging/updates/updates-address.ts';

test('programs look for updates at an address of https, or nowhere', () => {
  expect(updatesAddress('https://packages.example.com/windows/x64/')).toBe(
    'https://packages.example.com/windows/x64/',
  );
  expect(updatesAddress(undefined)).toBeUndefined();
  expect(updatesAddress('')).toBeUndefined();
});

test.each([
  'http://packages.example.com/windows/',
  'packages.example.com',
  'file:///srv/feed/',
  'https://guest:secret@packages.example.com/',
  'https://packages.example.com/?folder=x64',
])('no package is made that would look for updates at %s', (given) => {
  expect(() => updatesAddress(given)).toThrow('WAYMAKER_UPDATES_URL is no address');
});
