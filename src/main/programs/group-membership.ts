import type { ProgramChoice } from '#shared/host/routed-programs.ts';

/**
 * Whether a process belongs in the group of programs that is routed differently; undefined if its program is not
 * known. `lineage`: the programs that it may be part of, then those of each of its ancestors.
 */
export function belongs(
  lineage: readonly (readonly string[])[],
  { policy, ids }: ProgramChoice,
): boolean | undefined {
  const isChosen = (own: readonly string[] | undefined) => own?.some((id) => ids.includes(id)) === true;
  if (lineage.length === 0) return undefined;
  // Only chosen programs themselves go around the tunnel, not other programs that they have opened.
  return policy === 'include' ? lineage.some(isChosen) : isChosen(lineage[0]);
}

/** If a process's program is not known, it stays if it is on the safe side. */
export function isUnwanted(isWanted: boolean | undefined, { policy }: ProgramChoice): boolean {
  return isWanted === false || (isWanted === undefined && policy === 'exclude');
}
