/**
 * Whether any text in parsed JSON contains a NUL character. PostgreSQL cannot store it (documentation, "Character
 * Types"), and nobody types it.
 */
export function hasNulCharacter(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\0');
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some(hasNulCharacter);
}
