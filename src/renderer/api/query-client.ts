import { QueryCache, QueryClient } from '@tanstack/react-query';
import { showError } from '../ui/toast.ts';
import { ApiCallFailed } from './api-failure.ts';

const networkRetries = 2;

export function createQueryClient(): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({
      // Specification §8: any code that nobody knows better is told in the service's words.
      onError(error) {
        const msg = error instanceof ApiCallFailed && error.failure.kind === 'service' && error.failure.msg;
        if (msg) showError(msg);
      },
    }),
    defaultOptions: {
      queries: {
        // The host knows whether the service can be reached; the browser's `navigator.onLine` does not.
        networkMode: 'always',
        retry: (failures, error) => failures < networkRetries && isNetworkFailure(error),
        retryDelay: 1000,
      },
    },
  });
}

function isNetworkFailure(error: Error): boolean {
  return error instanceof ApiCallFailed && error.failure.kind === 'network';
}
