import {
  browserTracingIntegration,
  captureException,
  init,
  makeFetchTransport,
  replayIntegration,
} from '@sentry/browser';
import { defaultEnvironment, errorReporting } from '#shared/constants.ts';
import { scrubEnvelope } from '#shared/report-scrubbing.ts';

/** Reports errors, traces and replays from now on. Returns a function that reports a caught error. */
export function startSentry(dsn: string, release: string): (error: unknown) => void {
  init({
    dsn,
    release,
    environment: defaultEnvironment,
    sendDefaultPii: false,
    tracesSampleRate: errorReporting.tracesSampleRate,
    replaysSessionSampleRate: errorReporting.replaySessionSampleRate,
    replaysOnErrorSampleRate: errorReporting.replayOnErrorSampleRate,
    // The service does not trace, so its calls get no additional headers.
    tracePropagationTargets: [],
    transport: scrubbingTransport,
    integrations: (defaults) => [
      // Visits are not counted.
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
        // Compressed data could not be scrubbed before it is sent.
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
