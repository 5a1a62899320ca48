import type { Gateway } from '../../../lab/gateway/gateway.ts';

/** Restarts the gateway as one that refuses whoever signs in, until disposed of. */
export async function refuseSignIns(gateway: Gateway): Promise<AsyncDisposable> {
  await gateway.restart({ knowsNobody: true });
  return { [Symbol.asyncDispose]: () => gateway.restart({ knowsNobody: false }) };
}
