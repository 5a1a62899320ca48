/** Structured logging to standard error, one JSON object per line; under systemd, this goes to the journal. */
export type LogFields = Record<string, string | number | boolean | undefined>;

/** A line of the log as data. `user`: whom it is about, if that is not the connection's owner. */
export type LogRecord = LogFields & { level: string; time: number; message: string; user?: string };

export interface Log {
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, cause: unknown, fields?: LogFields): void;
}

/** `keep` receives each line as data. */
export function createLog(
  write: (line: string) => void = (line) => void process.stderr.write(line),
  keep: (record: LogRecord) => void = () => undefined,
): Log {
  const print = (level: string, message: string, fields: LogFields & { user?: string } = {}) => {
    const record: LogRecord = { level, time: Date.now(), message, ...fields };
    write(`${JSON.stringify(record)}\n`);
    keep(record);
  };
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
