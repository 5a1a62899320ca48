/**
 * Exceptions as macOS and Windows write them, as `isException` reads them: `192.168.*` and `169.254/16` are prefixes
 * there, and `<local>`, names without a dot, is never what leads out.
 */
export function exceptionsOf(written: readonly string[]): string[] {
  return written
    .map((one) => one.trim())
    .filter((one) => one !== '' && one !== '<local>')
    .map((one) => {
      const [, starred] = /^((?:\d{1,3}\.){1,3})\*$/.exec(one) ?? [];
      if (starred !== undefined) return prefixOf(starred.slice(0, -1));
      const [, start, length] = /^(\d{1,3}(?:\.\d{1,3}){0,2})\/(\d{1,2})$/.exec(one) ?? [];
      return start === undefined ? one : prefixOf(start, length);
    });
}

function prefixOf(start: string, length?: string): string {
  const parts = start.split('.');
  return `${[...parts, '0', '0', '0'].slice(0, 4).join('.')}/${length ?? 8 * parts.length}`;
}
