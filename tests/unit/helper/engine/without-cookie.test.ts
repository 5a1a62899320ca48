import { expect, test } from 'vitest';
import { withoutCookie } from '../../../../helper/engine/without-cookie.ts';

test.each([
  ['webvpn=0123456789ABCDEF', 'Session webvpn=0123456789ABCDEF has ended', 'Session [cookie] has ended'],
  ['webvpn=0123456789ABCDEF', 'Session 0123456789ABCDEF has ended', 'Session [cookie] has ended'],
  ['0123456789ABCDEF', 'Session 0123456789ABCDEF has ended', 'Session [cookie] has ended'],
  ['webvpn=QUJDREVGRw==', 'Session QUJDREVGRw== has ended', 'Session [cookie] has ended'],
  // A long text is cut somewhere.
  ['webvpn=0123456789ABCDEF', 'Ended: webvpn=0123456789ABCDE', 'Ended: [cookie]'],
  ['webvpn=0123456789ABCDEF', 'Ended: webvpn=0', 'Ended: [cookie]'],
  ['webvpn=0123456789ABCDEF', 'Ended: 01234567', 'Ended: [cookie]'],
  ['webvpn=0123456789ABCDEF', '0123456789ABCDEF 0123456789ABCDE', '[cookie] [cookie]'],
  ['webvpn=0123456789ABCDEF', 'Ended at 0123456', 'Ended at 0123456'],
  ['webvpn=0123456789ABCDEF', 'Ended at 01234567 hours', 'Ended at 01234567 hours'],
  // Who chooses such a cookie has no secret, and could have every text garbled.
  ['webvpn=e', 'The session has ended: webvpn=e', 'The session has ended: [cookie]'],
  ['webvpn=', 'The session has ended', 'The session has ended'],
])('a gateway whose cookie is %s says “%s”, and “%s” is told', (cookie, text, told) => {
  expect(withoutCookie(text, cookie)).toBe(told);
});
