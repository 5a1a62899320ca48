import { createLossWatch } from '../../../../src/main/diagnostics/loss-cause.ts';
import { createTestFile } from './key-value-file.ts';

/** What the core needs for logs and reports, with nothing in it. */
export const emptyDiagnostics = () => ({
  connectionLogFile: createTestFile(),
  lossWatch: createLossWatch({ links: () => [] }),
  appLog: (): readonly string[] => [],
});
