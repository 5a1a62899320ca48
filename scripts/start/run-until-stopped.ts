import { StartProblem } from './start-problem.ts';

/** As shells say it of a program that Ctrl-C has ended. */
const interrupted = 130;

/**
 * Runs this until it ends, and tells it by `stop` of Ctrl-C and other wishes to end, at any time; says that it is ending,
 * and what has failed.
 */
export async function runUntilStopped(run: (stop: AbortSignal) => Promise<void>): Promise<void> {
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    // A terminal's Ctrl-C comes twice: to this process, and by way of the one that started it.
    process.on(signal, () => {
      if (!stopping.signal.aborted) console.log('Ending …');
      stopping.abort();
    });
  }
  try {
    await run(stopping.signal);
  } catch (error) {
    const isStopped = stopping.signal.aborted;
    // The terminal sends Ctrl-C to the programs that are being started, too: what they say then is no failure.
    if (!isStopped) console.error(error instanceof StartProblem ? error.message : error);
    process.exitCode = isStopped ? interrupted : 1;
  }
}
