import type { RoutedProgram, RunningProgram } from '#shared/host/routed-programs.ts';

export type ProgramSection = 'chosen' | 'running' | 'other';

/** Chosen ones first, then running ones, then the rest; each sorted by name, as in the list. */
export function programSections(
  programs: readonly RoutedProgram[],
  chosen: readonly string[],
  running: ReadonlyMap<string, RunningProgram>,
): Map<ProgramSection, RoutedProgram[]> {
  const sectionOf = ({ id }: RoutedProgram): ProgramSection =>
    chosen.includes(id) ? 'chosen' : running.has(id) ? 'running' : 'other';
  const sections = new Map<ProgramSection, RoutedProgram[]>([
    ['chosen', []],
    ['running', []],
    ['other', []],
  ]);
  for (const program of programs) sections.get(sectionOf(program))?.push(program);
  return sections;
}

/** Programs whose names contain every word of a search, ignoring case and accents. */
export function searchPrograms(programs: readonly RoutedProgram[], query: string): RoutedProgram[] {
  const words = plain(query).split(/\s+/).filter(Boolean);
  return programs.filter(({ name, id }) => {
    const text = plain(`${name} ${id.replace(/\.desktop$/, '')}`);
    return words.every((word) => text.includes(word));
  });
}

const plain = (text: string): string => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();

/** A chosen program stays visible, whether or not it is still installed. */
export function chosenPrograms(programs: readonly RoutedProgram[], ids: readonly string[]): RoutedProgram[] {
  const gone = ids.filter((id) => !programs.some((program) => program.id === id));
  return [
    ...programs.filter(({ id }) => ids.includes(id)),
    ...gone.map((id) => ({ id, name: id.replace(/\.desktop$/, ''), icon: '', isStartable: false })),
  ];
}
