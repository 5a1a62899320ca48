import { expect, test } from 'vitest';
import { endOf } from '../../../../helper/engine/own/process/told-end.ts';

const notGranted = (status: number) =>
  endOf({ kind: 'not-granted', outcome: { kind: 'refused', status, reason: '' } }, undefined);

test.each([
  [400, 'anylink, once it has been started anew'],
  [401, 'ocserv'],
  [403, 'what stands before a gateway'],
])('status %i is a session that is not known: %s', (status) => {
  expect(notGranted(status)).toBe('session-refused');
});

test.each([200, 302, 404, 500, 502, 503])('status %i says nothing of the session', (status) => {
  expect(notGranted(status)).toBe('failed');
});
