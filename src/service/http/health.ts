import { sql } from 'drizzle-orm';
import type { FastifyInstance } from 'fastify';
import type { Database } from '../database/database.ts';

/** Adds `GET /api/health`, for who watches this process: 204 where it reaches its database, else 503. */
export function addHealth(app: FastifyInstance, database: Database): void {
  app.get('/api/health', async (_request, reply) => {
    await database.execute(sql`select 1`);
    return reply.code(204).send();
  });
}
