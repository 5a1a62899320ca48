const units = [
  ['year', 365],
  ['month', 30],
  ['week', 7],
  ['day', 1],
] as const;

/** A plan's duration, in the largest unit that gives a whole number: plans are sold in months of 30 days. */
export function formatPeriod(days: number, language: string): string {
  const [unit, size] = units.find(([, length]) => days >= length && days % length === 0) ?? ['day', 1];
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(days / size);
}
