import { describe, expect, test } from 'vitest';
import { isOwnPage } from '../../../../src/main/page/page-address.ts';
import { isPageSender } from '../../../../src/main/page/page-sender.ts';

const development = 'http://localhost:5173';
const page = { url: 'waymaker://app/dashboard', parent: null };

describe('the host may be used', () => {
  test('by the top frame of a window of ours on a page of ours', () => {
    expect(isPageSender({ isPageWindow: true, frame: page })).toBe(true);
  });

  test.each([
    ['a foreign window', { isPageWindow: false, frame: page }],
    ['a frame inside the page', { isPageWindow: true, frame: { ...page, parent: page } }],
    ['a frame that is gone', { isPageWindow: true, frame: null }],
    ['a foreign page', { isPageWindow: true, frame: { ...page, url: 'https://evil.example/' } }],
    ['an empty page', { isPageWindow: true, frame: { ...page, url: 'about:blank' } }],
  ])('not by %s', (_who, sender) => {
    expect(isPageSender(sender, development)).toBe(false);
  });
});

describe('own pages', () => {
  test.each(['waymaker://app/', 'waymaker://app/login?next=%2Fvpn#top'])('include %s', (url) => {
    expect(isOwnPage(url)).toBe(true);
  });

  test.each([
    'waymaker://app.evil.example/',
    'waymaker://evil/app',
    'waymaker://app:1/',
    'waymaker://user@app/',
    'waymakers://app/',
    'https://app/',
    'file:///app/',
    'javascript:alert(1)',
    '',
  ])('do not include %j', (url) => {
    expect(isOwnPage(url)).toBe(false);
  });

  test('the development server counts only where there is one', () => {
    expect(isOwnPage(`${development}/login`, development)).toBe(true);
    expect(isOwnPage(`${development}/login`)).toBe(false);
    expect(isOwnPage('http://localhost:5174/', development)).toBe(false);
    expect(isOwnPage('about:blank', 'about:blank')).toBe(false);
  });
});
