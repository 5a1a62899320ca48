/** Structured logging to standard error, one JSON object a line; under systemd that is the journal. */
export type LogFields = Record<string, string | number | boolean | undefined>;

export interface Log {
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, cause: unknown, fields?: LogFields): void;
}

export function createLog(write: (line: string) => void = (line) => void process.stderr.write(line)): Log {
  const print = (level: string, message: string, fields: LogFields = {}) =>
    write(`${JSON.stringify({ level, time: Date.now(), message, ...fields })}\n`);
  return {
    info: (message, fields) => print('info', message, fields),
    warn: (message, fields) => print('warn', message, fields),
    error: (message, cause, fields) => print('error', message, { ...fields, cause: describeCause(cause) }),
  };
}

function describeCause(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const own = cause.stack ?? cause.message;
  return cause.cause === undefined ? own : `${own}\ncaused by ${describeCause(cause.cause)}`;
}
