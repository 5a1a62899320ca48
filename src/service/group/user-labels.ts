import { readFile } from 'node:fs/promises';
import { isEmail } from '#shared/validation.ts';
import { z } from 'zod';
import { cleanText } from '../http/clean-text.ts';

/** What the operator says of users, by their email in lower case; apps can require some of these labels. */
export type UserLabels = ReadonlyMap<string, ReadonlySet<string>>;

export const noUserLabels: UserLabels = new Map();

const maxLabelLength = 64;

/** A label as it is stored and compared, of an app as of a user. */
export function cleanLabel(raw: string): string {
  return cleanText(raw, maxLabelLength);
}

const labelsFile = z
  .record(z.string().refine(isEmail, 'no email address'), z.array(z.string().transform(cleanLabel)))
  .refine(
    (users) => !hasTwice(Object.keys(users).map((email) => email.toLowerCase())),
    'an address is twice',
  );

/** Reads `{"person@example.com": ["staff", …], …}`; throws if the file is something else. */
export async function readUserLabels(file: string): Promise<UserLabels> {
  try {
    const users = labelsFile.parse(JSON.parse(await readFile(file, 'utf8')));
    return new Map(Object.entries(users).map(([email, labels]) => [email.toLowerCase(), new Set(labels)]));
  } catch (cause) {
    throw new Error(`${file} is no file of users' labels`, { cause });
  }
}

function hasTwice(values: string[]): boolean {
  return new Set(values).size < values.length;
}
