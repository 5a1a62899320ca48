/** Types of records (RFC 1035 §3.2.2, RFC 3596 §2.1). */
const recordType = { a: 1, aaaa: 28 } as const;
const headerBytes = 12;
const internet = 1;
/** In seconds: nobody is to remember what was true without a tunnel. */
const timeToLive = 0;

export interface DnsQuestion {
  name: string;
  type: number;
}

/** The first question of a message, and where it ends; undefined for what is no question. */
function readQuestion(message: Buffer): (DnsQuestion & { end: number }) | undefined {
  if (message.length < headerBytes || message.readUInt16BE(4) === 0) return undefined;
  const labels: string[] = [];
  let at = headerBytes;
  for (;;) {
    const length = message[at];
    if (length === undefined || length > 63 || at + 1 + length > message.length) return undefined;
    at += 1 + length;
    if (length === 0) break;
    labels.push(message.toString('latin1', at - length, at));
  }
  if (at + 4 > message.length) return undefined;
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at), end: at + 4 };
}

/**
 * Answers a query (RFC 1035 §4.1) with the address of its name and type, in the order of bytes of a network. A name
 * that `find` does not know has no records. Undefined: it is no query.
 */
export function answerDns(
  query: Buffer,
  find: (question: DnsQuestion) => Buffer | undefined,
): Buffer | undefined {
  const question = readQuestion(query);
  if (!question || (query[2] ?? 0x80) >= 0x80) return undefined;
  const isAddress = question.type === recordType.a || question.type === recordType.aaaa;
  const address = isAddress ? find(question) : undefined;
  const head = Buffer.alloc(headerBytes);
  query.copy(head, 0, 0, 2);
  // An answer, recursion available, no error.
  head.writeUInt16BE(0x8180 | (query.readUInt16BE(2) & 0x0100), 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(address ? 1 : 0, 6);
  const record = Buffer.alloc(address ? 12 : 0);
  if (address) {
    // The name is that of the question (§4.1.4).
    record.writeUInt16BE(0xc000 | headerBytes, 0);
    record.writeUInt16BE(question.type, 2);
    record.writeUInt16BE(internet, 4);
    record.writeUInt32BE(timeToLive, 6);
    record.writeUInt16BE(address.length, 10);
  }
  return Buffer.concat([head, query.subarray(headerBytes, question.end), record, address ?? Buffer.alloc(0)]);
}

export const isIpv6Question = ({ type }: DnsQuestion): boolean => type === recordType.aaaa;

/** A query for a name's IPv4 address. */
export function dnsQuery(name: string, id: number): Buffer {
  const head = Buffer.alloc(headerBytes);
  head.writeUInt16BE(id, 0);
  head.writeUInt16BE(0x0100, 2);
  head.writeUInt16BE(1, 4);
  const labels = name
    .split('.')
    .map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`, 'latin1'));
  return Buffer.concat([head, ...labels, Buffer.from([0, 0, recordType.a, 0, internet])]);
}
