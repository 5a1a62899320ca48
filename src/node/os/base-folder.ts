import path from 'node:path';

/**
 * A folder that a variable of the XDG Base Directory Specification names. Relative ones must be ignored, as if the
 * variable was not set: each program would find another folder.
 */
export const baseFolder = (named: string | undefined, otherwise: string): string =>
  named !== undefined && path.isAbsolute(named) ? named : otherwise;
