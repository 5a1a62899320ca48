import type { AuthField, AuthForm } from './auth-form.ts';
import type { GatewayCredentials } from './session.ts';
import type { OpenBrowser } from './single-sign-on.ts';

/** Asks the user for the named fields of a form; undefined when the user gives up. */
export type AskUser = (
  form: AuthForm,
  fields: readonly AuthField[],
  signal: AbortSignal,
) => Promise<ReadonlyMap<string, string> | undefined>;

/** Where answers come from that are not the device's own credentials. */
export interface Interaction {
  openBrowser: OpenBrowser;
  /** Absent while no page can show a gateway's form. */
  askUser?: AskUser;
}

export type Answers =
  | { ok: true; answers: Map<string, string> }
  | { ok: false; failure: 'sign-in-refused' | 'sign-in-cancelled' | 'needs-user' };

/** Answers the forms of one sign-in. The device's user name and token are each given once. */
export interface Answerer {
  answer(form: AuthForm, signal: AbortSignal): Promise<Answers>;
}

const usernameFields = new Set(['username', 'user', 'uname']);
const passwordFields = new Set(['password', 'passwd']);

/** `interactive`: the user is there, and may be asked now. */
export function createAnswerer(
  credentials: GatewayCredentials,
  interaction: Interaction,
  interactive: boolean,
): Answerer {
  /**
   * A field that comes back after it was answered is a refusal (ocserv asks for the password again, with
   * "Login failed" as its message) or a question of its own, such as a one-time code: the same answer would
   * be wrong both times, and each wrong one counts towards a ban.
   */
  const given = new Set<string>();

  function ownAnswer(field: AuthField): string | undefined {
    switch (field.kind) {
      case 'hidden':
        return field.value;
      case 'select':
        return field.selected;
      case 'text':
        return usernameFields.has(field.name) && !given.has(field.name) ? credentials.username : undefined;
      case 'password':
        return passwordFields.has(field.name) && !given.has(field.name) ? credentials.password : undefined;
      case 'single-sign-on':
        return undefined;
      default:
        return field satisfies never;
    }
  }

  async function byBrowser(
    form: AuthForm,
    signal: AbortSignal,
  ): Promise<string | Exclude<Answers, { ok: true }>> {
    if (!form.singleSignOn) return { ok: false, failure: 'sign-in-refused' };
    if (!interactive) return { ok: false, failure: 'needs-user' };
    const end = await interaction.openBrowser(form.singleSignOn, signal);
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
    async answer(form, signal) {
      const answers = new Map<string, string>();
      const open: AuthField[] = [];
      for (const field of form.fields) {
        const own = field.kind === 'single-sign-on' ? await byBrowser(form, signal) : ownAnswer(field);
        if (typeof own === 'object') return own;
        if (own === undefined) open.push(field);
        else answers.set(field.name, own);
      }
      for (const field of form.fields) given.add(field.name);
      if (open.length === 0) return { ok: true, answers };
      if (!interaction.askUser) return { ok: false, failure: 'sign-in-refused' };
      if (!interactive) return { ok: false, failure: 'needs-user' };
      const asked = await interaction.askUser(form, open, signal);
      if (!asked) return { ok: false, failure: 'sign-in-cancelled' };
      for (const field of open) answers.set(field.name, asked.get(field.name) ?? '');
      return { ok: true, answers };
    },
  };
}
