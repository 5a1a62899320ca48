import { expect, test } from 'vitest';
import { causeOf, endOf, goodbyeOf } from '../../../../helper/engine/own/process/engine-end.ts';

const notGranted = (status: number) =>
  endOf({ kind: 'not-granted', outcome: { kind: 'refused', status, reason: '', text: '' } }, undefined);

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
  const outcome = { kind: 'refused', status, reason: '', text: '' } as const;
  const why = { kind: 'not-granted', outcome } as const;
  expect(causeOf(why, undefined)).toBe('gateway-refuses-connections');
});

test('what a gateway says for people as it refuses a tunnel is told like a goodbye', () => {
  const refused = { kind: 'refused', status: 503, reason: 'Service Unavailable: No licence' } as const;
  const goodbye = (text: string) => goodbyeOf({ kind: 'not-granted', outcome: { ...refused, text } });
  expect([goodbye('No licence'), goodbye('')]).toEqual(['No licence', undefined]);
});

test('only a gateway’s last words are its goodbye', () => {
  const by = (text: string) => ({ kind: 'goodbye', final: true, text }) as const;
  expect(goodbyeOf({ kind: 'ended', by: by('Idle timeout') })).toBe('Idle timeout');
  expect(goodbyeOf({ kind: 'ended', by: by('') })).toBeUndefined();
  expect(goodbyeOf({ kind: 'ended', by: { kind: 'closed', why: 'read ECONNRESET' } })).toBeUndefined();
  expect(
    goodbyeOf({ kind: 'not-granted', outcome: { kind: 'unusable', why: 'compression' } }),
  ).toBeUndefined();
  expect(goodbyeOf({ kind: 'dead' })).toBeUndefined();
});
