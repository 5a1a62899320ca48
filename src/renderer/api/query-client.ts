import { QueryClient } from '@tanstack/react-query';
import { ApiCallFailed } from './api-failure.ts';

const networkRetries = 2;

export function createQueryClient(): QueryClient {
  return new QueryClient({
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
