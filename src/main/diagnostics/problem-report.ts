import { desktopPlatform } from '#node/os/desktop-platform.ts';
import { eventLine, eventText } from '#shared/texts/connection-log-texts.ts';
import { createSay } from '#shared/texts/say.ts';
import type { ConnectionLogEntry } from '#shared/tunnel/connection-log.ts';
import { readableLine } from './readable-line.ts';
import { createNameScrubber, type PersonalNames } from './scrub-names.ts';

export interface ReportParts {
  at: Date;
  /** Facts about the app, the system, the helper and the tunnel, by name. */
  facts: Readonly<Record<string, unknown>>;
  connectionLog: readonly ConnectionLogEntry[];
  /** Lines of JSON, as they were written. */
  appLog: readonly string[];
  /** Undefined if the helper does not provide its log. */
  helperLog: readonly string[] | undefined;
  names: PersonalNames;
}

/** The last characters of a log: as much as people can read and a mail can carry. */
const maxLogChars = 200_000;

/** A problem report in English, without secrets and without names of people. */
export function problemReport(parts: ReportParts): string {
  const say = createSay('en', desktopPlatform());
  const sections: [string, readonly string[]][] = [
    [
      'Waymaker problem report',
      [
        `made: ${parts.at.toISOString()}`,
        ...Object.entries(parts.facts).map(([name, value]) => `${name}: ${factText(value)}`),
      ],
    ],
    [
      'Connection log',
      parts.connectionLog.map(({ at, event }) => {
        const { title, values, text } = eventText(event);
        return `${new Date(at).toISOString()} ${eventLine(say(title, values), text && say(text))}`;
      }),
    ],
    ['Log of the app', latest(parts.appLog.map(readableLine))],
    [
      'Log of the helper and the engine',
      parts.helperLog ? latest(parts.helperLog.map(readableLine)) : ['(the helper gives none)'],
    ],
  ];
  const text = sections
    .map(([title, lines]) => [`== ${title} ==`, ...orNothing(lines)].join('\n'))
    .join('\n\n');
  return `${createNameScrubber(parts.names)(text)}\n`;
}

const orNothing = (lines: readonly string[]) => (lines.length > 0 ? lines : ['(nothing)']);
const factText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

function latest(lines: readonly string[]): string[] {
  const kept: string[] = [];
  let chars = 0;
  for (const line of lines.toReversed()) {
    chars += line.length + 1;
    if (chars > maxLogChars) return ['(older lines are left out)', ...kept.toReversed()];
    kept.push(line);
  }
  return kept.toReversed();
}
