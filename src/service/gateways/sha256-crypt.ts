import { hash, randomBytes } from 'node:crypto';

/** The minimum: the hashed passwords are random, and cannot be guessed however fast hashing is. */
const rounds = 1000;
const alphabet = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const digestBytes = 32;

/** `$5$salt$hash`, with the number of rounds if it is not the default. */
const form = /^\$5\$(?:rounds=\d{4,9}\$)?[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{43}$/;

export const isSha256Crypt = (text: string): boolean => form.test(text);

/**
 * A crypt(3) hash of a password by the SHA-256 method, which Node does not have: Drepper, "Unix crypt using SHA-256 and
 * SHA-512". The numbers below are its steps.
 */
export function sha256Crypt(password: string): string {
  const key = Buffer.from(password);
  const salt = Buffer.from([...randomBytes(16)].map((byte) => alphabet[byte % 64] ?? '').join(''));
  // 4–8
  const alternate = sha256(key, salt, key);
  // 1–3, 9–12
  const mixed = [key, salt, repeated(alternate, key.length)];
  for (let bits = key.length; bits > 0; bits >>= 1) mixed.push(bits % 2 === 1 ? alternate : key);
  let digest = sha256(...mixed);
  // 13–16
  const keySequence = repeated(sha256(...Array.from({ length: key.length }, () => key)), key.length);
  // 17–20
  const salts = Array.from({ length: 16 + (digest[0] ?? 0) }, () => salt);
  const saltSequence = repeated(sha256(...salts), salt.length);
  // Step 21, in one buffer, because there are many rounds.
  const block = Buffer.alloc(2 * (keySequence.length + digestBytes) + saltSequence.length);
  for (let round = 0; round < rounds; round += 1) {
    const isOdd = round % 2 === 1;
    let end = 0;
    const add = (bytes: Buffer) => {
      block.set(bytes, end);
      end += bytes.length;
    };
    add(isOdd ? keySequence : digest);
    if (round % 3 !== 0) add(saltSequence);
    if (round % 7 !== 0) add(keySequence);
    add(isOdd ? digest : keySequence);
    digest = hash('sha256', block.subarray(0, end), 'buffer');
  }
  return `$5$rounds=${rounds}$${salt.toString()}$${encoded(digest)}`;
}

const sha256 = (...parts: readonly Buffer[]) => hash('sha256', Buffer.concat(parts), 'buffer');

const repeated = (bytes: Buffer, length: number) => Buffer.alloc(length, bytes);

/** Step 22: groups of three bytes at rotating positions, ten apart; each group becomes four characters of six bits. */
function encoded(digest: Buffer): string {
  const at = (index: number) => digest[index] ?? 0;
  let text = '';
  for (let group = 0; group < 10; group += 1) {
    const [one, two, three] = turned([group, group + 10, group + 20], group);
    text += characters((at(one) << 16) | (at(two) << 8) | at(three), 4);
  }
  return text + characters((at(digestBytes - 1) << 8) | at(digestBytes - 2), 3);
}

function turned([one, two, three]: [number, number, number], group: number): [number, number, number] {
  if (group % 3 === 0) return [one, two, three];
  return group % 3 === 1 ? [three, one, two] : [two, three, one];
}

/** Lowest bits first. */
function characters(bits: number, count: number): string {
  return Array.from({ length: count }, (_, i) => alphabet[(bits >> (6 * i)) & 63] ?? '').join('');
}
