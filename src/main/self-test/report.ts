import { closeSync, fchownSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { readableLine } from '../diagnostics/readable-line.ts';
import { createNameScrubber } from '../diagnostics/scrub-names.ts';
import { userName } from '../diagnostics/user-name.ts';
import { addresses } from './addresses.ts';
import type { Verdict } from './verdict.ts';

/** What a self-test has found, as far as it came. */
export interface Findings {
  verdicts: readonly Verdict[];
  /** Facts about the run, by name. */
  facts: Readonly<Record<string, string>>;
  coreLog: readonly string[];
  helperLog: readonly string[];
  /** Why it has not come to its end, if so. */
  obstacle: string | undefined;
}

export interface ReportOptions {
  at: Date;
  version: string;
  findings: Findings;
  env: Readonly<NodeJS.ProcessEnv>;
  /** The folder with the homes of users. */
  homes: string;
}

/** The last lines of a log: as much as people read. */
const maxLines = 1_500;

/**
 * A report in English, without names of people, computers and networks, and with no addresses but the self-test's own.
 */
export function selfTestReport({ at, version, findings, env, homes }: ReportOptions): string {
  const { verdicts, facts, coreLog, helperLog, obstacle } = findings;
  const sections: [string, readonly string[]][] = [
    [
      'Waymaker self-test',
      [
        `made: ${at.toISOString()}`,
        `version: ${version}`,
        `system: ${os.platform()} ${os.release()} ${os.arch()}, Node ${process.versions.node}`,
        ...Object.entries(facts).map(([name, value]) => `${name}: ${value}`),
        ...(obstacle === undefined ? [] : [`not finished: ${obstacle}`]),
      ],
    ],
    ['Checks', verdicts.flatMap(verdictLines)],
    ['Log of the core', coreLog.slice(-maxLines).map(readableLine)],
    ['Log of the helper and the engines', helperLog.slice(-maxLines).map(readableLine)],
  ];
  const text = sections
    .map(([title, lines]) => [`== ${title} ==`, ...(lines.length > 0 ? lines : ['(nothing)'])].join('\n'))
    .join('\n\n');
  // The person is whoever has called sudo.
  const user = env['SUDO_USER'] ?? userName(env);
  const scrub = createNameScrubber({
    secrets: [],
    homeDirectory: env['SUDO_USER'] === undefined ? os.homedir() : path.join(homes, user),
    userName: user,
    hostName: os.hostname(),
    networks: [],
    knownAddresses: ownAddresses,
  });
  return `${scrub(text)}\n`;
}

/** Those of a self-test, which are the same on every computer. */
const ownAddresses = Object.values(addresses).flatMap((one) =>
  typeof one === 'string' ? [one] : [one.ipv4, one.ipv6],
);

function verdictLines(verdict: Verdict): string[] {
  const { check, engine, outcome, why, unseen = [], observers, milliseconds, details } = verdict;
  const result = why === undefined ? outcome : `${outcome} (${why})`;
  return [
    `${check}, engine ${engine}: ${result}, ${milliseconds} ms, seen by ${observers.join(' and ') || 'nobody'}`,
    ...unseen.flatMap((one) => [
      `    what leaves by ${one.ipVersion}: not checked (${one.why})`,
      ...one.details.map((detail) => `        ${detail}`),
    ]),
    ...details.map((detail) => `    ${detail}`),
  ];
}

/**
 * Writes it whole or not at all, in place of what was there, for the person who has called sudo. Throws if that fails.
 */
export function writeReport(file: string, text: string, env: Readonly<NodeJS.ProcessEnv>): void {
  const target = path.resolve(file);
  const unfinished = `${target}.${process.pid}.new`;
  try {
    // Not through a link that somebody has laid there, or lays there meanwhile.
    const opened = openSync(unfinished, 'wx', 0o644);
    try {
      writeFileSync(opened, text);
      const [uid, gid] = [Number(env['SUDO_UID']), Number(env['SUDO_GID'])];
      if (Number.isSafeInteger(uid) && Number.isSafeInteger(gid)) fchownSync(opened, uid, gid);
    } finally {
      closeSync(opened);
    }
    renameSync(unfinished, target);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
}
