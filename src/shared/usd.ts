/** Cents of a US dollar as dollars with two decimals (specification §9), formatted for a language (a BCP 47 tag). */
export function formatUsd(cents: number, language: string): string {
  return new Intl.NumberFormat(language, {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: 2,
    maximumFractionDigits: 2,
  }).format(cents / 100);
}
