import type { RoutedApp, RunningApp } from '#shared/host/routed-programs.ts';

export type AppSection = 'chosen' | 'running' | 'other';

/** Chosen ones first, then running ones, then the rest; each sorted by name, as in the list. */
export function appSections(
  apps: readonly RoutedApp[],
  chosen: readonly string[],
  running: ReadonlyMap<string, RunningApp>,
): Map<AppSection, RoutedApp[]> {
  const sectionOf = ({ id }: RoutedApp): AppSection =>
    chosen.includes(id) ? 'chosen' : running.has(id) ? 'running' : 'other';
  const sections = new Map<AppSection, RoutedApp[]>([
    ['chosen', []],
    ['running', []],
    ['other', []],
  ]);
  for (const app of apps) sections.get(sectionOf(app))?.push(app);
  return sections;
}

/** Applications whose names contain every word of a search, ignoring case and accents. */
export function searchApps(apps: readonly RoutedApp[], query: string): RoutedApp[] {
  const words = plain(query).split(/\s+/).filter(Boolean);
  return apps.filter(({ name, id }) => {
    const text = plain(`${name} ${id.replace(/\.desktop$/, '')}`);
    return words.every((word) => text.includes(word));
  });
}

const plain = (text: string): string => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();

/** A chosen application stays visible, whether or not it is still installed. */
export function chosenApps(apps: readonly RoutedApp[], ids: readonly string[]): RoutedApp[] {
  const gone = ids.filter((id) => !apps.some((app) => app.id === id));
  return [
    ...apps.filter(({ id }) => ids.includes(id)),
    ...gone.map((id) => ({ id, name: id.replace(/\.desktop$/, ''), icon: '', isStartable: false })),
  ];
}
