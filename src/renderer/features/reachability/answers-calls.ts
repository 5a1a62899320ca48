import { connectivityProbe } from '#shared/constants.ts';
import type { Language } from '#shared/entities.ts';
import type { Host } from '#shared/host/contract.ts';
import { callApi } from '../../api/call-api.ts';
import { ApiCallFailed } from '../../api/api-failure.ts';

/** Whether the service answers within the time for a test page: then there is a network, even if a small one. */
export async function answersCalls(host: Host, language: Language): Promise<boolean> {
  // A call that is small, needs no session, and is never cached.
  const answered = callApi(host, 'pageNotes', { params: { pageName: 'vpn-welcome' } }, language).then(
    () => true,
    (error: unknown) => error instanceof ApiCallFailed && error.failure.kind !== 'network',
  );
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), connectivityProbe.frameTimeoutSeconds * 1000);
  });
  try {
    return await Promise.race([answered, late]);
  } finally {
    clearTimeout(timer);
  }
}
