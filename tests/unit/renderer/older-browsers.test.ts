import { afterAll, beforeAll, expect, test } from 'vitest';
import { cutText } from '#shared/cut-text.ts';
import type { ServerGroup } from '#shared/entities.ts';
import { externalLink } from '#shared/host/external-link.ts';
import { webAddress } from '#shared/host/web-address.ts';
import { canonicalName } from '#shared/tunnel/domain-name.ts';
import { canonicalPrefix } from '#shared/tunnel/prefix.ts';
import { payAddress } from '../../../src/renderer/features/payment/pay-address.ts';
import { mailLink } from '../../../src/renderer/features/problem-report/mail-link.ts';
import { isOwnStore } from '../../../src/renderer/features/purchase/purchase-address.ts';
import { serverRows } from '../../../src/renderer/features/server-chooser/server-rows.ts';
import { createJsonRpcTransport } from '../../../src/renderer/platform/webview/json-rpc-transport.ts';
import { loadChunk } from '../../../src/renderer/ui/loading/load-chunk.ts';
import { createTestPort } from '../webview/test-port.ts';

/** What a browser that the pages are built for may not have: Chrome 111, Firefox 115, Safari 16.4. */
const newer: [object, string[]][] = [
  [Promise, ['withResolvers', 'try']],
  [Map, ['groupBy']],
  [Object, ['groupBy']],
  [Array, ['fromAsync']],
  [URL, ['parse', 'canParse']],
  [String.prototype, ['isWellFormed', 'toWellFormed']],
  [Intl, ['Segmenter']],
];

const restore: (() => void)[] = [];
beforeAll(() => {
  for (const [owner, names] of newer) {
    for (const name of names) {
      const descriptor = Object.getOwnPropertyDescriptor(owner, name);
      if (!descriptor) continue;
      Reflect.deleteProperty(owner, name);
      restore.push(() => Object.defineProperty(owner, name, descriptor));
    }
  }
});
afterAll(() => {
  for (const put of restore) put();
});

test('an older browser loads parts of the app on demand', async () => {
  expect(await loadChunk(() => Promise.resolve('loaded'))).toBe('loaded');
  await expect(loadChunk(() => Promise.reject(new Error('gone')), 1)).rejects.toThrow('gone');
});

test('an older webview asks the app around it', async () => {
  const port = createTestPort(({ id }) =>
    queueMicrotask(() => port.say({ jsonrpc: '2.0', id, result: null })),
  );
  expect(await createJsonRpcTransport(port).request('storage.get', 'user')).toBeNull();
});

test('an older browser opens and refuses the same addresses', () => {
  expect(webAddress('https://Example.com')).toBe('https://example.com/');
  expect(externalLink('mailto:help@example.com')).toBe('mailto:help@example.com');
  for (const address of ['', 'https://', 'javascript:alert(1)', 'https://a@b.example/']) {
    expect(webAddress(address)).toBeUndefined();
    expect(externalLink(address)).toBeUndefined();
  }
  expect(isOwnStore({ pay_url: 'https://vpn.example/pay' }, 'https://vpn.example/store')).toBe(true);
  expect(isOwnStore({ pay_url: 'https://vpn.example/pay' }, 'https://shop.example/')).toBe(false);
  expect(payAddress('http://vpn.example/pay', ['', 'http://vpn.example/store'])).toBe(
    'http://vpn.example/pay',
  );
});

test('an older browser reads names and networks', () => {
  expect(canonicalName('Bücher.example')).toBe('xn--bcher-kva.example');
  expect(canonicalName('http://')).toBeUndefined();
  expect(canonicalPrefix('2001:DB8::1/32')).toBe('2001:db8::/32');
  expect(canonicalPrefix('1:2:3/32')).toBeUndefined();
});

test('an older browser lists servers by country', () => {
  const servers = [
    { serverId: 'zurich', name: 'Zürich', domain: 'gw.example', country: 'CH' },
    { serverId: 'vienna', name: 'Vienna', domain: 'gw.example', country: 'AT' },
  ];
  const group: ServerGroup = {
    id: 'eu',
    name: 'Europe',
    isTrial: false,
    trialExpiredAt: null,
    items: [{ id: 'eu', level: 1, servers }],
  };
  const kept = { favourites: [], recents: [] };
  const rows = serverRows({ groups: [group], query: '', language: 'en', kept, hasFastest: false });
  expect(rows.map(({ key }) => key)).toEqual([
    'group eu',
    'country eu AT',
    'vienna',
    'country eu CH',
    'zurich',
  ]);
});

test('an older browser cuts texts between characters', () => {
  expect(cutText('Grüße', 3)).toBe('Grü');
  const link = mailLink({ to: 'help@example.com', subject: 's', description: 'half \ud83d', ending: 'e' });
  expect(decodeURIComponent(link)).toContain('half \ufffd');
});
