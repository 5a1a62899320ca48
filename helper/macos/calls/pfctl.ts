import type { CommandResult, RunCommand, RunCommandInto } from '../../posix/command.ts';

/**
 * The system's packet filter, by pfctl(8): the structures behind /dev/pf are in no public header and have changed
 * between releases, while the language of rules (pf.conf(5)) is documented, and a file of rules takes effect as a
 * whole.
 */
export interface FilterCalls {
  isEnabled(): Promise<boolean>;
  /**
   * Switches it on for one more user, who gets a token; it stays on until each has been released. pfctl itself writes
   * the token to the descriptor `output`, see `readToken`: also if whoever asked for it is gone by then.
   */
  enable(output: number): Promise<void>;
  release(token: string): Promise<'released' | 'absent'>;
  /** The rules of the main rule set, as the kernel has them. */
  mainRules(): Promise<string[]>;
  /** The names of all anchors, and of those that are in them. */
  anchors(): Promise<string[]>;
  /** The rules of an anchor likewise: those that change packets first, then those that let them pass or not. */
  rules(anchor: string): Promise<string[]>;
  /** Replaces all rules and tables of an anchor at once; without any, nothing is left of it. */
  load(anchor: string, text: string): Promise<void>;
  /** How many prefixes a table of an anchor has. */
  countTable(anchor: string, table: string): Promise<number>;
  /** Connections that are let through without asking the rules again, as lines of addresses, the source first. */
  states(): Promise<FilterState[]>;
  /** Ends those from a prefix to another. */
  killStates(source: string, destination: string): Promise<void>;
}

export interface FilterState {
  source: string;
  destination: string;
}

/** The token in what `pfctl -E` has written, which fills 64 bits; undefined if there is none. */
export const readToken = (written: string): string | undefined =>
  /^Token\s*:\s*(\d{1,20})\s*$/m.exec(written)?.[1];

export function createFilterCalls(run: RunCommand, runInto: RunCommandInto): FilterCalls {
  /** It writes to its standard error on success, too, and its status is 0 after some failures (apple/container 402). */
  async function pfctl(args: readonly string[], input?: string): Promise<CommandResult> {
    const result = await run('pfctl', args, input);
    if (result.status !== 0 || /: (?:syntax error|cannot|failed)|not permitted/i.test(result.stderr))
      throw new Error(`pfctl ${args.join(' ')} failed with status ${result.status}: ${result.stderr.trim()}`);
    return result;
  }
  const list = async (...args: string[]) =>
    (await pfctl(args)).stdout
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean);

  return {
    isEnabled: async () => (await list('-s', 'info')).some((line) => line.startsWith('Status: Enabled')),
    async enable(output) {
      const status = await runInto('pfctl', ['-E'], output);
      if (status !== 0) throw new Error(`pfctl -E failed with status ${status}`);
    },
    async release(token) {
      const { status, stderr } = await run('pfctl', ['-X', token]);
      if (status === 0) return 'released';
      // ENOENT: after a restart, or when somebody has switched it off for everybody.
      if (/No such file|invalid|not found/i.test(stderr)) return 'absent';
      throw new Error(`pfctl -X failed with status ${status}: ${stderr.trim()}`);
    },
    mainRules: () => list('-s', 'rules'),
    // With `-v`, also those that are in others (osquery 1521).
    anchors: () => list('-v', '-s', 'Anchors'),
    rules: (anchor) => list('-a', anchor, '-s', 'rules'),
    load: async (anchor, text) => void (await pfctl(['-a', anchor, '-f', '-'], text)),
    countTable: async (anchor, table) => (await list('-a', anchor, '-t', table, '-T', 'show')).length,
    states: async () => (await list('-s', 'states')).flatMap((line) => readState(line) ?? []),
    killStates: async (source, destination) => void (await pfctl(['-k', source, '-k', destination])),
  };
}

/**
 * `ALL tcp 192.0.2.7:50123 -> 198.51.100.7:443 ESTABLISHED:ESTABLISHED`: the arrow leads from who has begun. Where an
 * address is translated, macOS has what it becomes between the two ends (sshuttle 864), and newer releases of pf have
 * who it was in parentheses. IPv6 has ports in brackets.
 */
function readState(line: string): FilterState | undefined {
  const match = /^\S+ \S+ (\S+)(?: \(\S+\))? (->|<-) (?:\S+ \2 )?(\S+)/.exec(line);
  if (!match) return undefined;
  const [, left = '', arrow, right = ''] = match;
  const [one, other] = [withoutPort(left), withoutPort(right)];
  return arrow === '->' ? { source: one, destination: other } : { source: other, destination: one };
}

const withoutPort = (text: string) =>
  text.includes('.') && !text.includes('[') ? text.replace(/:\d+$/, '') : text.replace(/\[\d+\]$/, '');
