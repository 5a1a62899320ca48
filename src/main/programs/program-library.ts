import type { RoutedApp } from '#shared/host/routed-apps.ts';
import { createIconFinder } from './linux/program-icons.ts';
import { findInstalledApps, type InstalledApp, type Surroundings } from './linux/installed-programs.ts';
import { createMatcher, type MatchProcess } from './linux/match-processes.ts';
import { realFile } from './linux/program-file.ts';

/** The installed applications. They are searched again when somebody wants to see them, or after a while. */
export interface AppLibrary {
  /** The current list, with icons. */
  list(): Promise<RoutedApp[]>;
  find(id: string): Promise<InstalledApp | undefined>;
  /** Finds the application of a process. */
  matcher(): Promise<MatchProcess>;
}

/** The maximum delay until a new installation, or a program that an update moved, is noticed. */
const scanAgainMs = 5 * 60_000;

/** `ownProgram`: this app, which is not offered. */
export function createAppLibrary(surroundings: () => Surroundings, ownProgram: string): AppLibrary {
  let found: { apps: InstalledApp[]; match: MatchProcess; at: number } | undefined;
  let scanning: Promise<NonNullable<typeof found>> | undefined;

  async function scan() {
    const own = await realFile(ownProgram);
    const apps = (await findInstalledApps(surroundings())).filter(({ program }) => program !== own);
    found = { apps, match: createMatcher(apps), at: performance.now() };
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
      const { apps } = await current(0);
      const findIcon = createIconFinder(surroundings());
      const listed: RoutedApp[] = [];
      for (const { id, name, icon, sandbox, needsTerminal } of apps) {
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
    find: async (id) => (await current(scanAgainMs)).apps.find((app) => app.id === id),
    matcher: async () => (await current(scanAgainMs)).match,
  };
}
