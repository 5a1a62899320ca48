import { expect, test } from 'vitest';
import { causeOf, endOf, goodbyeOf } from '../../../../helper/engine/own/process/engine-end.ts';

const notGranted = (status: number) =>
  endOf({ kind: 'not-granted', outcome: { kind: 'refused', status, reason: '' } }, undefined);

test('status 401 is a session that is not known (ocserv)', () => {
  expect(notGranted(401)).toBe('session-refused');
});

test.each([
  [400, 'anylink, once it has been started anew'],
  [403, 'what stands before a gateway'],
])('status %i may be a session that is not known: %s', (status) => {
  expect(notGranted(status)).toBe('session-doubted');
});

test.each([200, 302, 404])('status %i says nothing of the session', (status) => {
  expect(notGranted(status)).toBe('failed');
});

test.each([500, 502, 503])('status %i is a gateway that takes nobody now', (status) => {
  expect(notGranted(status)).toBe('gateway-unreachable');
  const why = { kind: 'not-granted', outcome: { kind: 'refused', status, reason: '' } } as const;
  expect(causeOf(why, undefined)).toBe('gateway-refuses-connections');
});

test('only a gateway’s last words are its goodbye', () => {
  const by = (text: string) => ({ kind: 'goodbye', final: true, text }) as const;
  expect(goodbyeOf({ kind: 'ended', by: by('Idle timeout') })).toBe('Idle timeout');
  expect(goodbyeOf({ kind: 'ended', by: by('') })).toBeUndefined();
  expect(goodbyeOf({ kind: 'ended', by: { kind: 'closed', why: 'read ECONNRESET' } })).toBeUndefined();
  expect(goodbyeOf({ kind: 'dead' })).toBeUndefined();
});
