/** When the plan or trial that the user connects with ends, in milliseconds since the Unix epoch. */
export interface PlanEnd {
  kind: 'trial' | 'plan';
  at: number;
}

/** How long before the end of a trial or a plan the user is warned. */
export interface Warning {
  amount: number;
  unit: 'day' | 'hour';
}

const warnings: Record<PlanEnd['kind'], readonly Warning[]> = {
  // Shortest first.
  trial: [
    { amount: 1, unit: 'hour' },
    { amount: 1, unit: 'day' },
  ],
  plan: [
    { amount: 1, unit: 'day' },
    { amount: 3, unit: 'day' },
  ],
};

const unitMs = { hour: 3_600_000, day: 24 * 3_600_000 } as const;

/** The warning that is due, and its name. Each warning is shown once for each end, so a new plan gets new warnings. */
export function dueWarning(
  end: PlanEnd | undefined,
  now: number,
): { warning: Warning; name: string } | undefined {
  if (!end || end.at <= now) return undefined;
  const warning = warnings[end.kind].find(({ amount, unit }) => end.at - now <= amount * unitMs[unit]);
  return warning && { warning, name: `${end.kind} ${end.at} ${warning.amount} ${warning.unit}` };
}
