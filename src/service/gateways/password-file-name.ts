import path from 'node:path';

/**
 * If the name of the gateways' password file contains this, each gateway has its own file, with its host and port in
 * this place.
 */
export const gatewayPlaceholder = '{gateway}';

/**
 * The placeholder must be in the file's name, not in a directory's: the files in one directory show which former
 * gateways there were.
 */
export function isPasswordFileName(file: string): boolean {
  const count = file.split(gatewayPlaceholder).length - 1;
  return count === 0 || (count === 1 && path.basename(file).includes(gatewayPlaceholder));
}
