import { apiCode, type ApiFailure } from '#shared/api/result.ts';
import type { ControlClient } from '#shared/control/contract.ts';
import type { TextKey } from '#shared/texts/texts.ts';
import { readAuthCode, readEmail } from '#shared/typed-text.ts';
import { isEmail } from '#shared/validation.ts';
import { withProxyForms } from '../answer-forms.ts';
import { CommandProblem, type CommandContext } from '../command-context.ts';
import { exitCode, type ExitCode } from '../exit-code.ts';

/** People mistype codes; a program that pipes a wrong code has no other one. */
const maxTries = 3;

export async function signIn(context: CommandContext, given: string | undefined): Promise<ExitCode> {
  const { client } = await context.core();
  return await withProxyForms(context, client, () => signInWith(context, client, given));
}

async function signInWith(
  context: CommandContext,
  client: ControlClient,
  given: string | undefined,
): Promise<ExitCode> {
  const { terminal, say } = context;
  const email =
    given === undefined ? await asked(terminal, say('command.yourEmail'), readEmail) : readEmail(given);
  if (!isEmail(email)) throw new CommandProblem(exitCode.usage, 'bad-email', say('command.badEmail'));
  const language = context.language();
  const sent = await client.session.requestCode({ email, language });
  if (!sent.ok) throw failure(context, sent.failure, 'error.send');
  for (let tried = 1; ; tried += 1) {
    const code = await asked(terminal, say('command.yourCode', { email }), readAuthCode);
    if (!code) throw new CommandProblem(exitCode.failed, 'no-code', say('command.noCode'));
    const reply = await client.session.verifyCode({ authId: sent.data.authId, authCode: code, language });
    if (reply.ok) {
      const { persistence } = reply.data;
      if (context.isJson) terminal.out(JSON.stringify({ signedIn: true, keptIn: persistence }));
      else terminal.out(say('command.signedIn'));
      if (persistence === 'memory') terminal.note(say('command.inMemory'));
      return exitCode.done;
    }
    const isWrong = reply.failure.kind === 'service' && reply.failure.code === apiCode.invalid;
    if (!isWrong) throw failure(context, reply.failure, 'error.verification');
    if (tried === maxTries) throw new CommandProblem(exitCode.failed, 'bad-code', say('command.badCode'));
    terminal.note(say('command.badCode'));
  }
}

/**
 * What is typed or piped, as it is meant; empty at the end of input. Enter that was meant for the shell is no answer,
 * but what is piped has no other line.
 */
async function asked(
  terminal: CommandContext['terminal'],
  question: string,
  read: (text: string) => string,
): Promise<string> {
  for (;;) {
    const line = await terminal.ask(question);
    const answer = read(line ?? '');
    if (answer !== '' || line === undefined || !terminal.isTyped) return answer;
  }
}

export async function signOut(context: CommandContext): Promise<ExitCode> {
  const { client } = await context.core();
  await client.session.signOut({ by: 'user' });
  if (context.isJson) context.terminal.out(JSON.stringify({ signedIn: false }));
  else context.terminal.out(context.say('command.signedOut'));
  return exitCode.done;
}

/** The service's own message if it has one. */
function failure({ say }: CommandContext, given: ApiFailure, otherwise: TextKey): CommandProblem {
  if (given.kind === 'network') return new CommandProblem(exitCode.failed, 'network', say('error.network'));
  const own = given.kind === 'service' ? given.msg : '';
  return new CommandProblem(exitCode.failed, 'service', own || say(otherwise));
}
