import { expect, test } from 'vitest';
import { mailLink } from '../../../../../src/renderer/features/problem-report/mail-link.ts';

const mail = {
  to: 'help@example.com',
  subject: 'Problem with Waymaker 1.2.3',
  ending: 'Please attach the report.',
};

/** The description in a link, as a mail program reads it (RFC 6068). */
function descriptionIn(link: string): string {
  const url = new URL(link);
  expect(url.pathname).toBe(mail.to);
  const fields = url.search.slice(1).split('&');
  const [subject, body = ''] = fields.map((field) => decodeURIComponent(field.slice(field.indexOf('=') + 1)));
  expect(subject).toBe(mail.subject);
  expect(body.endsWith(`\n\n${mail.ending}\n`)).toBe(true);
  return body.slice(0, -mail.ending.length - 3);
}

test.each(['', 'It stopped & never came back: 100 %?', '连接后打不开网页', 'half a character: \ud83d.'])(
  'the whole description, if it is short: %j',
  (description) => {
    expect(descriptionIn(mailLink({ ...mail, description }))).toBe(description.toWellFormed());
  },
);

test.each([
  ['letters', 'no connection '.repeat(500)],
  ['Chinese', '连接后打不开网页，'.repeat(500)],
  ['flags, which are four code units each', '🇳🇱'.repeat(500)],
])('only the beginning of one that no system would open: %s', (_, description) => {
  const link = mailLink({ ...mail, description });
  expect(link.length).toBeLessThanOrEqual(2000);
  expect(link.length, 'not cut more than necessary').toBeGreaterThan(1900);
  const cut = descriptionIn(link);
  expect(description.startsWith(cut)).toBe(true);
  expect(cut.isWellFormed()).toBe(true);
});
