const units = [
  ['year', 365],
  ['month', 30],
  ['week', 7],
  ['day', 1],
] as const;

/** How long a plan lasts, in the largest unit of which there is a whole number: as plans are sold, months have 30 days. */
export function formatPeriod(days: number, language: string): string {
  const [unit, size] = units.find(([, length]) => days % length === 0) ?? ['day', 1];
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(days / size);
}
