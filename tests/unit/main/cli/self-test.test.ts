import { expect, test } from 'vitest';
import { exitCodeOf } from '../../../../src/main/cli/commands/self-test.ts';
import { exitCode } from '../../../../src/main/cli/exit-code.ts';
import type { Verdict } from '../../../../src/main/self-test/verdict.ts';

const verdict = (outcome: Verdict['outcome']): Verdict => ({
  check: 'plain',
  engine: 'openconnect',
  outcome,
  observers: ['uplink'],
  details: [],
  milliseconds: 1,
});
const inPart: Verdict = {
  ...verdict('passed'),
  unseen: [{ ipVersion: 'ipv6', why: 'no-control', details: [] }],
};
const [passed, failed, unchecked] = [verdict('passed'), verdict('failed'), verdict('not-checked')];

test.each([
  ['everything was checked and kept', [passed, passed], false, exitCode.done],
  ['something could not be checked', [passed, unchecked], false, exitCode.unchecked],
  ['something was checked of one IP version only', [passed, inPart], false, exitCode.unchecked],
  ['it was stopped before the end', [passed], true, exitCode.unchecked],
  ['something failed, whatever else was not checked', [unchecked, failed, passed], true, exitCode.failed],
] as const)('a self-test’s exit code, if %s', (_, verdicts, isStopped, code) => {
  expect(exitCodeOf(verdicts, isStopped)).toBe(code);
});
