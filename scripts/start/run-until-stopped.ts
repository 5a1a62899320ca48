import { StartProblem } from './start-problem.ts';

/** The exit code of shells for a program that was ended by Ctrl-C. */
const interrupted = 130;

/**
 * Runs this until it ends; `stop` is aborted by Ctrl-C and other signals to end, at any time. Says that it is ending,
 * and what has failed.
 */
export async function runUntilStopped(run: (stop: AbortSignal) => Promise<void>): Promise<void> {
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    // A terminal's Ctrl-C arrives twice: directly, and through the process that started this one.
    process.on(signal, () => {
      if (!stopping.signal.aborted) console.log('Ending …');
      stopping.abort();
    });
  }
  try {
    await run(stopping.signal);
  } catch (error) {
    const isStopped = stopping.signal.aborted;
    // The terminal also sends Ctrl-C to programs that are being started: their errors then are not failures.
    if (!isStopped) console.error(error instanceof StartProblem ? error.message : error);
    process.exitCode = isStopped ? interrupted : 1;
  }
}
