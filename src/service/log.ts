import { pino, type DestinationStream, type Logger } from 'pino';
import { isApiPath } from './http/request-target.ts';

/** Fields that must never be logged, wherever they appear; the request log does not contain them anyway. */
const secretFields = ['authorization', 'authCode', 'code', 'token', 'password', 'email', 'to'];

/**
 * What may be logged of an error: its kind, what it is about and where it came from, but no message that quotes what
 * users entered (the database quotes parameters and keys, an SMTP server the recipient).
 */
export function describeError(error: unknown): { error: object } {
  return { error: errorFields(error) };
}

/**
 * Classes of PostgreSQL errors (its manual, appendix A) whose messages only name things of the database: connections,
 * transactions, unknown tables, resources, limits, operators, the system, PostgreSQL itself.
 */
const plainStates = /^(?:08|25|40|42|53|54|55|57|58|XX)...$/;

/** Fields of errors that contain nothing of a user's: names in the database, the statement without its parameters. */
const plainFields = [
  'responseCode',
  'command',
  'syscall',
  'table',
  'column',
  'constraint',
  'routine',
  'query',
];

const codeOf = (error: Error) => ('code' in error && typeof error.code === 'string' ? error.code : '');

function fieldOf(error: Error, name: string): [string, unknown][] {
  const value: unknown = Object.getOwnPropertyDescriptor(error, name)?.value;
  return value === undefined || value === null ? [] : [[name, value]];
}

function errorFields(error: unknown): object {
  if (!(error instanceof Error)) return { type: typeof error };
  const quotesUserData =
    ('severity' in error && !plainStates.test(codeOf(error))) || 'query' in error || 'response' in error;
  return {
    type: error.constructor.name,
    ...('code' in error ? { errorCode: error.code } : {}),
    ...Object.fromEntries(plainFields.flatMap((name) => fieldOf(error, name))),
    ...(quotesUserData ? {} : { message: error.message }),
    // The first lines of a stack repeat the message.
    stack: error.stack?.split('\n').filter((line) => /^\s+at /.test(line)),
    ...(error.cause === undefined ? {} : { cause: errorFields(error.cause) }),
  };
}

/** The part of Fastify's request that is used here. */
interface LoggedRequest {
  method: string;
  url: string;
  routeOptions?: { url?: string | undefined };
}

/**
 * A request's path, without what it is about: a page's query can contain a token (/device-login, specification §2) or
 * an email address, and the path of a call an address or a license key.
 */
function loggedPath({ url, routeOptions }: LoggedRequest): string {
  const [path = ''] = url.split('?', 1);
  const route = routeOptions?.url;
  if (route?.includes(':')) return route;
  // What the API has not is the console's to answer (`/*`), or nobody's.
  const isCall = route !== undefined && !route.endsWith('*');
  return isApiPath(path) && !isCall ? path.replace(/^(\/api\/[^/]*)\/.*$/, '$1/*') : path;
}

export function createLogger(level: string, destination: DestinationStream): Logger {
  return pino(
    {
      level,
      redact: {
        paths: secretFields.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]),
        censor: '[redacted]',
      },
      serializers: {
        req: (request: LoggedRequest) => ({ method: request.method, path: loggedPath(request) }),
        err: errorFields,
      },
    },
    destination,
  );
}
