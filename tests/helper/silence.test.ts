import { expect, test } from 'vitest';
import { createSilencePolicy } from '../../helper/tunnel/silence.ts';
import type { Family, ProbeFindings } from '../../helper/tunnel/traffic-probe.ts';

const findings = (passing: Family[], silent: Family[]): ProbeFindings => ({
  passing,
  silent,
  resolversAnswer: true,
  targetsAnswer: true,
});
const both = findings(['ipv4', 'ipv6'], []);
const none = findings([], ['ipv4', 'ipv6']);

test('a new tunnel in which nothing passes is recreated at once, then with growing waits', () => {
  let now = 0;
  const { review } = createSilencePolicy(() => now);
  expect(review(none)).toBe(true);
  expect(review(none)).toBe(false);
  now = 30_000;
  expect(review(none)).toBe(true);
  now = 60_000;
  expect(review(none)).toBe(false);
  now = 90_000;
  expect(review(none)).toBe(true);
});

test('one in which packets passed is looked at twice: its engine may be about to leave UDP by itself', () => {
  const { review } = createSilencePolicy(() => 0);
  expect(review(both)).toBe(false);
  expect(review(none)).toBe(false);
  expect(review(both)).toBe(false);
  expect(review(none)).toBe(false);
  expect(review(none)).toBe(true);
});

test('one that lost an IP version is recreated once for it, one that never had it not at all', () => {
  const { review } = createSilencePolicy(() => 0);
  const ipv4Only = findings(['ipv4'], ['ipv6']);
  expect(review(ipv4Only)).toBe(false);
  expect(review(both)).toBe(false);
  expect(review(ipv4Only)).toBe(true);
  expect(review(ipv4Only)).toBe(false);
});
