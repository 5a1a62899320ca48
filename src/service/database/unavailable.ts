/**
 * What PostgreSQL says when it cannot now, but may later (its manual, appendix A): connection exceptions, insufficient
 * resources, operator intervention (a statement's time is up, too), a lock that is not to be had, a transaction that
 * was idle for too long, transactions that were in each other's way, and a database that takes no connections or is
 * not there while it is restored.
 */
const passingStates = /^(?:08|53|57)...$|^(?:55P03|55000|3D000|25P03|40001|40P01)$/;

/** What the operating system says of a connection. */
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

/** What node-postgres says, which gives these no code: pg/lib/client.js and pg-pool/index.js. */
const driverMessages =
  /^(?:timeout exceeded when trying to connect|timeout expired|Query read timeout|Connection terminated|Client has encountered a connection error)/;

/** Whether a query failed because the database cannot be reached or has too much to do: it may well succeed later. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? error.code : undefined;
  if (typeof code === 'string' && (passingStates.test(code) || connectionErrors.has(code))) return true;
  // The socket of a server that is stopped.
  if (code === 'ENOENT' && 'syscall' in error && error.syscall === 'connect') return true;
  return driverMessages.test(error.message) || isUnavailable(error.cause);
}
