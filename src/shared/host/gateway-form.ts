import * as z from 'zod/mini';

/** A form of a gateway as a page shows it. Whatever is text in it comes from the gateway, and is only text. */

export const gatewayFormLimits = { message: 600, banner: 4000, label: 120, choices: 64, value: 256 } as const;

const label = z.string().check(z.maxLength(gatewayFormLimits.label));
const value = z.string().check(z.maxLength(gatewayFormLimits.value));

export const gatewayFormField = z.discriminatedUnion('kind', [
  /** `secret`: what is typed is not shown, such as a one-time code. */
  z.strictObject({ kind: z.enum(['text', 'secret']), label }),
  z.strictObject({
    kind: z.literal('choice'),
    label,
    choices: z
      .array(z.strictObject({ value, label }))
      .check(z.minLength(2), z.maxLength(gatewayFormLimits.choices)),
    /** A choice's value. */
    selected: value,
  }),
]);
export type GatewayFormField = z.infer<typeof gatewayFormField>;

export const gatewayForm = z.strictObject({
  /** Which form it is that is answered: each is asked once. */
  id: z.uuid(),
  /**
   * `form`: whatever the gateway asks. `group`: which of its groups of users to sign in as, which is remembered.
   * `banner`: a text to read; it has no fields.
   */
  topic: z.enum(['form', 'group', 'banner']),
  /** Host name of the gateway that asks. */
  gateway: z.string().check(z.maxLength(253)),
  /** The gateway's own words, maybe in several lines; empty if it says nothing. */
  message: z.string().check(z.maxLength(gatewayFormLimits.banner)),
  /** Whether these are the fields of the form that was answered just before. */
  again: z.boolean(),
  fields: z.array(gatewayFormField).check(z.maxLength(32)),
});
export type GatewayForm = z.infer<typeof gatewayForm>;

/** One for each field, in the form's order. One line each: no control characters. */
const answers = z
  .array(z.string().check(z.maxLength(gatewayFormLimits.value), z.regex(/^[^\p{Cc}]*$/u)))
  .check(z.maxLength(32));

/** `answers` is null when the user gives up. */
export const gatewayFormReply = z.strictObject({ id: z.uuid(), answers: z.nullable(answers) });
