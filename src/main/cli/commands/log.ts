import { languageTags } from '#shared/language.ts';
import { eventLine, eventText } from '#shared/texts/connection-log-texts.ts';
import { CommandProblem, type CommandContext } from '../command-context.ts';
import { exitCode, type ExitCode } from '../exit-code.ts';
import { tableLines } from '../terminal.ts';

/** Prints the connection log, oldest entry first. */
export async function log(context: CommandContext, { isCleared }: { isCleared: boolean }): Promise<ExitCode> {
  const { terminal, say, isJson } = context;
  const { client } = await context.core();
  if (isCleared) {
    if (!(await client.connectionLog.clear()))
      throw new CommandProblem(exitCode.failed, 'not-stored', say('error.clear'));
    if (isJson) terminal.out(JSON.stringify({ entries: [] }));
    else terminal.out(say('connectionLog.cleared'));
    return exitCode.done;
  }
  const entries = await client.connectionLog.get();
  if (isJson) {
    terminal.out(JSON.stringify({ entries }));
    return exitCode.done;
  }
  if (entries.length === 0) terminal.note(say('connectionLog.empty'));
  const format = new Intl.DateTimeFormat(languageTags[context.language()], {
    dateStyle: 'short',
    timeStyle: 'medium',
  });
  const rows = entries.map(({ at, event }) => {
    const { title, values, text } = eventText(event);
    return [format.format(at), eventLine(say(title, values), text && say(text))];
  });
  for (const line of tableLines(rows)) terminal.out(line);
  return exitCode.done;
}
