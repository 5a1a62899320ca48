import { stripVTControlCharacters } from 'node:util';
import type { Reporter, Suite, TestError } from 'playwright/types/testReporter';
import { writeTally, type Tally } from './tally.ts';

/** Counts Playwright's tests, and errors outside of any test as failures. */
export default class PlaywrightTally implements Reporter {
  private suite: Suite | undefined;
  private errors: TestError[] = [];

  onBegin(_config: unknown, suite: Suite): void {
    this.suite = suite;
  }

  onError(error: TestError): void {
    this.errors.push(error);
  }

  onEnd(): void {
    const tally: Tally = {
      passed: 0,
      failed: this.errors.length,
      failures: this.errors.map((error) => ({ name: 'outside of any test', error: messageOf(error) })),
      skipped: [],
    };
    for (const test of this.suite?.allTests() ?? []) {
      const outcome = test.outcome();
      const name = test.titlePath().filter(Boolean).join(' › ');
      if (outcome === 'skipped') {
        const reason = test.annotations.find((annotation) => annotation.type === 'skip')?.description;
        tally.skipped.push({ name, reason: reason ?? 'no reason given' });
      } else if (outcome === 'unexpected') {
        tally.failed += 1;
        const error = test.results.find((result) => result.error)?.error;
        tally.failures.push({ name, error: error ? messageOf(error) : 'no error given' });
      } else tally.passed += 1;
    }
    writeTally('e2e', tally);
  }
}

function messageOf({ message, value }: TestError): string {
  return stripVTControlCharacters(message ?? value ?? 'no error given');
}
