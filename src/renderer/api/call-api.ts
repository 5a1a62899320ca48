import { apiCalls, type ApiData } from '#shared/api/calls.ts';
import type { ApiCallInput } from '#shared/api/client.ts';
import type { Language } from '#shared/entities.ts';
import type { PageCallName } from '#shared/host/common-contract.ts';
import type { Host } from '#shared/host/contract.ts';
import { noteAnswer } from './answered-calls.ts';
import { ApiCallFailed } from './api-failure.ts';

/** A page's input for a call: path parameters and a body. */
export type PageCallInput<Name extends PageCallName> = Pick<ApiCallInput<Name>, 'params' | 'body'>;

/**
 * Makes a call of the API contract through the host, and returns its checked data. Throws ApiCallFailed if there is
 * none.
 */
export async function callApi<Name extends PageCallName>(
  host: Host,
  name: Name,
  { params, body }: PageCallInput<Name>,
  language: Language,
): Promise<ApiData<Name>> {
  const result = await host.api.call({ name, params, body, language });
  if (result.ok || result.failure.kind !== 'network') noteAnswer();
  if (!result.ok) throw new ApiCallFailed(result.failure);
  const data = readApiData(name, result.data);
  if (data === undefined) throw new ApiCallFailed({ kind: 'invalid-reply' });
  return data;
}

/** A call's data if it matches the contract, or undefined. */
export function readApiData<Name extends PageCallName>(
  name: Name,
  value: unknown,
): ApiData<Name> | undefined {
  const data = apiCalls[name].data.safeParse(value);
  return data.success ? (data.data as ApiData<Name>) : undefined;
}
