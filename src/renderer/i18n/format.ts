const byteUnits = ['kB', 'MB', 'GB', 'TB', 'PB', 'EB'] as const;

/**
 * Bytes in the unit that leaves at most three digits before the point, in steps of 1000, from kilobytes on. All
 * supported languages write numbers of that size and these units alike. Intl would, too, but its first number takes a
 * browser more than 10 ms.
 */
export function formatBytes(bytes: number, per?: 'second'): string {
  // 999.5 of a unit would be rounded to 1000.
  const steps = bytes < 1000 ? 1 : Math.min(Math.floor(Math.log10(bytes / 0.99949) / 3), byteUnits.length);
  const value = bytes / 1000 ** steps;
  const rounded = value < 10 ? Math.round(value * 10) / 10 : Math.round(value);
  return `${rounded} ${byteUnits[steps - 1] ?? 'kB'}${per ? '/s' : ''}`;
}

export function formatDate(time: Date, language: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'long' }).format(time);
}

/** The same, with today and yesterday in words. */
export function formatDay(day: Date, today: Date, language: string): string {
  const days = Math.round((startOfDay(day) - startOfDay(today)) / (daySeconds * 1000));
  if (days !== 0 && days !== -1) return formatDate(day, language);
  const name = new Intl.RelativeTimeFormat(language, { numeric: 'auto' }).format(days, 'day');
  return name.charAt(0).toLocaleUpperCase(language) + name.slice(1);
}

const startOfDay = (time: Date): number => new Date(time).setHours(0, 0, 0, 0);

/**
 * With a 24-hour clock in Chinese: for Traditional Chinese, Intl names one of six parts of the day, as in `清晨6:29`; if
 * it is asked for a 24-hour clock together with the date, it writes the date in digits with slashes.
 */
export function formatDateTime(time: Date, language: string): string {
  if (!language.startsWith('zh')) {
    return new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' }).format(time);
  }
  return `${formatDate(time, language)} ${formatTime(time, language)}`;
}

/** Hours and minutes; see `formatDateTime` about Chinese. */
export function formatTime(time: Date, language: string): string {
  const clock = language.startsWith('zh') ? ({ hourCycle: 'h23' } as const) : {};
  return new Intl.DateTimeFormat(language, { timeStyle: 'short', ...clock }).format(time);
}

const daySeconds = 24 * 60 * 60;

/** A duration as on a clock, `1:02:03`, with days in words before it if there are any. */
export function formatDuration(seconds: number, language: string): string {
  const whole = Math.max(0, Math.floor(seconds));
  const days = Math.floor(whole / daySeconds);
  const hours = Math.floor((whole % daySeconds) / 3600);
  const two = (value: number) => String(value).padStart(2, '0');
  const clock = `${days > 0 ? two(hours) : hours}:${two(Math.floor((whole % 3600) / 60))}:${two(whole % 60)}`;
  if (days === 0) return clock;
  const dayText = new Intl.NumberFormat(language, { style: 'unit', unit: 'day', unitDisplay: 'long' });
  return `${dayText.format(days)} ${clock}`;
}

/** By how much a clock is wrong, in minutes, hours, days or, as after an empty battery, years. */
export function formatClockError(milliseconds: number, language: string): string {
  const minutes = Math.round(Math.abs(milliseconds) / 60_000);
  if (minutes < 120) return formatMinutes(minutes, language);
  const days = minutes / 60 / 24;
  const [value, unit] =
    days < 2 ? [minutes / 60, 'hour'] : days < 2 * 365 ? [days, 'day'] : [days / 365.25, 'year'];
  return new Intl.NumberFormat(language, {
    style: 'unit',
    unit,
    unitDisplay: 'long',
    maximumFractionDigits: days < 2 ? 1 : 0,
  }).format(value);
}

/** A remaining time in its two largest units of days, hours and minutes; the last part as on a clock. */
export function formatTimeLeft(seconds: number, language: string): string {
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return formatDuration(seconds, language);
  const hours = Math.floor(minutes / 60);
  const days = Math.floor(hours / 24);
  const words = (value: number, unit: 'day' | 'hour' | 'minute') =>
    new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(value);
  const parts =
    days > 0
      ? [words(days, 'day'), words(hours % 24, 'hour')]
      : [words(hours, 'hour'), words(minutes % 60, 'minute')];
  return new Intl.ListFormat(language, { type: 'unit', style: 'narrow' }).format(parts);
}

export function formatMilliseconds(milliseconds: number, language: string): string {
  return new Intl.NumberFormat(language, {
    style: 'unit',
    unit: 'millisecond',
    unitDisplay: 'short',
    maximumFractionDigits: 0,
  }).format(Math.max(1, milliseconds));
}

/** Whole minutes in words. */
export function formatMinutes(minutes: number, language: string): string {
  return new Intl.NumberFormat(language, { style: 'unit', unit: 'minute', unitDisplay: 'long' }).format(
    minutes,
  );
}
