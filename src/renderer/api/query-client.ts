import { QueryCache, QueryClient } from '@tanstack/react-query';
import { showError } from '../ui/messages/toast.ts';
import { ApiCallFailed } from './api-failure.ts';

declare module '@tanstack/react-query' {
  interface Register {
    /** `handles`: codes that the calling page handles itself. */
    queryMeta: { handles: readonly number[] };
  }
}

const networkRetries = 2;

export function createQueryClient(): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({
      // Specification §8: any other code is reported in the service's words.
      onError(error, { meta }) {
        if (!(error instanceof ApiCallFailed) || error.failure.kind !== 'service') return;
        const { code, msg } = error.failure;
        if (msg && !meta?.handles.includes(code)) showError(msg);
      },
    }),
    defaultOptions: {
      queries: {
        // The host knows whether the service can be reached; the browser's `navigator.onLine` does not.
        networkMode: 'always',
        retry: (failures, error) => failures < networkRetries && isPassing(error),
        retryDelay: 1000,
      },
    },
  });
}

/** Worth an immediate retry. After a timeout, the user is told and decides. */
function isPassing(error: Error): boolean {
  return error instanceof ApiCallFailed && error.failure.kind === 'network' && !error.failure.timedOut;
}
