/** So that the number of bytes is exact in JavaScript and in the database. */
export const maxGigabytes = 1_000_000;
/** 0 means unlimited here, but the operator has to say `unlimited`. */
export const trafficBytes = (gigabytes: number | 'unlimited') =>
  gigabytes === 'unlimited' ? 0 : Math.max(1, Math.round(gigabytes * 1e9));
