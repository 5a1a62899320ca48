import type { Reporter, Suite } from 'playwright/types/testReporter';
import { writeTally, type Tally } from './tally.ts';

/** Counts Playwright's tests, and errors outside of any test as failures. */
export default class PlaywrightTally implements Reporter {
  private suite: Suite | undefined;
  private errors = 0;

  onBegin(_config: unknown, suite: Suite): void {
    this.suite = suite;
  }

  onError(): void {
    this.errors += 1;
  }

  onEnd(): void {
    const tally: Tally = { passed: 0, failed: this.errors, skipped: [] };
    for (const test of this.suite?.allTests() ?? []) {
      const outcome = test.outcome();
      if (outcome === 'expected') tally.passed += 1;
      else if (outcome === 'skipped') {
        const reason = test.annotations.find((annotation) => annotation.type === 'skip')?.description;
        tally.skipped.push({
          name: test.titlePath().filter(Boolean).join(' › '),
          reason: reason ?? 'no reason given',
        });
      } else tally.failed += 1;
    }
    writeTally('e2e', tally);
  }
}
