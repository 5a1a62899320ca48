import type { ControlClient } from '#shared/control/contract.ts';
import type { GatewayForm, GatewayFormField } from '#shared/host/gateway-form.ts';
import type { CommandContext } from './command-context.ts';
import { oneLine } from './terminal.ts';

/**
 * Asks on the terminal what a gateway asks the user while connecting. If there is no terminal input, the form is given
 * up.
 */
export function answerForms(context: CommandContext, client: ControlClient): { end(): void } {
  const { terminal, say } = context;
  let asked: string | undefined;
  let isEnded = false;

  async function take(form: GatewayForm | null): Promise<void> {
    if (!form || form.id === asked || isEnded) return;
    asked = form.id;
    terminal.note(say('command.asks', { gateway: form.gateway }));
    if (form.message !== '') terminal.note(form.message);
    const answers = await answersTo(form);
    // Somebody may have answered it in the app's window meanwhile.
    await client.gatewayForm.answer({ id: form.id, answers }).catch(() => false);
  }

  async function answersTo({ topic, fields }: GatewayForm): Promise<string[] | null> {
    if (topic === 'banner') return (await terminal.ask(say('command.pressEnter'))) === undefined ? null : [];
    const answers: string[] = [];
    for (const field of fields) {
      const answer = await answerTo(field);
      if (answer === undefined) return null;
      answers.push(answer);
    }
    return answers;
  }

  async function answerTo(field: GatewayFormField): Promise<string | undefined> {
    if (field.kind !== 'choice')
      return await terminal.ask(`${oneLine(field.label)}: `, { isSecret: field.kind === 'secret' });
    terminal.note(field.label);
    for (const [index, { label }] of field.choices.entries())
      terminal.note(`  ${index + 1}  ${oneLine(label)}`);
    const line = (await terminal.ask(say('command.choose')))?.trim();
    if (line === undefined) return undefined;
    const chosen = field.choices[Number(line) - 1] ?? field.choices.find(({ label }) => label === line);
    return chosen?.value ?? field.selected;
  }

  const unsubscribe = client.gatewayForm.changed((form) => void take(form));
  // The form may have been shown before this listened.
  void client.gatewayForm
    .get()
    .then(take)
    .catch(() => undefined);
  return {
    end() {
      isEnded = true;
      unsubscribe();
    },
  };
}
