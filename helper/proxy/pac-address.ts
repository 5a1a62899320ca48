/** The paths of our PAC files; see `pacFilePath`. */
export const pacPath = /^\/[0-9a-f]{16}\.pac$/;

/** Whether a PAC file is one that a proxy of ours serves, or has served. */
export function isOwnPac(address: string): boolean {
  const [, path] = /^http:\/\/127\.0\.0\.1:\d{1,5}(\/.*)$/.exec(address) ?? [];
  return path !== undefined && pacPath.test(path);
}
