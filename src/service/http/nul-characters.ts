/**
 * Whether there is a NUL character in any text of what JSON described. PostgreSQL cannot keep one (documentation,
 * "Character Types"), and nobody types one.
 */
export function hasNulCharacter(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\0');
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some(hasNulCharacter);
}
