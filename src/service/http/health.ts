import { sql } from 'drizzle-orm';
import type { FastifyInstance } from 'fastify';
import { rowsOf, type Database } from '../database/database.ts';
import { readOnlyFailure } from '../database/unavailable.ts';

/**
 * Adds `GET /api/health` for monitoring this process: 204 if it can reach its database and change it, otherwise an
 * error that is answered with 503.
 */
export function addHealth(http: FastifyInstance, database: Database): void {
  http.get('/api/health', async (_request, reply) => {
    const [state] = await rowsOf<{ takesChanges: boolean }>(
      database,
      sql`select not current_setting('transaction_read_only')::boolean as "takesChanges"`,
    );
    if (!state?.takesChanges) throw readOnlyFailure();
    return reply.code(204).send();
  });
}
