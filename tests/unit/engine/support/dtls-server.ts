import { createHash } from 'node:crypto';
import { masterSecret, premasterSecret, recordKeys, suiteOf } from '#node/anyconnect/dtls/cipher-suites.ts';
import { messageHeaderBytes, messageType, wholeMessage } from '#node/anyconnect/dtls/handshake-messages.ts';
import { prf } from '#node/anyconnect/dtls/prf.ts';
import {
  contentType,
  createRecordOpener,
  createRecordSealer,
  headerBytes,
  plainRecord,
  readHeader,
  type RecordOpener,
  type RecordSealer,
} from '#node/anyconnect/dtls/record.ts';

/**
 * The other end of DTLS for tests with a clock of their own, which other makers' servers do not have; that the client
 * works with those is shown in tests/helper/engine/own.
 */
export interface DtlsServer {
  receive(datagram: Buffer): void;
  send(content: Buffer): void;
}

export function createDtlsServer(options: {
  key: Buffer;
  send(datagram: Buffer): void;
  onContent(content: Buffer): void;
}): DtlsServer {
  const suite = suiteOf(0x00a9);
  if (!suite) throw new Error('no suite');
  const random = Buffer.alloc(32, 0x22);
  const transcript: Buffer[] = [];
  const plain: Buffer[] = [];
  let clientRandom: Buffer | undefined;
  let open: RecordOpener | undefined;
  let seal: RecordSealer | undefined;
  let finish: (() => Buffer) | undefined;
  let finished: Buffer | undefined;
  let isSecret = false;

  const hash = () => createHash(suite.hash).update(Buffer.concat(transcript)).digest();
  const message = (type: number, sequence: number, body: Buffer) => {
    const whole = wholeMessage(type, sequence, body);
    transcript.push(whole);
    plain.push(plainRecord(contentType.handshake, plain.length, whole));
  };

  function takePlain(content: Buffer): void {
    const type = content[0];
    if (type === messageType.clientHello && !clientRandom) {
      clientRandom = Buffer.from(content.subarray(messageHeaderBytes + 2, messageHeaderBytes + 34));
      transcript.push(Buffer.from(content));
      const hello = Buffer.from(`fefd${random.toString('hex')}0000a900000400170000`, 'hex');
      message(messageType.serverHello, 0, hello);
      message(messageType.serverHelloDone, 1, Buffer.alloc(0));
    }
    if (type === messageType.clientHello) options.send(Buffer.concat(plain));
    if (type === messageType.clientKeyExchange && clientRandom && !open) {
      transcript.push(Buffer.from(content));
      const master = masterSecret({
        suite: suite!,
        premaster: premasterSecret(options.key),
        clientRandom,
        serverRandom: random,
        sessionHash: hash(),
      });
      const keys = recordKeys(suite!, master, { client: clientRandom, server: random });
      open = createRecordOpener(suite!, keys.client);
      seal = createRecordSealer(suite!, keys.server, 1);
      finish = () => prf(suite!.hash, master, 'server finished', hash(), 12);
    }
  }

  return {
    receive(datagram) {
      for (let at = 0; at < datagram.length;) {
        const header = readHeader(datagram, at);
        if (!header) return;
        const record = datagram.subarray(at, at + headerBytes + header.length);
        at += record.length;
        if (header.epoch === 0 && header.type === contentType.handshake)
          takePlain(record.subarray(headerBytes));
        if (header.epoch === 0 || !open || !seal) continue;
        const content = open(header, record);
        if (!content) continue;
        if (header.type === contentType.handshake) {
          if (!finished && finish) {
            transcript.push(content);
            finished = wholeMessage(messageType.finished, 2, finish());
          }
          isSecret = true;
          const last = finished && seal.seal(contentType.handshake, finished);
          if (last) options.send(last);
        } else if (header.type === contentType.applicationData) options.onContent(content);
      }
    },
    send(content) {
      const record = isSecret ? seal?.seal(contentType.applicationData, content) : undefined;
      if (record) options.send(record);
    },
  };
}
