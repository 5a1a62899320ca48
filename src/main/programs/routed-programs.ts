import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { HostImplementation } from '#shared/host/contract.ts';
import type { ProgramChoice, StartOutcome } from '#shared/host/routed-programs.ts';
import { createSerialQueue } from '#shared/serial-queue.ts';
import { isBlocked } from '#shared/tunnel/look.ts';
import type { TunnelState } from '#shared/tunnel/state.ts';
import { createProgramGroup, type MoveProcess } from './program-group.ts';
import { createProgramLibrary } from './program-library.ts';
import type { InstalledProgram, Surroundings } from './installed-program.ts';
import type { Processes } from './processes.ts';
import { systemPrograms } from './system-programs.ts';

/**
 * Routing by program: keeps the chosen programs in the group that the helper routes by, and starts programs there.
 */
export interface RoutedPrograms {
  readonly host: HostImplementation['routedPrograms'];
  /**
   * Called before a tunnel is established or its routing changed: resolves once all running chosen programs are
   * where they belong.
   */
  apply(): Promise<void>;
  follow(state: TunnelState): void;
  /** Puts a process into the group, whichever programs are chosen; what it starts stays there with it. */
  admit(pid: number): Promise<'admitted' | 'gone'>;
  close(): void;
}

export interface RoutedProgramsOptions {
  surroundings: () => Surroundings;
  /** This app's own program. */
  ownProgram: string;
  /** The current choice; undefined while traffic is not routed by program. */
  choice: () => ProgramChoice | undefined;
  move: MoveProcess;
  processes?: Processes;
  log: Logger;
}

/** A program that is started from elsewhere is found within two sweeps. */
const sweepMs = 1000;
/** Flatpak and snap move what they start into groups of their own, right after this app has put it into its group. */
const afterStart = { sweeps: 60, everyMs: 50 } as const;
/** How long people need to save what they have open. */
const endsWithinMs = 10_000;

export function createRoutedPrograms(options: RoutedProgramsOptions): RoutedPrograms {
  const { choice, log } = options;
  const system = systemPrograms();
  const library = createProgramLibrary(system, options.surroundings, options.ownProgram);
  const processes = options.processes ?? system.createProcesses();
  const group = createProgramGroup({ processes, move: options.move, ownPid: process.pid, log });
  /** Sweeps do not overlap. */
  const enqueue = createSerialQueue();
  let isRouted = false;
  const closing = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let failed = '';

  const sweep = () =>
    enqueue(async () => {
      const chosen = choice();
      if (chosen && !closing.signal.aborted) await group.sweep(chosen, await library.matcher());
    });

  /** Nobody waits for this sweep; the next one tries again. */
  async function sweepQuietly(): Promise<void> {
    try {
      await sweep();
      failed = '';
    } catch (error) {
      const text = String(error);
      if (text !== failed) log.warn({ err: error }, 'programs cannot be kept in their group');
      failed = text;
    }
  }

  function schedule(): void {
    clearTimeout(timer);
    timer = undefined;
    if (!isRouted || !choice() || closing.signal.aborted) return;
    timer = setTimeout(() => void sweepQuietly().then(schedule), sweepMs).unref();
  }

  async function sweepAfterStart(): Promise<void> {
    for (let sweeps = 0; sweeps < afterStart.sweeps && !closing.signal.aborted; sweeps += 1) {
      await sweepQuietly();
      await delay(afterStart.everyMs, undefined, { ref: false });
    }
  }

  async function start(id: string): Promise<StartOutcome> {
    const program = await library.find(id);
    if (!choice()?.ids.includes(id)) return 'not-routed';
    if (!program || program.needsTerminal) return 'failed';
    try {
      return (await startInGroup(program)) ? 'started' : 'failed';
    } catch (error) {
      log.warn({ err: error, id }, 'a program cannot be started');
      return 'failed';
    }
  }

  async function startInGroup({ id, command, directory, sandbox }: InstalledProgram): Promise<boolean> {
    const { env, home } = options.surroundings();
    const waiting = await system.startWaiting(command, { env, directory: directory ?? home });
    if (!waiting) return false;
    let isAdmitted = false;
    try {
      isAdmitted = await enqueue(() => group.admit(waiting.pid, id));
    } finally {
      if (!isAdmitted) waiting.cancel();
    }
    const isStarted = isAdmitted && (await waiting.go());
    if (isStarted && sandbox) void sweepAfterStart();
    return isStarted;
  }

  /** Whether all of its processes have ended by themselves, as if the user had closed it. */
  async function end(id: string): Promise<boolean> {
    const deadline = performance.now() + endsWithinMs;
    const asked = new Set<number>();
    for (;;) {
      const running = group.processesOf(id, await library.matcher());
      if (running.length === 0) return true;
      if (performance.now() > deadline) return false;
      for (const pid of running) {
        if (!asked.has(pid) && pid !== process.pid && pid !== process.ppid) terminate(pid);
        asked.add(pid);
      }
      await delay(100, undefined, { ref: false });
    }
  }

  return {
    host: {
      list: () => library.list(),
      running: async () => group.running(await library.matcher()),
      start: ({ id }) => start(id),
      async restart({ id }) {
        if (!choice()?.ids.includes(id)) return 'not-routed';
        return (await end(id)) ? await start(id) : 'still-running';
      },
    },
    async apply() {
      await sweep();
      schedule();
    },
    admit: (pid) => enqueue(async () => ((await group.keep(pid)) ? 'admitted' : 'gone')),
    follow(state) {
      const { state: now, ownedByOther } = state;
      const routes = !ownedByOther && (now === 'connecting' || now === 'connected' || isBlocked(state));
      if (routes && !isRouted) group.begin();
      if (routes !== isRouted) {
        isRouted = routes;
        if (routes) void sweepQuietly();
        schedule();
      }
    },
    close() {
      closing.abort();
      clearTimeout(timer);
    },
  };
}

/** The process may have ended already. */
function terminate(pid: number): void {
  try {
    process.kill(pid, 'SIGTERM');
  } catch {
    // There is nothing left to end.
  }
}
