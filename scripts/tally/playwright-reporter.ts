import { readFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import type { Reporter, Suite, TestError, TestResult } from 'playwright/types/testReporter';
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
        const failed = test.results.find((result) => result.error);
        tally.failures.push({
          name,
          error: failed?.error ? messageOf(failed.error) : 'no error given',
          page: failed && pageOf(failed),
        });
      } else tally.passed += 1;
    }
    writeTally('e2e', tally);
  }
}

function messageOf({ message, value }: TestError): string {
  return stripVTControlCharacters(message ?? value ?? 'no error given');
}

/** What the page showed in the end, as far as Playwright has written it down: roles and names, a line each. */
function pageOf({ attachments }: TestResult): string | undefined {
  const file = attachments.find(({ name }) => name === 'error-context')?.path;
  return file === undefined
    ? undefined
    : /^```yaml\n(.*?)^```$/ms.exec(readFileSync(file, 'utf8'))?.[1]?.trimEnd();
}
