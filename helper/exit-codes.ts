/** The helper's exit codes, for service managers, with the numbers of sysexits.h. */
export const exitCodes = {
  /** Its files were refused; it is not started again. */
  refused: 78,
  /** Its files were replaced; the next helper finds out whether by another version, or wrongly. */
  replaced: 75,
} as const;
