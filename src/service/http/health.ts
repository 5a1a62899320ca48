import { sql } from 'drizzle-orm';
import type { FastifyInstance } from 'fastify';
import type { Database } from '../database/database.ts';

/** Adds `GET /api/health` for monitoring this process: 204 if it can reach its database, otherwise 503. */
export function addHealth(app: FastifyInstance, database: Database): void {
  app.get('/api/health', async (_request, reply) => {
    await database.execute(sql`select 1`);
    return reply.code(204).send();
  });
}
