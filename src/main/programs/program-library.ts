import type { RoutedProgram } from '#shared/host/routed-programs.ts';
import type { InstalledProgram, Surroundings } from './installed-program.ts';
import type { MatchProcess } from './processes.ts';
import type { SystemPrograms } from './programs-port.ts';

/** The installed programs. They are searched again when somebody wants to see them, or after a while. */
export interface ProgramLibrary {
  /** The current list, with icons. */
  list(): Promise<RoutedProgram[]>;
  find(id: string): Promise<InstalledProgram | undefined>;
  /** Finds the program of a process. */
  matcher(): Promise<MatchProcess>;
}

/** The maximum delay until a new installation, or a program that an update moved, is noticed. */
const scanAgainMs = 5 * 60_000;

/** `ownProgram`: this app, which is not offered. */
export function createProgramLibrary(
  system: SystemPrograms,
  surroundings: () => Surroundings,
  ownProgram: string,
): ProgramLibrary {
  let found: { programs: InstalledProgram[]; match: MatchProcess; at: number } | undefined;
  let scanning: Promise<NonNullable<typeof found>> | undefined;

  async function scan() {
    const own = await system.realFile(ownProgram);
    const programs = (await system.findInstalled(surroundings())).filter(
      ({ executable }) => executable !== own,
    );
    found = { programs, match: system.createMatcher(programs), at: performance.now() };
    return found;
  }

  async function current(maxAgeMs: number) {
    if (found && performance.now() - found.at < maxAgeMs) return found;
    scanning ??= scan().finally(() => {
      scanning = undefined;
    });
    return await scanning;
  }

  return {
    async list() {
      const { programs } = await current(0);
      const findIcon = system.createIconFinder(surroundings());
      const listed: RoutedProgram[] = [];
      for (const { id, name, icon, sandbox, needsTerminal } of programs) {
        listed.push({
          id,
          name,
          icon: await findIcon(icon),
          ...(sandbox && { sandbox: sandbox.kind }),
          isStartable: !needsTerminal,
        });
      }
      return listed;
    },
    find: async (id) => (await current(scanAgainMs)).programs.find((one) => one.id === id),
    matcher: async () => (await current(scanAgainMs)).match,
  };
}
