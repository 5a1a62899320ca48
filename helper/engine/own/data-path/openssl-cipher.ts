import koffi from 'koffi';
import type { Arena } from './arena.ts';

/**
 * The ciphers of the OpenSSL that Node has in it and exports, in memory of an arena, whose bounds are checked for each
 * call. Only what a nonce of twelve bytes and a tag of sixteen need.
 */
export interface OpensslCipher {
  /** Has the cipher make and read the records of TLS by itself (`tlsRecord`), from this nonce on. */
  setTlsNonce(at: number): boolean;
  /**
   * Encrypts or decrypts in place what has eight bytes of the nonce in front and room for the tag at its end; all
   * together are `length` bytes. Negative for a failure, and for what is not genuine.
   */
  tlsRecord(additional: number, at: number, length: number): number;
  /** Encrypts in place; the tag goes to `tag`. */
  seal(nonce: number, additional: number, at: number, length: number, tag: number): boolean;
  /** Decrypts in place; false for what is not genuine. */
  open(nonce: number, additional: number, at: number, length: number, tag: number): boolean;
  free(): void;
}

export type OpensslCipherName = 'aes-256-gcm' | 'aes-128-gcm' | 'chacha20-poly1305';

/** Constants of <openssl/evp.h>. */
const getTag = 0x10;
const setTag = 0x11;
const setFixedNonce = 0x12;
const tlsAdditional = 0x16;
const wholeNonce = -1;

const additionalBytes = 13;
const nonceBytes = 12;
const tagBytes = 16;

type Call = (...numbers: number[]) => number | bigint;

export interface Openssl {
  /** `key`: so many bytes in the arena, which are not needed afterwards. */
  create(name: OpensslCipherName, key: number, keyBytes: number, encrypts: boolean): OpensslCipher;
}

/** Throws where this Node does not export its OpenSSL. */
export function loadOpenssl(arena: Arena): Openssl {
  const library = koffi.load(null);
  const bind = (declaration: string): Call => library.func(declaration) as Call;
  const native = {
    create: bind('uintptr_t EVP_CIPHER_CTX_new()'),
    free: bind('void EVP_CIPHER_CTX_free(uintptr_t)'),
    init: bind('int EVP_CipherInit_ex(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, int)'),
    update: bind('int EVP_CipherUpdate(uintptr_t, uintptr_t, uintptr_t, uintptr_t, int)'),
    final: bind('int EVP_CipherFinal_ex(uintptr_t, uintptr_t, uintptr_t)'),
    control: bind('int EVP_CIPHER_CTX_ctrl(uintptr_t, int, int, uintptr_t)'),
    cipher: bind('int EVP_Cipher(uintptr_t, uintptr_t, uintptr_t, unsigned int)'),
  };
  const kinds: Record<OpensslCipherName, Call> = {
    'aes-256-gcm': bind('uintptr_t EVP_aes_256_gcm()'),
    'aes-128-gcm': bind('uintptr_t EVP_aes_128_gcm()'),
    'chacha20-poly1305': bind('uintptr_t EVP_chacha20_poly1305()'),
  };
  const lengthAt = arena.take(16);
  const lengthAddress = arena.address(lengthAt, 16);

  return {
    create(name, key, keyBytes, encrypts) {
      const direction = encrypts ? 1 : 0;
      const context = Number(native.create());
      const isMade =
        context !== 0 &&
        native.init(context, Number(kinds[name]()), 0, arena.address(key, keyBytes), 0, direction) === 1;
      if (!isMade) {
        if (context !== 0) native.free(context);
        throw new Error(`no cipher ${name}`);
      }
      let isFree = false;
      const living = () => {
        if (isFree) throw new Error('a cipher that is gone');
        return context;
      };
      const begin = (nonce: number, additional: number) =>
        native.init(living(), 0, 0, 0, arena.address(nonce, nonceBytes), direction) === 1 &&
        native.update(
          context,
          0,
          lengthAddress,
          arena.address(additional, additionalBytes),
          additionalBytes,
        ) === 1;
      const update = (at: number, length: number) => {
        const address = arena.address(at, length);
        return length === 0 || native.update(context, address, lengthAddress, address, length) === 1;
      };
      return {
        setTlsNonce: (at) =>
          Number(native.control(living(), setFixedNonce, wholeNonce, arena.address(at, nonceBytes))) > 0,
        tlsRecord(additional, at, length) {
          const address = arena.address(at, length);
          const added = arena.address(additional, additionalBytes);
          if (Number(native.control(living(), tlsAdditional, additionalBytes, added)) !== tagBytes) return -1;
          return Number(native.cipher(context, address, address, length));
        },
        seal: (nonce, additional, at, length, tag) =>
          begin(nonce, additional) &&
          update(at, length) &&
          native.final(context, arena.address(tag, tagBytes), lengthAddress) === 1 &&
          native.control(context, getTag, tagBytes, arena.address(tag, tagBytes)) === 1,
        open: (nonce, additional, at, length, tag) =>
          begin(nonce, additional) &&
          update(at, length) &&
          native.control(context, setTag, tagBytes, arena.address(tag, tagBytes)) === 1 &&
          native.final(context, arena.address(tag, tagBytes), lengthAddress) === 1,
        free() {
          if (!isFree) native.free(context);
          isFree = true;
        },
      };
    },
  };
}
