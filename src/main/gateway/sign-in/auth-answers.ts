import type { AuthField, AuthForm } from './auth-form.ts';
import type { GatewayCredentials, Interactive } from './session.ts';
import type { OpenBrowser } from './single-sign-on.ts';

/** What a gateway asks that only the user can answer. */
export interface Question {
  /** Host name of the gateway. */
  gateway: string;
  /** `group`: the choice of the user's group, before anything else. `proxy`: asked by a proxy instead. */
  topic: 'form' | 'group' | 'proxy';
  proxyNamedBy?: 'computer' | 'network';
  form: AuthForm;
  /** The fields of the form that the user has to answer. */
  fields: readonly OpenField[];
  /** Whether the user has answered this form just before. */
  again: boolean;
}

/** A field that the user answers. */
export type OpenField = Extract<AuthField, { kind: 'text' | 'password' | 'select' }>;

/** Asks the user. The result has one answer for each field, by name; undefined if the user gives up. */
export type AskUser = (
  question: Question,
  signal: AbortSignal,
) => Promise<ReadonlyMap<string, string> | undefined>;

/** The source of answers other than the device's own credentials. */
export interface Interaction {
  openBrowser: OpenBrowser;
  askUser: AskUser;
}

export type Answers =
  | { ok: true; answers: Map<string, string> }
  | {
      ok: false;
      failure: 'sign-in-refused' | 'sign-in-cancelled' | 'needs-user' | 'needs-group';
      /** The gateway's own words. */
      words?: string;
    };

/** Answers the forms of one sign-in. */
export interface Answerer {
  answer(form: AuthForm, signal: AbortSignal): Promise<Answers>;
  /** Whether the user has typed an answer: what was only chosen is not refused as that is. */
  hasTyped(): boolean;
}

const usernameFields = new Set(['username', 'user', 'uname']);
const passwordFields = new Set(['password', 'passwd']);

const isUsername = (field: AuthField) => field.kind === 'text' && usernameFields.has(field.name);
const isPassword = (field: AuthField) => field.kind === 'password' && passwordFields.has(field.name);

export interface AnswererOptions extends Interaction {
  /** Host name of the gateway. */
  gateway: string;
  /** Undefined: the user has to enter them. */
  credentials: GatewayCredentials | undefined;
  /** Whether there are newer credentials. */
  isRenewed: (() => Promise<boolean>) | undefined;
  interactive: Interactive;
  /** The value of the group to sign in as; undefined means the gateway's default. */
  group: () => string | undefined;
}

export function createAnswerer(options: AnswererOptions): Answerer {
  const { gateway, credentials, interactive } = options;
  /** The names of the fields that were answered with the device's credentials. */
  const supplied = new Set<string>();
  /** The form in which the device's password was sent. */
  let passwordForm: AuthForm | undefined;
  /** Whether the browser has given a token. */
  let hasToken = false;
  /** The last form that was answered. */
  let answered: AuthForm | undefined;
  /** The last form in which the user answered fields, and their names; whether there was more than choices so far. */
  let userAnswered: { form: AuthForm; names: ReadonlySet<string>; hasTyped: boolean } | undefined;

  /** An answer that does not need the user, or undefined. */
  function ownAnswer(field: AuthField, again: boolean): string | undefined {
    switch (field.kind) {
      case 'hidden':
        return field.value;
      case 'select':
        // The one that was chosen before may be offered no more.
        if (isGroup(field))
          return field.choices.find(({ value }) => value === options.group())?.value ?? field.selected;
        // Such as the way on which a code is sent: not even what is selected is the user's choice.
        return field.choices.length > 1 ? undefined : field.selected;
      case 'text':
        return isUsername(field) ? credentials?.username : undefined;
      case 'password':
        // If the user answered another field wrongly, the password is still right.
        return isPassword(field) &&
          (!passwordForm || (again && userAnswered?.names.has(field.name) === false))
          ? credentials?.password
          : undefined;
      case 'single-sign-on':
        return undefined;
      default:
        return field satisfies never;
    }
  }

  /**
   * Gateways refuse what they were told by asking for it again. The user does not know the device's password, and each
   * wrong answer counts towards a ban. A form that also asks something new is no refusal, and neither is what the user
   * has just answered. But a choice is not refused as a password is, and a token is, whatever is hidden beside it.
   *
   * Only a one-time code looks the same at some gateways: ocserv asks for it as a password, in a form with the same id.
   * What the gateway says decides where it is certain; otherwise the service may have a newer password.
   */
  async function isRefusal(form: AuthForm, again: boolean): Promise<boolean> {
    const hasTyped = userAnswered?.hasTyped === true;
    const asked = form.fields.filter(isInput);
    if (hasToken && asked.length === 0 && form.fields.some(isByBrowser)) return true;
    if ((again && (hasTyped || asked.length === 0)) || form.id === 'challenge') return false;
    if (asked.length === 0) return isSame(answered, form);
    if (!asked.every(({ name }) => supplied.has(name))) return false;
    if (asked.some(isUsername)) return true;
    if (hasTyped) return false;
    if (form.error !== undefined) return true;
    return (
      saysRefused(passwordForm, form) || (interactive !== false && (await options.isRenewed?.()) === true)
    );
  }

  async function byBrowser(
    form: AuthForm,
    signal: AbortSignal,
  ): Promise<string | Exclude<Answers, { ok: true }>> {
    if (!form.singleSignOn) return { ok: false, failure: 'sign-in-refused' };
    if (interactive !== true) return { ok: false, failure: 'needs-user' };
    const end = await options.openBrowser(form.singleSignOn, signal);
    switch (end.kind) {
      case 'token':
        hasToken = true;
        return end.token;
      case 'refused':
        return { ok: false, failure: 'sign-in-refused' };
      case 'cancelled':
        return { ok: false, failure: 'sign-in-cancelled' };
      default:
        return end satisfies never;
    }
  }

  return {
    hasTyped: () => userAnswered?.hasTyped === true,
    async answer(form, signal) {
      const again = userAnswered !== undefined && namesIn(userAnswered.form) === namesIn(form);
      const isUsers = (field: AuthField) => isOpenField(field) && ownAnswer(field, again) === undefined;
      // Without the user, nothing would be answered differently than before.
      const isError = form.error !== undefined && !form.fields.some(isUsers);
      if (isError || (await isRefusal(form, again))) return refusedWith(form.error);
      const answers = new Map<string, string>();
      const open = new Set<AuthField>();
      for (const field of form.fields) {
        const own = field.kind === 'single-sign-on' ? await byBrowser(form, signal) : ownAnswer(field, again);
        if (typeof own === 'object') return own;
        if (own === undefined) open.add(field);
        else answers.set(field.name, own);
      }
      answered = form;
      for (const field of form.fields.filter(isInput)) if (!open.has(field)) supplied.add(field.name);
      if (form.fields.some((field) => isPassword(field) && answers.has(field.name))) passwordForm ??= form;
      if (open.size === 0) return { ok: true, answers };
      if (!interactive) return { ok: false, failure: 'needs-user' };

      const fields = form.fields.filter(isOpenField).filter((field) => open.has(field));
      const question = { gateway, topic: 'form', form, fields } as const;
      let given = await options.askUser({ ...question, again }, signal);
      while (given && !isRepeatedAlike(fields, given))
        given = await options.askUser({ ...question, again: true }, signal);
      if (!given) return { ok: false, failure: 'sign-in-cancelled' };
      userAnswered = {
        form,
        names: new Set([...open].map(({ name }) => name)),
        hasTyped: userAnswered?.hasTyped === true || [...open].some(isInput),
      };
      for (const field of fields) {
        const answer = given.get(field.name);
        const preset = field.kind !== 'select' && !answer ? field.preset : undefined;
        answers.set(field.name, preset ?? answer ?? answers.get(field.name) ?? '');
      }
      return { ok: true, answers };
    },
  };
}

const refusedWith = (words: string | undefined) =>
  ({ ok: false, failure: 'sign-in-refused', ...(words !== undefined && { words }) }) as const;

const isByBrowser = (field: AuthField) => field.kind === 'single-sign-on';

const isOpenField = (field: AuthField): field is OpenField => field.kind !== 'hidden' && !isByBrowser(field);

/**
 * The choice of a group, recognised by its name in AnyConnect's forms. It is made before all others: other groups have
 * other forms, which a gateway only sends on request.
 */
export const isGroup = (field: AuthField) => field.kind === 'select' && field.name === 'group_list';

const namesIn = (form: AuthForm) => form.fields.map(({ name }) => name).join(' ');

/**
 * Whether a new password or PIN is the same both times. The second one is never sent (openconnect's auth.c,
 * xmlpost_append_form_opts), so nobody else would notice a slip, and its user could not sign in again.
 */
function isRepeatedAlike(fields: readonly OpenField[], given: ReadonlyMap<string, string>): boolean {
  const names = fields.filter(({ kind }) => kind === 'password').map(({ name }) => name);
  return names.every((name) => {
    const [, what] = /^verify_(pin|password)$/.exec(name) ?? [];
    if (what === undefined) return true;
    const others = names.filter((other) => other !== name);
    const first = others.find((other) => other === `new_${what}`) ?? others.at(-1);
    return first === undefined || given.get(first) === given.get(name);
  });
}

/** A field that somebody fills in. */
const isInput = (field: AuthField) => field.kind === 'text' || field.kind === 'password';

/** Whether nothing has changed in a form that nobody fills in, but perhaps its words. */
const isSame = (earlier: AuthForm | undefined, later: AuthForm) =>
  JSON.stringify([earlier?.id, earlier?.fields]) === JSON.stringify([later.id, later.fields]);

/**
 * Whether a form says that the password was wrong: ocserv puts "Login failed." before what it asks, others begin again
 * with the message of the first time.
 */
function saysRefused(earlier: AuthForm | undefined, later: AuthForm): boolean {
  if (/^Login failed\b/.test(later.message ?? '')) return true;
  if (!earlier || namesIn(earlier) !== namesIn(later)) return false;
  return earlier.message === undefined
    ? later.message === undefined
    : later.message?.endsWith(earlier.message) === true;
}
