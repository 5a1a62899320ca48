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

/** Whether a query failed because the database cannot be reached or is overloaded, so that it may succeed later. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? error.code : undefined;
  if (typeof code === 'string' && (passingStates.test(code) || connectionErrors.has(code))) return true;
  // The socket of a stopped server.
  if (code === 'ENOENT' && 'syscall' in error && error.syscall === 'connect') return true;
  return driverMessages.test(error.message) || isUnavailable(error.cause);
}
