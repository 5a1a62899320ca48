import { readEmail } from '#shared/typed-text.ts';
import { isEmail } from '#shared/validation.ts';
import { z } from 'zod';
import { cleanText } from '../http/clean-text.ts';
import { followFile, type FollowedFile, type Following } from '../followed-file.ts';

/** Labels that the operator gives to users, by email in lower case; mini-apps can require some of them. */
export type UserLabels = ReadonlyMap<string, ReadonlySet<string>>;

export const noUserLabels: UserLabels = new Map();

const maxLabelLength = 64;

/** A label in the form in which it is stored and compared, for mini-apps and users. */
export function cleanLabel(raw: string): string {
  return cleanText(raw, maxLabelLength);
}

const labelsFile = z
  .record(
    z.string().refine((email) => isEmail(readEmail(email)), 'no email address'),
    z.array(z.string().transform(cleanLabel)),
  )
  .refine((users) => !hasTwice(Object.keys(users).map(accountEmail)), 'an address is twice');

/** Reads and follows `{"person@example.com": ["staff", …], …}`; throws if the file contains anything else. */
export async function followUserLabels(
  file: string,
  onProblem: Following<UserLabels>['onProblem'],
): Promise<FollowedFile<UserLabels>> {
  const labels = followFile(file, { read: (text) => readUserLabels(file, text), onProblem });
  await labels.open();
  return labels;
}

function readUserLabels(file: string, text: string | undefined): UserLabels {
  if (text === undefined) throw new Error(`${file} does not exist`);
  try {
    const users = labelsFile.parse(JSON.parse(text));
    return new Map(Object.entries(users).map(([email, labels]) => [accountEmail(email), new Set(labels)]));
  } catch (cause) {
    throw new Error(`${file} is no file of users' labels`, { cause });
  }
}

/** An address as accounts have it. */
const accountEmail = (email: string) => readEmail(email).toLowerCase();

function hasTwice(values: string[]): boolean {
  return new Set(values).size < values.length;
}
