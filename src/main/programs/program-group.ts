import type { Logger } from 'pino';
import type { ProgramChoice, RunningProgram } from '#shared/host/routed-programs.ts';
import { belongs, isUnwanted } from './group-membership.ts';
import { createProcessOwners } from './process-owners.ts';
import type { MatchProcess, Process, Processes } from './processes.ts';

/**
 * Asks the helper to move a process with its descendants into the group that is routed differently, or out of it.
 * `moved`: how many were not there yet. `gone`: the process has ended, or the user may not move it.
 */
export type MoveProcess = (pid: number, into: 'group' | 'outside') => Promise<{ moved: number } | 'gone'>;

/**
 * Keeps the processes of the chosen programs, and no others, in the group of programs that the helper routes by.
 */
export interface ProgramGroup {
  /** Moves everything that is not where it belongs; rejects if the helper refuses. */
  sweep(choice: ProgramChoice, match: MatchProcess): Promise<void>;
  /** Puts a waiting process into the group, for a program. False if that fails. */
  admit(pid: number, id: string): Promise<boolean>;
  /** Puts a process into the group, and leaves it and what it starts there, whatever is chosen. False if that fails. */
  keep(pid: number): Promise<boolean>;
  /** The programs that are running, in the group or not. */
  running(match: MatchProcess): RunningProgram[];
  /** The processes of a program, without those that its other processes have started. */
  processesOf(id: string, match: MatchProcess): number[];
  /**
   * From the next sweep on, traffic is routed by the group. Programs that are running by then have opened what they
   * have before that.
   */
  begin(): void;
}

/** A process that could not be moved is tried again after this many sweeps. */
const refusedSweeps = 30;
const maxRounds = 4;
const maxDepth = 64;

export function createProgramGroup(options: {
  processes: Processes;
  move: MoveProcess;
  /** This app's own process. */
  ownPid: number;
  log: Logger;
}): ProgramGroup {
  const { processes, move, ownPid, log } = options;
  const owners = createProcessOwners();
  /** The group's path, known once a process was moved there. */
  let group: string | undefined;
  /** Processes that were running before they were moved, by pid and start time. */
  const partial = new Set<string>();
  /** Processes that this app has started. What they open first cannot have been opened elsewhere. */
  const admitted = new Set<string>();
  /** Processes that the user put there regardless of the choice, with everything they have started. */
  const kept = new Set<string>();
  /**
   * The sweep, and the program at that time: a setuid program such as snap-confine may become another one that can be
   * moved.
   */
  const refused = new Map<string, { at: number; exe: string }>();
  let sweeps = 0;
  let isBeginning = false;

  const nameOf = ({ pid, startTime }: Process) => `${pid} ${startTime}`;

  function look(match: MatchProcess): Process[] {
    const all = processes.read();
    owners.update(all, match);
    return all;
  }

  async function moveOne(
    process: Process,
    into: 'group' | 'outside',
    all: readonly Process[],
  ): Promise<void> {
    const outcome = await move(process.pid, into);
    if (outcome === 'gone') return void refused.set(nameOf(process), { at: sweeps, exe: process.exe });
    const after = processes.reread(process.pid);
    const below = descendantsOf(process, all);
    for (const { pid } of below) processes.reread(pid);
    if (into === 'outside') return;
    if (after?.startTime === process.startTime) learnGroup(after);
    if (outcome.moved === 0 || isAdmitted(process, all)) return;
    log.info({ pid: process.pid, moved: outcome.moved }, 'a program was moved into the group');
    for (const one of [process, ...below]) partial.add(nameOf(one));
  }

  /** Whether this app has started it, or one of its ancestors. */
  function isAdmitted(process: Process, all: readonly Process[]): boolean {
    let above: Process | undefined = process;
    for (let depth = 0; above && depth < maxDepth; depth += 1) {
      if (admitted.has(nameOf(above))) return true;
      const { parent }: Process = above;
      above = all.find(({ pid }) => pid === parent);
    }
    return false;
  }

  /** Returns whether anything had to be moved. */
  async function moveAll(choice: ProgramChoice, match: MatchProcess): Promise<boolean> {
    const all = look(match);
    forgetEnded(all);
    keepDescendants(all);
    const moved = new Set<number>();
    for (const process of all) {
      const isRefused = refused.get(nameOf(process))?.exe === process.exe;
      if (isRefused || kept.has(nameOf(process))) continue;
      const isWanted = belongs(owners.lineage(process), choice);
      if (isWanted === true) {
        if (isBeginning) partial.add(nameOf(process));
        // Processes that were moved together with their parent are already there.
        const isMoved = moved.has(process.parent) || isInside(processes.reread(process.pid));
        if (!isMoved) await moveOne(process, 'group', all);
        if (!isMoved || moved.has(process.parent)) moved.add(process.pid);
      } else if (isInside(process) && isUnwanted(isWanted, choice)) {
        await moveOne(process, 'outside', all);
        moved.add(process.pid);
      }
    }
    return moved.size > 0;
  }

  /** If groups cannot be distinguished, as in version 1, every process would seem to be in it. */
  function learnGroup({ group: found, pid }: Process): void {
    const isOthers = found === processes.reread(ownPid)?.group && pid !== ownPid;
    group = found === '/' || found === '' || isOthers ? undefined : found;
  }

  const isInside = (process: Process | undefined) => group !== undefined && process?.group === group;

  /** Descendants are recorded while their ancestor still exists. */
  function keepDescendants(all: readonly Process[]): void {
    for (const process of all.filter((one) => kept.has(nameOf(one))))
      for (const below of descendantsOf(process, all)) kept.add(nameOf(below));
  }

  function forgetEnded(all: readonly Process[]): void {
    const names = new Set(all.map(nameOf));
    for (const set of [partial, admitted, kept])
      for (const name of set) if (!names.has(name)) set.delete(name);
    for (const [name, { at }] of refused)
      if (!names.has(name) || sweeps - at > refusedSweeps) refused.delete(name);
  }

  return {
    async sweep(choice, match) {
      sweeps += 1;
      // Repeat for processes that were forked meanwhile, and for those that were moved along but do not belong there.
      for (let round = 0; round < maxRounds && (await moveAll(choice, match)); round += 1);
      isBeginning = false;
    },
    async admit(pid, id) {
      if ((await move(pid, 'group')) === 'gone') return false;
      const process = processes.reread(pid);
      if (!process) return false;
      learnGroup(process);
      admitted.add(nameOf(process));
      owners.startedFor(pid, id);
      return true;
    },
    async keep(pid) {
      if ((await move(pid, 'group')) === 'gone') return false;
      const process = processes.reread(pid);
      if (!process) return false;
      ({ group } = process);
      kept.add(nameOf(process));
      return true;
    },
    running(match) {
      const found = new Map<string, RunningProgram>();
      for (const process of look(match)) {
        const isPartial = partial.has(nameOf(process));
        for (const id of owners.lineage(process)[0] ?? []) {
          found.set(id, { id, isPartial: isPartial || found.get(id)?.isPartial === true });
        }
      }
      return [...found.values()];
    },
    processesOf(id, match) {
      const all = look(match);
      const own = new Set(all.filter((one) => owners.lineage(one)[0]?.includes(id)).map(({ pid }) => pid));
      return all.filter(({ pid, parent }) => own.has(pid) && !own.has(parent)).map(({ pid }) => pid);
    },
    begin() {
      isBeginning = true;
      refused.clear();
    },
  };
}

function descendantsOf(process: Process, all: readonly Process[]): Process[] {
  const found: Process[] = [];
  const add = (pid: number): void => {
    for (const child of all) {
      if (child.parent !== pid || found.includes(child) || child === process) continue;
      found.push(child);
      add(child.pid);
    }
  };
  add(process.pid);
  return found;
}
