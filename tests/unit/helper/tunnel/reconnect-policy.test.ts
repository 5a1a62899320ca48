import { expect, test } from 'vitest';
import { decide } from '../../../../helper/tunnel/reconnect-policy.ts';

const refused = { gatewayCertificates: 0, clientCertificates: 0 };

test('a session that may be to blame is renewed where it has been good, and not where it is new', () => {
  expect(decide('session-doubted', false, true, refused)).toEqual({ session: 'refused' });
  expect(decide('session-doubted', false, false, refused)).toEqual({ giveUp: 'engine-failed' });
  // As long as that is certain, a prepared session may be an old one.
  expect(decide('session-refused', false, false, refused)).toEqual({ session: 'refused' });
});
