import { expect, test } from 'vitest';
import { withoutCookie } from '../../../../helper/engine/without-cookie.ts';

test.each([
  ['webvpn=0123456789ABCDEF', 'Session webvpn=0123456789ABCDEF has ended', 'Session [cookie] has ended'],
  ['webvpn=0123456789ABCDEF', 'Session 0123456789ABCDEF has ended', 'Session [cookie] has ended'],
  ['0123456789ABCDEF', 'Session 0123456789ABCDEF has ended', 'Session [cookie] has ended'],
  ['webvpn=QUJDREVGRw==', 'Session QUJDREVGRw== has ended', 'Session [cookie] has ended'],
  // Who chooses such a cookie has no secret, and could have every text garbled.
  ['webvpn=e', 'The session has ended: webvpn=e', 'The session has ended: [cookie]'],
  ['webvpn=', 'The session has ended', 'The session has ended'],
])('a gateway whose cookie is %s says “%s”, and “%s” is told', (cookie, text, told) => {
  expect(withoutCookie(text, cookie)).toBe(told);
});
