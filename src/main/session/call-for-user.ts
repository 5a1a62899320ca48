import type { ApiResult } from '#shared/api/result.ts';

/** Makes a call of the service that a user waits for, who may have to be asked something first. */
export type CallForUser = <Data>(call: () => Promise<ApiResult<Data>>) => Promise<ApiResult<Data>>;
