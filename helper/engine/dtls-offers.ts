import type { Gateway } from '#shared/tunnel/state.ts';

/**
 * Which ways of making DTLS keys are offered to a gateway. openconnect sets the tunnel up only when DTLS has
 * answered, so its round trips are part of every connect. `resumed` takes the key from the TLS session
 * (draft-mavrogiannopoulos-openconnect, "The DTLS channel", without a key exchange of its own) and saves one;
 * `any` adds PSK-NEGOTIATE, which gateways prefer and a few of them insist on.
 */
export type DtlsOffer = 'resumed' | 'any';

/** openconnect's own lists (its `--dtls-ciphers` and `--dtls12-ciphers`) without PSK-NEGOTIATE and CBC. */
const resumedCiphers = [
  '--dtls-ciphers=OC-DTLS1_2-AES256-GCM:OC2-DTLS1_2-CHACHA20-POLY1305:OC-DTLS1_2-AES128-GCM',
  '--dtls12-ciphers=ECDHE-RSA-AES256-GCM-SHA384:ECDHE-RSA-AES128-GCM-SHA256:AES256-GCM-SHA384:AES128-GCM-SHA256',
] as const;

export function dtlsArguments(offer: DtlsOffer): readonly string[] {
  return offer === 'resumed' ? resumedCiphers : [];
}

/** Remembers for each gateway which offer to make next: the other one, after one that led to no DTLS. */
export interface DtlsOffers {
  next(gateway: Gateway): DtlsOffer;
  /** A tunnel was made with this offer; `established` tells whether DTLS ever carried it. */
  made(gateway: Gateway, offer: DtlsOffer, established: boolean): void;
}

export function createDtlsOffers(): DtlsOffers {
  const offers = new Map<string, DtlsOffer>();
  const key = ({ host, port }: Gateway) => `${host} ${port}`;
  return {
    next: (gateway) => offers.get(key(gateway)) ?? 'resumed',
    made(gateway, offer, established) {
      if (established) offers.set(key(gateway), offer);
      else offers.set(key(gateway), offer === 'resumed' ? 'any' : 'resumed');
    },
  };
}
