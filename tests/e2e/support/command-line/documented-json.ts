import { z } from 'zod';
import { connectionEvent } from '#shared/tunnel/connection-log.ts';
import { disconnectReason, invalidCause, tunnelState } from '#shared/tunnel/state.ts';
import type { ProcessResult } from '../../../lab/runs/process.ts';
import { readPage, tableRows } from '../../../unit/docs/markdown.ts';

/** What docs/command-line.md says that programs get from `--json`, as schemas that take nothing else. */

const page = readPage('docs/command-line.md');
const wordsIn = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word);

/** The words that a key may have, from lines such as "- `policy` is `include` or `exclude`". */
export function documentedWords(key: string): string[] {
  const [, line = ''] = new RegExp(`^- \`${key}\` is ([^]+?)(?=\\n- |\\n\\n)`, 'm').exec(page) ?? [];
  return wordsIn(line);
}

/** Types that have names; a key without a type is text or, if it has such a name, of that type. */
const namedTypes: Readonly<Record<string, z.core.$ZodType>> = {
  string: z.string(),
  number: z.number(),
  boolean: z.boolean(),
  null: z.null(),
  true: z.literal(true),
  false: z.literal(false),
  tunnel: tunnelState,
  event: connectionEvent,
  ...Object.fromEntries(
    ['routing', 'policy', 'check'].map((key) => [key, z.enum(documentedWords(key))] as const),
  ),
};

/** Reads a shape such as `{name, load: number | null, apps?: [{id}]}`. */
export function schemaOf(shape: string): z.ZodType {
  const tokens = shape.match(/[{}[\],:|?]|"[^"]*"|\w+|\S/g) ?? [];
  const take = (expected?: string): string => {
    const token = tokens.shift() ?? '';
    if (token === '' || (expected !== undefined && token !== expected))
      throw new Error(`${expected ?? 'more'} is missing in ${shape} before ${token} ${tokens.join(' ')}`);
    return token;
  };
  const takeIf = (wanted: string): boolean => tokens[0] === wanted && tokens.shift() !== undefined;

  function union(): z.core.$ZodType {
    const options = [single()];
    while (takeIf('|')) options.push(single());
    return z.union(options);
  }
  function single(): z.core.$ZodType {
    const token = take();
    if (token === '{') return object();
    if (token.startsWith('"')) return z.literal(token.slice(1, -1));
    if (token === '[') {
      const items = z.array(union());
      take(']');
      return items;
    }
    const named = namedTypes[token];
    if (!named) throw new Error(`${token} in ${shape} is no type`);
    return named;
  }
  function object(): z.core.$ZodType {
    const properties: Record<string, z.core.$ZodType> = {};
    do {
      const key = take();
      const isOptional = takeIf('?');
      const type = takeIf(':') ? union() : (namedTypes[key] ?? z.string());
      properties[key] = isOptional ? z.optional(type) : type;
    } while (takeIf(','));
    take('}');
    return z.strictObject(properties);
  }

  const schema = z.union([union()]);
  if (tokens.length > 0) throw new Error(`${shape} goes on with ${tokens.join(' ')}`);
  return schema;
}

/** By command, such as `apps list`. */
export const documentedResults: ReadonlyMap<string, z.ZodType> = new Map(
  tableRows(page)
    .filter(([, cell = '']) => cell.startsWith('`{'))
    .map(([command = '', cell = '']) => {
      const [shape = ''] = wordsIn(cell);
      return [command.replaceAll('`', ''), schemaOf(shape.replaceAll('\\|', '|'))];
    }),
);

/** By exit code, the words in `error.code`. */
export const documentedErrors: ReadonlyMap<number, readonly string[]> = new Map(
  [...page.matchAll(/^- (\d+): ([^]+?)(?=\n- |\n\n)/gm)].map(([, exit, text = '']) => [
    Number(exit),
    wordsIn(text).flatMap((word) => {
      if (word === 'cause') return invalidCause.options;
      if (word === 'reason') return disconnectReason.options;
      return word === 'tunnel' ? [] : [word];
    }),
  ]),
);

/** Throws unless what a command has printed is what is documented. */
export function parseDocumented(
  argv: readonly string[],
  { code, stdout }: Pick<ProcessResult, 'code' | 'stdout'>,
) {
  const [line = '', ...more] = stdout.split('\n');
  if (more.join('') !== '') throw new Error(`more than one line: ${stdout}`);
  const result: unknown = JSON.parse(line);
  const failure = z.strictObject({ error: z.strictObject({ code: z.string(), message: z.string() }) });
  const { data: failed } = failure.safeParse(result);
  if (failed) {
    if (!documentedErrors.get(code ?? -1)?.includes(failed.error.code))
      throw new Error(`${failed.error.code} is not documented for exit code ${code}`);
    return result;
  }
  const command = [...documentedResults.keys()].find((name) => `${argv.join(' ')} `.startsWith(`${name} `));
  const schema = documentedResults.get(command ?? '');
  if (!schema) throw new Error(`the JSON of ${argv.join(' ')} is not documented`);
  const { error } = schema.safeParse(result);
  if (error) throw new Error(`${stdout} is not as documented:\n${z.prettifyError(error)}`);
  return result;
}
