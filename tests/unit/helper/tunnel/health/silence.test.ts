import { expect, test } from 'vitest';
import { createSilencePolicy } from '../../../../../helper/tunnel/health/silence.ts';
import type { Family, ProbeFindings } from '../../../../../helper/tunnel/health/traffic-probe.ts';

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
  const policy = createSilencePolicy(() => now);
  expect(policy.review(none)).toBe('recreate');
  expect(policy.review(none)).toBe('keep');
  now = 30_000;
  expect(policy.review(none)).toBe('recreate');
  now = 60_000;
  expect(policy.review(none)).toBe('keep');
  now = 90_000;
  expect(policy.review(none)).toBe('recreate');
});

test('a tunnel in which packets passed is looked at twice, since its engine may be about to leave UDP by itself', () => {
  const policy = createSilencePolicy(() => 0);
  expect(policy.review(both)).toBe('keep');
  expect(policy.review(none)).toBe('look-again');
  expect(policy.review(both)).toBe('keep');
  expect(policy.review(none)).toBe('look-again');
  expect(policy.review(none)).toBe('recreate');
});

test('a tunnel that lost an IP version is recreated once for it, and not for one that it never had', () => {
  const policy = createSilencePolicy(() => 0);
  const ipv4Only = findings(['ipv4'], ['ipv6']);
  expect(policy.review(ipv4Only)).toBe('keep');
  expect(policy.review(both)).toBe('keep');
  expect(policy.review(ipv4Only)).toBe('look-again');
  expect(policy.review(ipv4Only)).toBe('recreate');
  expect(policy.review(ipv4Only)).toBe('keep');
});

test('what went silent one after the other is looked at twice each', () => {
  const policy = createSilencePolicy(() => 0);
  expect(policy.review(both)).toBe('keep');
  expect(policy.review(findings(['ipv4'], ['ipv6']))).toBe('look-again');
  expect(policy.review(none)).toBe('look-again');
  expect(policy.review(none)).toBe('recreate');
});
