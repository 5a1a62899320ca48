import { randomUUID } from 'node:crypto';
import type { HostImplementation } from '#shared/host/contract.ts';
import { gatewayFormLimits, type GatewayForm, type GatewayFormField } from '#shared/host/gateway-form.ts';
import { HostRequestRefused } from '#shared/host/server.ts';
import type { AskUser, OpenField, Question } from './gateway/auth-answers.ts';

/** Has gateways' forms answered by the page: the host contract's `gatewayForm` group. */
export interface GatewayForms {
  readonly host: HostImplementation['gatewayForm'];
  readonly ask: AskUser;
}

interface Waiting {
  form: GatewayForm;
  /** What the form's fields are called in the gateway's. */
  names: readonly string[];
  end: (answers: ReadonlyMap<string, string> | undefined) => void;
}

/** `emit`: the form that waits from now on, or null. What it is answered goes to the gateway and nowhere else. */
export function createGatewayForms(emit: (form: GatewayForm | null) => void): GatewayForms {
  let waiting: Waiting | undefined;

  return {
    ask(question, signal) {
      waiting?.end(undefined);
      const { promise, resolve } = Promise.withResolvers<ReadonlyMap<string, string> | undefined>();
      if (signal.aborted) return Promise.resolve(undefined);
      const fields = question.fields.flatMap((field) => {
        const shown = shownField(field);
        return shown ? [{ name: field.name, shown }] : [];
      });
      const abort = () => mine.end(undefined);
      const mine: Waiting = {
        form: shownForm(
          question,
          fields.map(({ shown }) => shown),
        ),
        names: fields.map(({ name }) => name),
        end(answers) {
          signal.removeEventListener('abort', abort);
          waiting = undefined;
          emit(null);
          resolve(answers);
        },
      };
      signal.addEventListener('abort', abort, { once: true });
      waiting = mine;
      emit(mine.form);
      return promise;
    },
    host: {
      get: () => waiting?.form ?? null,
      answer({ id, answers }) {
        if (waiting?.form.id !== id) return false;
        const { form, names, end } = waiting;
        if (answers === null) {
          end(undefined);
          return true;
        }
        if (!fits(answers, form.fields)) {
          throw new HostRequestRefused('gatewayForm.answer: not an answer to this form');
        }
        end(new Map(names.map((name, index) => [name, answers[index] ?? ''])));
        return true;
      },
    },
  };
}

function fits(answers: readonly string[], fields: readonly GatewayFormField[]): boolean {
  return (
    answers.length === fields.length &&
    fields.every(
      (field, index) =>
        field.kind !== 'choice' || field.choices.some(({ value }) => value === answers[index]),
    )
  );
}

function shownForm({ gateway, form, again }: Question, fields: GatewayFormField[]): GatewayForm {
  const message = [form.error, form.message].filter((part) => part !== undefined).join('\n');
  return {
    id: randomUUID(),
    gateway,
    message: plainText(message, gatewayFormLimits.message),
    again,
    fields,
  };
}

/** Undefined where there is nothing to choose. */
function shownField(field: OpenField): GatewayFormField | undefined {
  const label = shownLabel(field.label);
  switch (field.kind) {
    case 'text':
      return { kind: 'text', label };
    case 'password':
      return { kind: 'secret', label };
    case 'select': {
      const choices = field.choices
        .filter(({ value }) => value.length <= gatewayFormLimits.value)
        .slice(0, gatewayFormLimits.choices)
        .map((choice) => ({ value: choice.value, label: shownLabel(choice.label) }));
      const selected = choices.find(({ value }) => value === field.selected) ?? choices[0];
      if (!selected || choices.length < 2) return undefined;
      return { kind: 'choice', label, choices, selected: selected.value };
    }
    default:
      return field satisfies never;
  }
}

/** Gateways' labels are for terminals: "Password:". */
function shownLabel(text: string): string {
  return plainText(text.replaceAll('\n', ' '), gatewayFormLimits.label).replace(/[:：]$/, '');
}

/** Without what is no text: control characters, and marks by which text reads otherwise than it is written (UAX #9). */
function plainText(text: string, most: number): string {
  const lines = text
    .replace(/[^\P{Cc}\n]|[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/gu, '')
    .split('\n')
    .map((line) => line.trim());
  const clean = lines.filter((line) => line !== '').join('\n');
  // Not in the middle of a character.
  return clean.length <= most ? clean : `${clean.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
