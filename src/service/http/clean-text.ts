import { cutText } from '#shared/cut-text.ts';
import { shownLine } from '#shared/unseen-characters.ts';

/** Text for display, on one line, cut to length. */
export const cleanText = (raw: string, maxLength: number): string =>
  cutText(shownLine(raw), maxLength).trim();
