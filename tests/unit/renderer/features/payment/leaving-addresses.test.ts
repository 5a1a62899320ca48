import { describe, expect, test } from 'vitest';
import { payAddress } from '../../../../../src/renderer/features/payment/pay-address.ts';
import {
  isOwnStore,
  purchaseAddress,
} from '../../../../../src/renderer/features/purchase/purchase-address.ts';
import { webAddress } from '#shared/host/web-address.ts';

const hostile = [
  'javascript:alert(1)',
  ' javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'file:///etc/passwd',
  'blob:https://shop.example/1',
  'waymaker://app/',
  'mailto:a@example.com',
  'https://bank.example@evil.example/',
  'https://user:password@shop.example/',
  '//evil.example/',
  '/store',
  '',
  'nonsense',
];

describe('where the service may send the browser', () => {
  test.each(['https://shop.example/buy?x=1', 'http://127.0.0.1:8787/store/purchase'])('%s', (address) => {
    expect(webAddress(address)).toBe(address);
  });
  test.each(hostile)('not to %j', (address) => {
    expect(webAddress(address)).toBeUndefined();
    expect(purchaseAddress(address, { email: 'a@example.com' })).toBeUndefined();
    expect(payAddress(address, ['https://shop.example/'])).toBeUndefined();
  });
});

describe('the purchase page gets the email of the user', () => {
  test.each([
    ['https://shop.example/', 'a+b@example.com', 'https://shop.example/?email=a%2Bb%40example.com'],
    ['https://shop.example/?plan=1#top', 'a@b.io', 'https://shop.example/?plan=1&email=a%40b.io#top'],
    ['https://shop.example/?email=x@y.io', 'a@b.io', 'https://shop.example/?email=a%40b.io'],
    ['https://shop.example/', 'a@b.io&admin=1', 'https://shop.example/?email=a%40b.io%26admin%3D1'],
  ])('%s for %s', (address, email, expected) => {
    expect(purchaseAddress(address, { email })).toBe(expected);
  });
});

describe('a hand-over', () => {
  const code = 'c'.repeat(43);

  test('stands behind the #, which no server gets, and in the place of the email', () => {
    const address = purchaseAddress('https://vpn.example/store/purchase?x=1', {
      email: 'a@b.io',
      handOver: code,
    });
    expect(address).toBe(`https://vpn.example/store/purchase?x=1#hand-over=${code}`);
  });
  test.each([
    ['https://vpn.example/store/purchase', true],
    ['https://shop.example/', false],
    ['https://vpn.example:8443/store/purchase', false],
    ['http://vpn.example/store/purchase', false],
    ['https://vpn.example@evil.example/', false],
    ['javascript:1', false],
  ])('is for the service’s own store alone: %s', (address, expected) => {
    expect(isOwnStore({ pay_url: 'https://vpn.example/pay/order' }, address)).toBe(expected);
    expect(isOwnStore({ pay_url: 'javascript:1' }, address)).toBe(false);
  });
});

describe('a payment page', () => {
  const service = ['http://127.0.0.1:8787', 'http://service.test:8787/pay/order'];

  test('is https, wherever it is', () => {
    expect(payAddress('https://pay.example/1', service)).toBe('https://pay.example/1');
  });
  test.each(['http://127.0.0.1:8787/wordgate/pay/1', 'http://service.test:8787/wordgate/pay/1'])(
    'is plain http where the service is reached so itself: %s',
    (address) => expect(payAddress(address, service)).toBe(address),
  );
  test.each(['http://pay.example/1', 'http://127.0.0.1:8788/', 'http://service.test/'])(
    'is not plain http elsewhere: %s',
    (address) => expect(payAddress(address, service)).toBeUndefined(),
  );
  test('is not plain http for a service behind https', () => {
    expect(payAddress('http://console.example/pay', ['https://console.example', ''])).toBeUndefined();
  });
});
