import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { rowsOf } from '../../../src/service/database/database.ts';
import { startTestService } from '../test-service.ts';

test('what refers to a row is found by an index, also when that row is deleted', async () => {
  await using running = await startTestService({ kind: 'postgresql' });
  const references = await rowsOf<{ column: string; isIndexed: boolean }>(
    running.service.database,
    sql`select format('%s.%s', conrelid::regclass, attname) as "column",
          exists (select from pg_index where indrelid = conrelid and indkey[0] = conkey[1]) as "isIndexed"
        from pg_constraint join pg_attribute on attrelid = conrelid and attnum = conkey[1]
        where contype = 'f' and connamespace = 'public'::regnamespace`,
  );
  expect(references).toContainEqual({ column: 'devices.user_id', isIndexed: true });
  expect(references.filter(({ isIndexed }) => !isIndexed)).toEqual([]);
});
