import { connectivityProbe } from '#shared/constants.ts';
import type { Language } from '#shared/entities.ts';
import type { Host } from '#shared/host/contract.ts';
import { callApi } from '../../api/call-api.ts';
import { ApiCallFailed } from '../../api/api-failure.ts';

/** Whether the service answers, in the time that a test page has: then there is a network, if a small one. */
export async function answersCalls(host: Host, language: Language): Promise<boolean> {
  // A call that needs no session, is small, and is never kept.
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
