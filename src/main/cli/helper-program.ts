import { existsSync } from 'node:fs';
import path from 'node:path';

/** The helper's program next to this one, in a build as well as when installed; undefined if it is not there. */
export function helperProgram(): string | undefined {
  const file = path.resolve(path.dirname(process.argv[1] ?? ''), '../helper/helper.mjs');
  return existsSync(file) ? file : undefined;
}
