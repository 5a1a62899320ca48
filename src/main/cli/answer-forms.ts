import type { ControlClient } from '#shared/control/contract.ts';
import type { GatewayForm, GatewayFormField } from '#shared/host/gateway-form.ts';
import { CommandProblem, type CommandContext } from './command-context.ts';
import type { ErrorCode } from './error-code.ts';
import { exitCode } from './exit-code.ts';
import { oneLine } from './terminal.ts';

interface AnsweredForms {
  /** The proxy that wanted a password which nobody could type; undefined if none did. */
  silentProxy(): string | undefined;
  end(): void;
}

type Context = Pick<CommandContext, 'terminal' | 'say' | 'interrupted'>;
type Client = Pick<ControlClient, 'gatewayForm'>;

/**
 * Whose forms a command answers: gateways' only if it leads to one, since others are asked on behalf of somebody else.
 */
type Askers = 'anybody' | 'proxies';

/**
 * Asks on the terminal what a gateway, or a proxy on the way, asks the user meanwhile. If there is no terminal input,
 * the form is given up. So is that of a proxy which the network names, if input is piped: that was meant for somebody
 * else, and the network may be anybody's.
 */
function answerForms({ terminal, say }: Context, client: Client, askers: Askers): AnsweredForms {
  let asked: string | undefined;
  /** Withdraws what is being asked. */
  let questions = new AbortController();
  let isEnded = false;
  let silentProxy: string | undefined;

  async function take(form: GatewayForm): Promise<void> {
    if (form.id === asked || isEnded) return;
    withdraw();
    // As in the app's window, where somebody answers it, while this command asks for updates.
    if (askers === 'proxies' && form.topic !== 'proxy') return;
    asked = form.id;
    const frame = form.topic === 'banner' ? 'gatewayForm.bannerSays' : 'command.asks';
    terminal.note(say(frame, { gateway: form.gateway }));
    if (form.message !== '') terminal.note(form.message);
    const { signal } = (questions = new AbortController());
    const answers = await answersTo(form, signal);
    // It is answered elsewhere, too late to be answered, or of a core that is gone.
    if (signal.aborted) return;
    if (form.topic === 'proxy') silentProxy = answers ? undefined : form.gateway;
    // Somebody may have answered it in the app's window meanwhile.
    await client.gatewayForm.answer({ id: form.id, answers }).catch(() => false);
  }

  const withdraw = () => questions.abort();

  async function answersTo(
    { topic, fields, proxyNamedBy }: GatewayForm,
    signal: AbortSignal,
  ): Promise<string[] | null> {
    if (topic === 'banner') {
      // What is piped was not written to say that this was read, but may be the code that is asked for next.
      if (!terminal.isTyped) return null;
      return (await terminal.ask(say('command.pressEnter'), { signal })) === undefined ? null : [];
    }
    // A core that was started before an update does not say.
    if (topic === 'proxy' && !terminal.isTyped && proxyNamedBy !== 'computer') return null;
    for (;;) {
      const answers = await answersInTurn(fields, signal);
      // Enter that was meant for the shell must not send an empty answer, which counts as a wrong one; as in the app.
      if (!answers || hasAnswer(fields, answers)) return answers;
    }
  }

  async function answersInTurn(fields: GatewayForm['fields'], signal: AbortSignal): Promise<string[] | null> {
    const answers: string[] = [];
    for (const field of fields) {
      const answer = await answerTo(field, signal);
      if (answer === undefined) return null;
      answers.push(answer);
    }
    return answers;
  }

  async function answerTo(field: GatewayFormField, signal: AbortSignal): Promise<string | undefined> {
    if (field.kind !== 'choice')
      return await terminal.ask(`${oneLine(field.label)}: `, { isSecret: field.kind === 'secret', signal });
    terminal.note(field.label);
    for (const [index, { label }] of field.choices.entries())
      terminal.note(`  ${index + 1}  ${oneLine(label)}`);
    const line = (await terminal.ask(say('command.choose'), { signal }))?.trim();
    if (line === undefined) return undefined;
    const chosen = field.choices[Number(line) - 1] ?? field.choices.find(({ label }) => label === line);
    return chosen?.value ?? field.selected;
  }

  let hasChanged = false;
  const unsubscribe = client.gatewayForm.changed((form) => {
    hasChanged = true;
    if (form) void take(form);
    else withdraw();
  });
  // The form may have been shown before this listened.
  void client.gatewayForm
    .get()
    .then(async (form) => {
      if (form && !hasChanged) await take(form);
    })
    .catch(() => undefined);
  return {
    silentProxy: () => silentProxy,
    end() {
      isEnded = true;
      unsubscribe();
      withdraw();
    },
  };
}

/** Whether anything has been typed, or nothing has to be. */
function hasAnswer(fields: GatewayForm['fields'], answers: readonly string[]): boolean {
  const typed = answers.filter((_, index) => fields[index]?.kind !== 'choice');
  return typed.length === 0 || typed.some((answer) => answer !== '');
}

/** What it looks like where a proxy lets nothing through. */
const unreached: ReadonlySet<string> = new Set([
  'gateway-name-unknown',
  'gateway-unreachable',
  'network',
  'proxy-credentials',
  'servers-unknown',
] satisfies ErrorCode[]);

/**
 * Does something while forms are answered on the terminal. Where a proxy wanted a password that nobody could type, and
 * nothing was reached, that is why.
 */
export const withForms = <Result>(
  context: Context,
  client: Client,
  work: () => Promise<Result>,
): Promise<Result> => answering(context, client, { work, askers: 'anybody' });

/** The same for what leads to no gateway: only proxies' forms are answered. */
export const withProxyForms = <Result>(
  context: Context,
  client: Client,
  work: () => Promise<Result>,
): Promise<Result> => answering(context, client, { work, askers: 'proxies' });

async function answering<Result>(
  context: Context,
  client: Client,
  { work, askers }: { work: () => Promise<Result>; askers: Askers },
): Promise<Result> {
  const forms = answerForms(context, client, askers);
  try {
    return await work();
  } catch (error) {
    const proxy = forms.silentProxy();
    if (proxy === undefined || context.interrupted.aborted) throw error;
    if (!(error instanceof CommandProblem) || !unreached.has(error.code)) throw error;
    const text = context.say('command.proxyPassword', { proxy: oneLine(proxy) });
    throw error.exitCode === exitCode.notConnected
      ? new CommandProblem(exitCode.notConnected, 'proxy-credentials', text)
      : new CommandProblem(exitCode.failed, 'proxy-credentials', text);
  } finally {
    forms.end();
  }
}
