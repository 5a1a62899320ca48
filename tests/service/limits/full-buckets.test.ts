import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { openDatabase } from '../../../src/service/database/database.ts';
import { rateLimits } from '../../../src/service/database/schema/sign-in.ts';
import { createLimiter } from '../../../src/service/limits/limiter.ts';
import { defaultLimits } from '../../../src/service/limits/limits.ts';
import { newEnvironment } from '../test-service.ts';

test('full buckets are forgotten without waiting for those that a call is taking from', async () => {
  const { DATABASE_URL: url = '' } = await newEnvironment('postgresql');
  const opened = await openDatabase(
    { kind: 'postgresql', url, connections: 2, timeoutMs: 60_000 },
    () => undefined,
  );
  await using closing = new AsyncDisposableStack();
  closing.defer(() => opened.close());
  const { database } = opened;
  const limiter = createLimiter({
    database,
    limits: defaultLimits,
    hash: (_, text) => text,
    now: () => new Date(1000),
  });
  await database.insert(rateLimits).values([
    { key: 'taken', fullAt: 0 },
    { key: 'unused', fullAt: 0 },
    { key: 'not full', fullAt: 2000 },
  ]);
  const keys = async () => (await database.select().from(rateLimits)).map(({ key }) => key).toSorted();
  await database.transaction(async (transaction) => {
    await transaction.select().from(rateLimits).where(eq(rateLimits.key, 'taken')).for('update');
    await limiter.forgetFull();
    expect(await keys()).toEqual(['not full', 'taken']);
  });
  await limiter.forgetFull();
  expect(await keys()).toEqual(['not full']);
});
