import { expect, test } from 'vitest';
import { scrubData, scrubEnvelope, scrubText } from '../../../src/shared/report-scrubbing.ts';

const token = 'Zm9vYmFyZm9vYmFyZm9vYmFyZm9vYmFyZm9vYmFyMTI';

test.each([
  ['someone@example.com', '[scrubbed]'],
  ['/api/group/members/some%2Bone%40example.com', '/api/group/members/[scrubbed]'],
  ['next=%2Fx%3Fa%3Dsome%2540example.com', 'next=[scrubbed]'],
  ['/auth-verify?email=a&authId=abc&x=1', '/auth-verify?email=[scrubbed]&authId=[scrubbed]&x=1'],
  ['Basic Zm9vOmJhcg==', 'Basic [scrubbed]'],
  ['/api/license-keys/GIFT-1/consume', '/api/license-keys/[scrubbed]/consume'],
  [`token ${token}.`, 'token [scrubbed].'],
  ['0f8fad5b-d9cb-469f-a165-70867728950e', '[scrubbed]'],
  ['your code is 123456', 'your code is [scrubbed]'],
])('%s is sent as %s', (text, sent) => {
  expect(scrubText(text)).toBe(sent);
});

test.each([
  'index-Bq-s7fdU.js:1:1973',
  'color: #123456',
  '9000b10cbce54c2cb96d0dd804e5c772',
  'npm:@sentry/browser',
  'waymaker@0.1.0',
])('%s is sent as it is', (text) => {
  expect(scrubText(text)).toBe(text);
});

test('what has a secret name is not sent, whatever it looks like', () => {
  expect(scrubData({ token: 1, headers: { Authorization: 'x', 'x-cookie': ['y'] }, title: 'kept' })).toEqual({
    token: '[scrubbed]',
    headers: { Authorization: '[scrubbed]', 'x-cookie': '[scrubbed]' },
    title: 'kept',
  });
});

test('an envelope keeps its address, and loses bytes that cannot be searched', () => {
  const dsn = 'https://key@reports.example.com/1';
  const recording = '{"segment_id":0}\n[{"href":"/x?email=a","name":"\u4e2d"}]';
  const [header, items] = scrubEnvelope([
    { dsn },
    [
      [{ type: 'event' }, { message: 'of a@example.com' }],
      [{ type: 'attachment', length: 1 }, new Uint8Array(1)],
      [{ type: 'replay_recording', length: 1 }, new Uint8Array(1)],
      [{ type: 'replay_recording', length: recording.length }, recording],
    ],
  ]);
  expect(header).toEqual({ dsn });
  expect(items).toHaveLength(2);
  expect(items[0]?.[1]).toEqual({ message: 'of [scrubbed]' });
  const [replayHeader, sent] = items[1] ?? [];
  expect(sent).toBe('{"segment_id":0}\n[{"href":"/x?email=[scrubbed]","name":"\\u4e2d"}]');
  expect(replayHeader?.length).toBe(Buffer.byteLength(String(sent)));
});
