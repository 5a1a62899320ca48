import { lastTimes } from '../../scripts/test/processor-times.ts';
import { row, type Row } from './row.ts';

export const testCostRows = ['test-cpu'] as const;

/** What `npm test` may use of the processors, in seconds, so that it ends within ten minutes on two of them. */
const limit = 1000;

/**
 * The processor time of the last whole `npm test` in this clone: too dear to be measured by turns, beside a fixed
 * limit.
 */
// oxlint-disable-next-line require-await -- as all groups
export async function* measureTestCost(): AsyncGenerator<Row> {
  const times = lastTimes();
  if (!times?.isWhole) {
    console.log('test-cpu: run `npm test` as a whole in this clone first');
    return;
  }
  yield row('test-cpu', { ours: [times.total], peer: [limit] }, { unit: 's', better: 'lower' });
}
