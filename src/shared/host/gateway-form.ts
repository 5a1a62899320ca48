import * as z from 'zod/mini';

/** A gateway's form as a page shows it. All texts in it come from the gateway, and are plain text only. */

export const gatewayFormLimits = { message: 600, banner: 4000, label: 120, choices: 64, value: 256 } as const;

const label = z.string().check(z.maxLength(gatewayFormLimits.label));
const value = z.string().check(z.maxLength(gatewayFormLimits.value));

export const gatewayFormField = z.discriminatedUnion('kind', [
  /** `secret`: the input is not shown, for example for a one-time code. */
  z.strictObject({ kind: z.enum(['text', 'secret']), label }),
  z.strictObject({
    kind: z.literal('choice'),
    label,
    choices: z
      .array(z.strictObject({ value, label }))
      .check(z.minLength(2), z.maxLength(gatewayFormLimits.choices)),
    /** The value of a choice. */
    selected: value,
  }),
]);
export type GatewayFormField = z.infer<typeof gatewayFormField>;

export const gatewayForm = z.strictObject({
  /** Identifies the form that is answered; each form is asked once. */
  id: z.uuid(),
  /**
   * `form`: anything the gateway asks. `group`: which of its groups to sign in as; the answer is remembered. `banner`:
   * a text to read, without fields. `proxy`: the user name and password for a proxy of the user's network.
   */
  topic: z.enum(['form', 'group', 'banner', 'proxy']),
  /**
   * Of a proxy: whether this computer's settings name it, or the network does (WPAD), which may be anybody's. A host
   * that is older does not say.
   */
  proxyNamedBy: z.optional(z.enum(['computer', 'network'])),
  /** Host name of the gateway that asks, or of the proxy. */
  gateway: z.string().check(z.maxLength(253)),
  /** The gateway's own text, possibly of several lines; empty if there is none. */
  message: z.string().check(z.maxLength(gatewayFormLimits.banner)),
  /** Whether these are the same fields as in the form that was answered just before. */
  again: z.boolean(),
  fields: z.array(gatewayFormField).check(z.maxLength(32)),
});
export type GatewayForm = z.infer<typeof gatewayForm>;

/** One answer for each field, in the form's order. Each is one line without control characters. */
const answers = z
  .array(z.string().check(z.maxLength(gatewayFormLimits.value), z.regex(/^[^\p{Cc}]*$/u)))
  .check(z.maxLength(32));

/** `answers` is null if the user gives up. */
export const gatewayFormReply = z.strictObject({ id: z.uuid(), answers: z.nullable(answers) });
