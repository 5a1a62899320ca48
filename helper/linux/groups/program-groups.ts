import { closeSync } from 'node:fs';
import type { Log } from '../../log.ts';
import type { Verdict } from '../../system/ports/guarded.ts';
import {
  attachedPrograms,
  attachProgram,
  createTable,
  detachProgram,
  hookNames,
  loadProgram,
  unloadProgram,
  type Hook,
  type Program,
} from './bpf.ts';
import { numberOf, type ControlGroup, type ControlGroups } from './control-groups.ts';
import { groupMark } from './group-mark.ts';
import { groupPrograms, lookUpSizes } from './group-bpf-programs.ts';
import { whatForgetsGroups } from './socket-groups.ts';

/**
 * The users' groups of programs. While a group exists, its sockets get its mark, with or without a tunnel, so that no
 * socket of a program in it lacks the mark; packet filter and routing rules decide what the mark means. Look-ups are
 * only redirected while a routing mode captures or excepts the group.
 */
export interface ProgramGroups {
  /** Whether the kernel accepts programs for control groups; tried once, on a group of our own. */
  isSupported(): boolean;
  /** The user's group, created if necessary. */
  ensure(user: string): ControlGroup;
  /**
   * Captures or excepts the user's group, and no other. Its look-ups only go to these resolvers; undefined: wherever
   * its programs send them.
   */
  capture(user: string, resolvers: readonly string[] | undefined): void;
  /** The group that is captured or excepted, if there is one. */
  captured(): ControlGroup | undefined;
  verify(): Verdict;
  restore(): void;
  /** Stops capturing any group, and removes empty groups. */
  clear(): void;
}

/** A group's current setup. */
interface Applied {
  group: ControlGroup;
  number: number | undefined;
  resolvers: readonly string[] | undefined;
  programs: Partial<Record<Hook, Program>>;
  table: number | undefined;
}

export function createProgramGroups(groups: ControlGroups, log: Log): ProgramGroups {
  const applied = new Map<string, Applied>();
  let support: boolean | undefined;
  let captured: { user: string; resolvers: readonly string[] | undefined } | undefined;

  /** Sets everything again: each kind of program that is there is replaced by an equivalent one. */
  function apply(user: string, resolvers: readonly string[] | undefined): Applied {
    const mark = groupMark(user);
    if (mark === undefined) throw new Error(`${user} is no user of this machine`);
    const isTaken = groups.all().some((other) => other.user !== user && groupMark(other.user) === mark);
    if (isTaken) throw new Error('another user has the same mark');
    refuseForgetting();
    const old = applied.get(user);
    const group = groups.make(user, 'inside');
    const table = resolvers && createTable(lookUpSizes);
    const code = groupPrograms(mark, resolvers && table !== undefined ? { resolvers, table } : undefined);
    const programs: Partial<Record<Hook, Program>> = {};
    for (const hook of hookNames) {
      const wanted = code[hook];
      if (wanted) {
        const program = (programs[hook] = loadProgram(hook, wanted));
        attachProgram(group.directory, hook, program);
      } else detachProgram(group.directory, hook);
    }
    if (old) unload(old);
    const fresh = { group, number: numberOf(group), resolvers, programs, table };
    applied.set(user, fresh);
    return fresh;
  }

  const isInForce = ({ group, number, programs }: Applied) =>
    numberOf(group) === number &&
    whatForgetsGroups() === undefined &&
    hookNames.every((hook) => {
      const [id, ...others] = attachedPrograms(group.directory, hook);
      return id === programs[hook]?.id && others.length === 0;
    });

  return {
    isSupported() {
      support ??= isTakenByKernel(groups, log);
      return support;
    },
    ensure(user) {
      const known = applied.get(user);
      return known && isInForce(known) ? known.group : apply(user, known?.resolvers).group;
    },
    capture(user, resolvers) {
      if (captured && captured.user !== user) apply(captured.user, undefined);
      const known = applied.get(user);
      const isAsWanted = known && known.resolvers?.join() === resolvers?.join() && isInForce(known);
      if (!isAsWanted) apply(user, resolvers);
      captured = { user, resolvers };
    },
    captured: () => captured && applied.get(captured.user)?.group,
    verify() {
      if (!captured) return 'unset';
      const known = applied.get(captured.user);
      return known && isInForce(known) ? 'in-force' : 'changed';
    },
    restore() {
      if (captured) apply(captured.user, captured.resolvers);
    },
    clear() {
      captured = undefined;
      groups.removeEmpty();
      const left = groups.all().filter(({ place }) => place === 'inside');
      for (const { user } of left) apply(user, undefined);
      for (const [user, one] of applied) {
        if (left.some((group) => group.user === user)) continue;
        unload(one);
        applied.delete(user);
      }
    },
  };
}

/** Sockets that forget their group have no mark either, and would leave as if nothing captured them. */
function refuseForgetting(): void {
  const cause = whatForgetsGroups();
  if (cause !== undefined) throw new Error(`this kernel forgets the groups of sockets because of ${cause}`);
}

/** The kernel keeps programs that are attached. */
function unload({ programs, table }: Applied): void {
  for (const program of Object.values(programs)) unloadProgram(program);
  if (table !== undefined) closeSync(table);
}

function isTakenByKernel(groups: ControlGroups, log: Log): boolean {
  try {
    refuseForgetting();
    const { directory } = groups.make('trial', 'inside');
    const table = createTable(lookUpSizes);
    const programs = groupPrograms(1, { resolvers: ['192.0.2.1', '2001:db8::1'], table });
    try {
      for (const hook of hookNames) {
        const code = programs[hook];
        if (!code) continue;
        const program = loadProgram(hook, code);
        try {
          attachProgram(directory, hook, program);
        } finally {
          unloadProgram(program);
        }
      }
      return true;
    } finally {
      closeSync(table);
      groups.removeEmpty();
    }
  } catch (error) {
    log.info('programs cannot be routed apart on this machine', { cause: String(error) });
    return false;
  }
}
