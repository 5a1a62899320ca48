import { pino, type DestinationStream, type Logger } from 'pino';

/** Fields that must never be logged, wherever they are put; the request log has none of them to begin with. */
const secretFields = ['authorization', 'authCode', 'code', 'token', 'password', 'email', 'to'];

/**
 * What may be logged of an error: no message of the database (it quotes parameters and keys) or of an SMTP server
 * (it quotes the recipient), but what kind it is and where it came from.
 */
export function describeError(error: unknown): { error: object } {
  return { error: errorFields(error) };
}

function errorFields(error: unknown): object {
  if (!(error instanceof Error)) return { type: typeof error };
  const quotesUserData = 'query' in error || 'severity' in error || 'response' in error;
  return {
    type: error.constructor.name,
    ...('code' in error ? { errorCode: error.code } : {}),
    ...('responseCode' in error ? { responseCode: error.responseCode } : {}),
    ...(quotesUserData ? {} : { message: error.message }),
    // The first lines of a stack repeat the message.
    stack: error.stack?.split('\n').filter((line) => /^\s+at /.test(line)),
    ...(error.cause === undefined ? {} : { cause: errorFields(error.cause) }),
  };
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
        // Only the path: a page's query can carry a token (/device-login, specification §2) or an email.
        req: (request: { method: string; url: string }) => ({
          method: request.method,
          path: request.url.split('?', 1)[0],
        }),
        err: errorFields,
      },
    },
    destination,
  );
}
