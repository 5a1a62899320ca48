import path from 'node:path';

/** Where the name of the gateways' password file has this, each gateway has one of its own, with its host and port there. */
export const gatewayPlaceholder = '{gateway}';

/** Directories are none of a gateway's own: what is in one is how gateways are known that are not listed any more. */
export function isPasswordFileName(file: string): boolean {
  const count = file.split(gatewayPlaceholder).length - 1;
  return count === 0 || (count === 1 && path.basename(file).includes(gatewayPlaceholder));
}
