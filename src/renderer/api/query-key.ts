import type { QueryKey } from '@tanstack/react-query';
import type { PageCallName } from '#shared/host/common-contract.ts';

/** The key of a call's answer in memory. */
export function queryKeyOf(
  name: PageCallName,
  { params, body }: { params?: object; body?: unknown } = {},
): QueryKey {
  return [name, ...(params ? [params] : []), ...(body === undefined ? [] : [body])];
}
