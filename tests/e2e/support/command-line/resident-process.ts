import { pathToFileURL } from 'node:url';
import type { CommandOrder, CommandOutcome } from './resident-commands.ts';

/**
 * Runs the built command line again and again in one process: its own file is evaluated anew for each command, with the
 * arguments and the environment of that command, while what it imports is loaded once, which is most of what a command
 * costs. Arguments: the built file.
 */
const [runtime = '', , commandLine = ''] = process.argv;
const address = pathToFileURL(commandLine).href;
let count = 0;

function setEnvironment(wanted: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env))
    if (!(name in wanted)) Reflect.deleteProperty(process.env, name);
  Object.assign(process.env, wanted);
}

/** What is written to a stream from now on; the result puts the stream back, and says it. */
function collect(stream: NodeJS.WriteStream): () => string {
  const write = stream.write.bind(stream);
  let text = '';
  stream.write = (chunk: Uint8Array | string, ...rest: unknown[]) => {
    text += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
    const done = rest.at(-1);
    if (typeof done === 'function') process.nextTick(done);
    return true;
  };
  return () => {
    stream.write = write;
    return text;
  };
}

const exitCodeNow = () => Number(process.exitCode ?? 0);

async function runCommand({ words, env }: CommandOrder): Promise<CommandOutcome> {
  setEnvironment(env);
  process.argv = [runtime, commandLine, ...words];
  process.exitCode = undefined;
  const output = collect(process.stdout);
  const notes = collect(process.stderr);
  await import(`${address}?command=${(count += 1)}`);
  const code = exitCodeNow();
  // Those of this command, which has ended.
  for (const signal of ['SIGINT', 'SIGTERM']) process.removeAllListeners(signal);
  process.removeAllListeners('exit');
  for (const stream of [process.stdout, process.stderr]) stream.removeAllListeners('error');
  return { code, stdout: output(), stderr: notes() };
}

process.on('message', (order: CommandOrder) => {
  void runCommand(order).then((outcome) => process.send?.(outcome));
});
process.once('disconnect', () => process.exit());
