import { randomUUID } from 'node:crypto';
import type { HostImplementation } from '#shared/host/contract.ts';
import { asksForCode } from '#shared/host/asks-for-code.ts';
import { gatewayFormLimits, type GatewayForm, type GatewayFormField } from '#shared/host/gateway-form.ts';
import { HostRequestRefused } from '#shared/host/server.ts';
import { readAuthCode } from '#shared/typed-text.ts';
import type { AskUser, OpenField, Question } from './sign-in/auth-answers.ts';
import { sanitizeText } from './sanitize-text.ts';

/** Lets the page answer gateways' forms: the host contract's `gatewayForm` group. */
export interface GatewayForms {
  readonly host: HostImplementation['gatewayForm'];
  readonly ask: AskUser;
  /** Whether one waits for an answer. */
  readonly isWaiting: () => boolean;
  /**
   * Shows a text of the gateway with this host name, after any question that waits for its answer. True once the user
   * has read it; false if something else replaces it.
   */
  show: (gateway: string, text: string) => Promise<boolean>;
}

interface Waiting {
  form: GatewayForm;
  /** The gateway's names of the form's fields. */
  names: readonly string[];
  end: (answers: Given) => void;
  /** Settles when it does not wait any more. */
  ended: Promise<unknown>;
}

/** Answers by field name, or undefined if the user gives up. */
type Given = ReadonlyMap<string, string> | undefined;

/**
 * `emit`: called with the form that waits for an answer from now on, or null. The answers go to the gateway and nowhere
 * else.
 */
export function createGatewayForms(emit: (form: GatewayForm | null) => void): GatewayForms {
  let waiting: Waiting | undefined;

  /** A form that is already waiting is withdrawn. */
  function wait(form: GatewayForm, names: readonly string[], signal?: AbortSignal): Promise<Given> {
    waiting?.end(undefined);
    if (signal?.aborted) return Promise.resolve(undefined);
    const { promise, resolve } = Promise.withResolvers<Given>();
    const abort = () => mine.end(undefined);
    const mine: Waiting = {
      form,
      names,
      ended: promise,
      end(answers) {
        signal?.removeEventListener('abort', abort);
        waiting = undefined;
        emit(null);
        resolve(answers);
      },
    };
    signal?.addEventListener('abort', abort, { once: true });
    waiting = mine;
    emit(form);
    return promise;
  }

  return {
    isWaiting: () => waiting !== undefined,
    ask(question, signal) {
      const fields = question.fields.flatMap((field) => {
        const shown = shownField(field);
        return shown ? [{ name: field.name, shown }] : [];
      });
      const form = shownForm(
        question,
        fields.map(({ shown }) => shown),
      );
      return wait(
        form,
        fields.map(({ name }) => name),
        signal,
      );
    },
    async show(gateway, text) {
      const message = sanitizeText(text, gatewayFormLimits.banner);
      const id = randomUUID();
      // Somebody may be typing a code, and a gateway may have something new to say with each answer.
      const question = () => (waiting?.form.topic === 'banner' ? undefined : waiting);
      for (let one = question(); one; one = question()) await one.ended;
      return (
        (await wait({ id, topic: 'banner', gateway, message, again: false, fields: [] }, [])) !== undefined
      );
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
        const given = asksForCode(form) ? answers.map(codeIn) : answers;
        if (!fits(given, form.fields)) {
          throw new HostRequestRefused('gatewayForm.answer: not an answer to this form');
        }
        end(new Map(names.map((name, index) => [name, given[index] ?? ''])));
        return true;
      },
    },
  };
}

/**
 * A one-time code, typed with the gap with which authenticators show it, or in digits of another script; any other
 * answer as it is: it may be a word that the gateway takes in place of a code, or a password.
 */
function codeIn(answer: string): string {
  const code = readAuthCode(answer);
  return /^[\p{Nd}\p{Zs}\p{Pd}\p{Cf}]+$/u.test(answer) && /^\d{4,10}$/.test(code) ? code : answer;
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

function shownForm(
  { gateway, topic, proxyNamedBy, form, again }: Question,
  fields: GatewayFormField[],
): GatewayForm {
  const lines = (...parts: (string | undefined)[]) => parts.filter(Boolean).join('\n');
  const { banner: bannerLimit, message: limit } = gatewayFormLimits;
  // A long banner must not push out what the gateway asks.
  const banner = sanitizeText(form.banner ?? '', bannerLimit - limit - 1);
  return {
    id: randomUUID(),
    topic,
    ...(proxyNamedBy && { proxyNamedBy }),
    gateway,
    message: lines(banner, sanitizeText(lines(form.error, form.message), limit)),
    again,
    fields,
  };
}

/** Undefined if there is nothing to choose. */
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

/** Gateways' labels are made for terminals: "Password:". */
function shownLabel(text: string): string {
  return sanitizeText(text.replaceAll('\n', ' '), gatewayFormLimits.label).replace(/[:：]$/, '');
}
