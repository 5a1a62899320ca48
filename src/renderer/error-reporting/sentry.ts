import {
  browserTracingIntegration,
  captureException,
  init,
  makeFetchTransport,
  replayIntegration,
} from '@sentry/browser';
import { defaultEnvironment, errorReporting } from '#shared/constants.ts';
import { scrubEnvelope } from '#shared/report-scrubbing.ts';

/** Reports errors, traces and replays from now on. Returns what reports an error that was caught. */
export function startSentry(dsn: string, release: string): (error: unknown) => void {
  init({
    dsn,
    release,
    environment: defaultEnvironment,
    sendDefaultPii: false,
    tracesSampleRate: errorReporting.tracesSampleRate,
    replaysSessionSampleRate: errorReporting.replaySessionSampleRate,
    replaysOnErrorSampleRate: errorReporting.replayOnErrorSampleRate,
    // The service does not trace: its calls get no further headers.
    tracePropagationTargets: [],
    transport: scrubbingTransport,
    integrations: (defaults) => [
      // Counting visits is not the task.
      ...defaults.filter(({ name }) => name !== 'BrowserSession'),
      browserTracingIntegration(),
      replayIntegration({
        maskAllText: true,
        maskAllInputs: true,
        blockAllMedia: true,
        maskAttributes: ['title', 'placeholder', 'aria-label', 'alt', 'value', 'href', 'src'],
        flushMinDelay: errorReporting.replayFlushSeconds * 1000,
        flushMaxDelay: errorReporting.replayFlushSeconds * 1000,
        maxReplayDuration: errorReporting.replayMaxSeconds * 1000,
        // What is compressed could not be scrubbed on its way out.
        useCompression: false,
      }),
    ],
  });
  return captureException;
}

type Transport = ReturnType<typeof makeFetchTransport>;
type Envelope = Parameters<Transport['send']>[0];

function scrubbingTransport(options: Parameters<typeof makeFetchTransport>[0]): Transport {
  const transport = makeFetchTransport(options);
  return { ...transport, send: (envelope) => transport.send(scrubEnvelope(envelope) as Envelope) };
}
