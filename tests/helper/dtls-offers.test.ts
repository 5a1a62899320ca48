import { expect, test } from 'vitest';
import { createDtlsOffers, dtlsArguments } from '../../helper/engine/dtls-offers.ts';

const here = { host: 'gw.example.net', port: 443 };
const elsewhere = { host: 'gw.example.net', port: 8443 };

test('DTLS keys from the TLS session are offered first: they cost one round trip less', () => {
  const offers = createDtlsOffers();
  expect(offers.next(here)).toBe('resumed');
  expect(dtlsArguments('resumed').join()).not.toContain('PSK');
});

test('a gateway that took no DTLS with one offer gets the other one next, and keeps what it took', () => {
  const offers = createDtlsOffers();
  offers.made(here, 'resumed', false);
  expect(offers.next(here)).toBe('any');
  offers.made(here, 'any', true);
  expect(offers.next(here)).toBe('any');
  offers.made(here, 'any', false);
  expect(offers.next(here)).toBe('resumed');
  expect(offers.next(elsewhere)).toBe('resumed');
});
