import { expect, test } from 'vitest';
import { isSamePage } from '../../../../src/main/gateway/sign-in/same-page.ts';

test.each([
  ['https://gw.example.net/done', true],
  ['https://GW.example.net:443/done?code=1#x', true],
  ['https://gw.example.net/done/', true],
  ['https://gw.example.net/done/more', false],
  ['https://gw.example.net/Done', false],
  ['https://gw.example.net/', false],
  ['https://gw.example.net:8443/done', false],
  ['https://other.example.net/done', false],
  ['http://gw.example.net/done', false],
  ['not an address', false],
])('%s ends a sign-in by browser that ends at /done: %s', (url, isEnd) => {
  for (const page of ['https://gw.example.net/done', 'https://gw.example.net/done/'])
    expect(isSamePage(url, page)).toBe(isEnd);
});
