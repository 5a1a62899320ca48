import { readFile } from 'node:fs/promises';
import { isEmail } from '#shared/validation.ts';
import { z } from 'zod';
import { cleanText } from '../http/clean-text.ts';

/** Labels that the operator gives to users, by email in lower case; apps can require some of them. */
export type UserLabels = ReadonlyMap<string, ReadonlySet<string>>;

export const noUserLabels: UserLabels = new Map();

const maxLabelLength = 64;

/** A label in the form in which it is stored and compared, for apps and users. */
export function cleanLabel(raw: string): string {
  return cleanText(raw, maxLabelLength);
}

const labelsFile = z
  .record(z.string().refine(isEmail, 'no email address'), z.array(z.string().transform(cleanLabel)))
  .refine(
    (users) => !hasTwice(Object.keys(users).map((email) => email.toLowerCase())),
    'an address is twice',
  );

/** Reads `{"person@example.com": ["staff", …], …}`; throws if the file contains anything else. */
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
