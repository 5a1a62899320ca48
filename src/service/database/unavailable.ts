/**
 * PostgreSQL's error codes for problems that may pass (its manual, appendix A): connection exceptions, insufficient
 * resources, operator intervention (including a statement's timeout), a lock that is not available, a transaction that
 * was idle for too long, transactions in conflict, and a database that accepts no connections or does not exist while
 * it is restored.
 */
const passingStates = /^(?:08|53|57)...$|^(?:55P03|55000|3D000|25P03|40001|40P01)$/;

/** The operating system's codes for failed connections. */
const connectionErrors: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/** Messages of node-postgres that have no code: pg/lib/client.js and pg-pool/index.js. */
const driverMessages =
  /^(?:timeout exceeded when trying to connect|timeout expired|Query read timeout|Connection terminated|Client has encountered a connection error)/;

/** read_only_sql_transaction. */
const readOnlyState = '25006';

/**
 * Whether a query failed because of what its connection is, so that it would fail on this one again and again: it leads
 * to a server that takes no changes, such as what was the primary before a failover, or a full one that its host has
 * closed; the server no longer has its prepared statements, such as behind a pooler (26000); or a newer version's
 * migration has changed what they return (plancache.c).
 */
export function isConnectionStale(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? error.code : undefined;
  if (code === readOnlyState || code === '26000') return true;
  if (code === '0A000' && 'routine' in error && error.routine === 'RevalidateCachedQuery') return true;
  return isConnectionStale(error.cause);
}

/** A server that takes no changes answers like one that is not there, also to calls that only read. */
export function readOnlyFailure(): Error {
  return Object.assign(new Error('the database takes no changes'), { code: readOnlyState });
}

/** Whether a query failed because the database cannot be reached or is overloaded, so that it may succeed later. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (isConnectionStale(error)) return true;
  const code = 'code' in error ? error.code : undefined;
  if (typeof code === 'string' && (passingStates.test(code) || connectionErrors.has(code))) return true;
  // The socket of a stopped server.
  if (code === 'ENOENT' && 'syscall' in error && error.syscall === 'connect') return true;
  return driverMessages.test(error.message) || isUnavailable(error.cause);
}
