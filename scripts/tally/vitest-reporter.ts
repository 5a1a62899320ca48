import type { Reporter, TestModule } from 'vitest/node';
import { writeTally, type Tally } from './tally.ts';

/** Counts Vitest's tests; a file that cannot be loaded counts as one failure. */
export default class VitestTally implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const tally: Tally = { passed: 0, failed: unhandledErrors.length, skipped: [] };
    for (const module of modules) {
      if (module.errors().length > 0) tally.failed += 1;
      for (const test of module.children.allTests()) {
        const result = test.result();
        if (result.state === 'passed') tally.passed += 1;
        else if (result.state === 'failed') tally.failed += 1;
        else {
          const note = result.state === 'skipped' ? result.note : undefined;
          tally.skipped.push({ name: test.fullName, reason: note ?? 'no reason given' });
        }
      }
    }
    writeTally(process.env['WAYMAKER_RUNNER'] ?? 'vitest', tally);
  }
}
