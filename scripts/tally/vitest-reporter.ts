import { stripVTControlCharacters } from 'node:util';
import type { Reporter, TestModule } from 'vitest/node';
import { emptyTally, writeTally } from './tally.ts';

/** Counts Vitest's tests; a file that cannot be loaded counts as one failure. */
export default class VitestTally implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const tally = emptyTally();
    const fail = (name: string, errors: readonly unknown[]) => {
      tally.failed += 1;
      tally.failures.push({ name, error: errors.map(messageOf).join('\n') });
    };
    for (const error of unhandledErrors) fail('outside of any test', [error]);
    for (const module of modules) {
      if (module.errors().length > 0) fail(module.relativeModuleId, module.errors());
      for (const test of module.children.allTests()) {
        const result = test.result();
        const name = `${module.relativeModuleId} › ${test.fullName}`;
        if (result.state === 'passed') tally.passed += 1;
        else if (result.state === 'failed') fail(name, result.errors);
        else {
          const note = result.state === 'skipped' ? result.note : undefined;
          tally.skipped.push({ name: test.fullName, reason: note ?? 'no reason given' });
        }
      }
    }
    writeTally(process.env['WAYMAKER_RUNNER'] ?? 'vitest', tally);
  }
}

function messageOf(error: unknown): string {
  const message = typeof error === 'object' && error && 'message' in error ? error.message : error;
  return stripVTControlCharacters(String(message));
}
