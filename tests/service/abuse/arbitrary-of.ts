import * as fc from 'fast-check';
import * as z from 'zod/mini';

type JsonSchema = z.core.JSONSchema.JSONSchema;

/** Text of every kind: NUL, lone surrogates, line ends, SQL, paths, headers, options. */
export const hostileText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 40 })
    .map((units) => String.fromCharCode(...units)),
  fc.constantFrom(
    "'; drop table users; --",
    '../../etc/passwd',
    'a\r\nBcc: b@example.com',
    '\0',
    '\uD800',
    '--help',
    'x'.repeat(10_000),
    '__proto__',
    'toString',
  ),
);
export const hostileValue = fc.oneof(
  { weight: 3, arbitrary: hostileText },
  { weight: 1, arbitrary: fc.jsonValue() },
);

/** Values that a schema takes, and such as it nearly takes: with a field missing, odd or out of bounds. */
export function arbitraryOf(schema: z.ZodMiniType): fc.Arbitrary<unknown> {
  return arbitraryOfJson(z.toJSONSchema(schema, { io: 'input' }));
}

function arbitraryOfJson(schema: JsonSchema): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(nested));
  switch (schema.type) {
    case 'object': {
      const fields = Object.entries(schema.properties ?? {});
      const odd = (field: fc.Arbitrary<unknown>) =>
        fc.oneof({ weight: 6, arbitrary: field }, { weight: 1, arbitrary: hostileValue });
      const required = fc.record(
        Object.fromEntries(fields.map(([name, field]) => [name, odd(nested(field))])),
      );
      const partial = fc.record(
        Object.fromEntries(fields.map(([name, field]) => [name, odd(nested(field))])),
        { requiredKeys: [] },
      );
      return fc.oneof({ weight: 4, arbitrary: required }, { weight: 1, arbitrary: partial });
    }
    case 'array':
      return fc.array(nested((schema.items ?? {}) as JsonSchema), { maxLength: 40 });
    case 'string':
      return schema.pattern === undefined
        ? hostileText
        : fc.oneof(fc.stringMatching(new RegExp(schema.pattern)), hostileText);
    case 'integer':
    case 'number':
      return fc.oneof(fc.integer(), fc.double(), fc.constantFrom(0, 1, -1, 2 ** 31, 2 ** 53, 1e308));
    case 'boolean':
      return fc.boolean();
    case 'null':
    case undefined:
    default:
      throw new Error(`no values are known of ${JSON.stringify(schema)}`);
  }
}

const nested = (schema: JsonSchema | boolean) =>
  typeof schema === 'boolean' ? hostileValue : arbitraryOfJson(schema);
