import type { AuthField, AuthForm } from './auth-form.ts';
import type { GatewayCredentials, Interactive } from './session.ts';
import type { OpenBrowser } from './single-sign-on.ts';

/** What a gateway asks that only the user can answer. */
export interface Question {
  /** Host name of the gateway. */
  gateway: string;
  /** `group`: the choice of the user's group, before anything else. */
  topic: 'form' | 'group';
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
  /** Whether the user has answered something. */
  hasAsked(): boolean;
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
  interactive: Interactive;
  /** The value of the group to sign in as; undefined means the gateway's default. */
  group: () => string | undefined;
}

export function createAnswerer(options: AnswererOptions): Answerer {
  const { gateway, credentials, interactive } = options;
  let usernameGiven = false;
  /** The form in which the device's password was sent. */
  let passwordForm: AuthForm | undefined;
  /** The last form in which the user answered fields, and their names. */
  let asked: { form: AuthForm; names: ReadonlySet<string> } | undefined;

  /** An answer that does not need the user, or undefined. */
  function ownAnswer(field: AuthField, again: boolean): string | undefined {
    switch (field.kind) {
      case 'hidden':
        return field.value;
      case 'select':
        return (isGroup(field) ? options.group() : undefined) ?? field.selected;
      case 'text':
        return isUsername(field) ? credentials?.username : undefined;
      case 'password':
        // If the user answered another field wrongly, the password is still right.
        return isPassword(field) && (!passwordForm || (again && asked?.names.has(field.name) === false))
          ? credentials?.password
          : undefined;
      case 'single-sign-on':
        return undefined;
      default:
        return field satisfies never;
    }
  }

  /**
   * Gateways refuse user name and password by asking for them again; ocserv asks for the password, with "Login failed"
   * before the message of the first time. The user knows neither, and each wrong answer counts towards a ban. A
   * password field with another message is a different question, such as a one-time code.
   */
  function isRefusal(form: AuthForm, again: boolean): boolean {
    if (again) return false;
    if (usernameGiven && form.fields.some(isUsername)) return true;
    if (asked || !passwordForm || !form.fields.some(isPassword)) return false;
    return form.error !== undefined || saysTheSame(passwordForm.message, form.message);
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
    hasAsked: () => asked !== undefined,
    async answer(form, signal) {
      const again = asked !== undefined && namesIn(asked.form) === namesIn(form);
      const isUsers = (field: AuthField) => isOpenField(field) && ownAnswer(field, again) === undefined;
      // Without the user, nothing would be answered differently than before.
      const isError = form.error !== undefined && !form.fields.some(isUsers);
      if (isError || isRefusal(form, again)) return refusedWith(form.error);
      const answers = new Map<string, string>();
      const open = new Set<AuthField>();
      for (const field of form.fields) {
        const own = field.kind === 'single-sign-on' ? await byBrowser(form, signal) : ownAnswer(field, again);
        if (typeof own === 'object') return own;
        if (own === undefined) open.add(field);
        else answers.set(field.name, own);
      }
      usernameGiven ||= form.fields.some((field) => isUsername(field) && !open.has(field));
      if (form.fields.some((field) => isPassword(field) && answers.has(field.name))) passwordForm ??= form;
      if (open.size === 0) return { ok: true, answers };
      if (!interactive) return { ok: false, failure: 'needs-user' };

      const fields = form.fields.filter(isOpenField).filter((field) => open.has(field) || isChoice(field));
      const given = await options.askUser({ gateway, topic: 'form', form, fields, again }, signal);
      if (!given) return { ok: false, failure: 'sign-in-cancelled' };
      asked = { form, names: new Set([...open].map(({ name }) => name)) };
      for (const { name } of fields) answers.set(name, given.get(name) ?? answers.get(name) ?? '');
      return { ok: true, answers };
    },
  };
}

const refusedWith = (words: string | undefined) =>
  ({ ok: false, failure: 'sign-in-refused', ...(words !== undefined && { words }) }) as const;

const isOpenField = (field: AuthField): field is OpenField =>
  field.kind !== 'hidden' && field.kind !== 'single-sign-on';

/**
 * A choice that the user makes together with other answers. Not the group: other groups have other forms, which a
 * gateway only sends on request.
 */
const isChoice = (field: AuthField) => field.kind === 'select' && !isGroup(field);

/** The choice of a group, recognised by its name in AnyConnect's forms. */
export const isGroup = (field: AuthField) => field.kind === 'select' && field.name === 'group_list';

const namesIn = (form: AuthForm) => form.fields.map(({ name }) => name).join(' ');

/** Whether `later` is `earlier`, possibly with something before it. */
function saysTheSame(earlier: string | undefined, later: string | undefined): boolean {
  return earlier === undefined ? later === undefined : later?.endsWith(earlier) === true;
}
