/** What the helper ends with, for service managers: numbers of sysexits.h. */
export const exitCodes = {
  /** It is not started again after it. */
  refused: 78,
  /** The next helper finds out whether its files are those of another version, or wrong. */
  replaced: 75,
} as const;
