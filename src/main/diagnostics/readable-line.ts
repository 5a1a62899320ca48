import { scrubData } from '#shared/report-scrubbing.ts';

/** The levels of pino and of the helper. */
const levels: Record<string, string> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
  60: 'fatal',
};

/** Fields that are in every line and say nothing, identify a person, or are a gateway's own words. */
const leftOut = new Set(['pid', 'hostname', 'name', 'user', 'message']);

/** A JSON log line in a form for people: the time, what happened, and its details. */
export function readableLine(line: string): string {
  const record = parse(line);
  if (!record) return line;
  const { level, time, msg, ...rest } = scrubData(record) as Record<string, unknown>;
  // The helper has its message in the field that is a gateway's in our own lines.
  const text = msg ?? record['message'];
  const details = Object.entries(rest).filter(([name]) => !leftOut.has(name));
  return [
    timeText(time),
    (levels[String(level)] ?? String(level)).padEnd(5),
    typeof text === 'string' ? text : '',
    ...details.map(([name, value]) => `${name}=${valueText(value)}`),
  ].join(' ');
}

function parse(line: string): Record<string, unknown> | undefined {
  try {
    const parsed: unknown = JSON.parse(line);
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

const timeText = (time: unknown) =>
  typeof time === 'number' && Math.abs(time) < 8.64e15 ? new Date(time).toISOString() : String(time);

function valueText(value: unknown): string {
  if (typeof value === 'string') return value;
  // An error's stack includes its message.
  if (typeof value === 'object' && value !== null && 'stack' in value) return String(value.stack);
  return JSON.stringify(value);
}
