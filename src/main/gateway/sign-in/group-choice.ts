import type { Gateway } from '#shared/tunnel/state.ts';
import { isGroup, type Answers, type AskUser } from './auth-answers.ts';
import type { AuthField, AuthForm } from './auth-form.ts';
import type { GatewayGroup, GatewayMemory } from '../gateway-memory.ts';
import type { Interactive } from './session.ts';

/** The group for one sign-in: the user's choice, asked once and then remembered. */
export interface GroupChoice {
  /** The group's value in the protocol. */
  current: () => string | undefined;
  /**
   * Handles a choice of groups in a form. `begin-again`: the form belongs to another group than the wanted one. Each
   * group has its own forms, which a gateway sends on request (openconnect's auth.c does the same).
   */
  choose(
    form: AuthForm,
    signal: AbortSignal,
  ): Promise<'as-it-is' | 'begin-again' | Extract<Answers, { ok: false }>>;
  /** Call this once the choice has led to a session, so that a group that the gateway refuses is not remembered. */
  remember(): void;
}

export function createGroupChoice(options: {
  gateway: Gateway;
  memory: Pick<GatewayMemory, 'group' | 'setGroup'>;
  interactive: Interactive;
  askUser: AskUser;
}): GroupChoice {
  const { gateway, memory, interactive, askUser } = options;
  let group = memory.group(gateway);
  /** The user's choice in this sign-in. */
  let chosen: GatewayGroup | undefined;

  return {
    current: () => group?.value,
    async choose(form, signal) {
      const field = form.fields.find(isChoiceOfGroups);
      if (!field || chosen) return 'as-it-is';
      if (field.choices.some(({ value }) => value === group?.value)) return 'as-it-is';
      if (!interactive) return { ok: false, failure: 'needs-group' };
      const question = {
        gateway: gateway.host,
        topic: 'group',
        form,
        fields: [field],
        again: false,
      } as const;
      const value = (await askUser(question, signal))?.get(field.name);
      chosen = field.choices.find((choice) => choice.value === value);
      if (!chosen) return { ok: false, failure: 'sign-in-cancelled' };
      group = chosen;
      return chosen.value === field.selected ? 'as-it-is' : 'begin-again';
    },
    remember() {
      if (chosen) memory.setGroup(gateway, chosen);
    },
  };
}

type Select = Extract<AuthField, { kind: 'select' }>;

const isChoiceOfGroups = (field: AuthField): field is Select =>
  isGroup(field) && field.kind === 'select' && field.choices.length > 1;
