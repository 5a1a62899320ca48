import { randomUUID } from 'node:crypto';
import {
  createDatabase,
  emptyServiceDatabase,
  startServiceDatabases,
} from '../../../service/postgresql-server.ts';

/** For the workers, which start later: where the run's PostgreSQL server is reached. */
const socket = 'WAYMAKER_E2E_POSTGRESQL';

/**
 * Starts the PostgreSQL server of a test run: it computes a tenth of what PGlite does, which `npm start` has and
 * tests/service tries. Returns what stops it.
 */
export async function startE2eDatabases(): Promise<() => Promise<void>> {
  const server = await startServiceDatabases();
  process.env[socket] = server.socket;
  return server.stop;
}

/** The variables of a service with an empty database: one of the run's server if there is one, else PGlite's own. */
export async function newServiceDatabase(directory: string): Promise<NodeJS.ProcessEnv> {
  const server = process.env[socket];
  if (server === undefined) return { WAYMAKER_DATA_DIR: directory };
  const name = `e2e_${randomUUID().replaceAll('-', '')}`;
  return {
    WAYMAKER_DATA_DIR: directory,
    DATABASE_URL: await createDatabase(server, name, emptyServiceDatabase),
    // However slow this machine is: what a busy database leads to, tests/service tries.
    WAYMAKER_DATABASE_TIMEOUT_SECONDS: '120',
  };
}
