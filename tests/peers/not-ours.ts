import type { Peer } from './rows.ts';

/**
 * Scripts that are not ours to pass: other protocols than AnyConnect's, and options of openconnect's command line that
 * the app does not have. They run neither with openconnect nor with our sign-in.
 */
export const notOurs: Readonly<Record<Peer, Readonly<Record<string, string>>>> = {
  openconnect: {
    'f5-auth-and-config': 'another protocol: F5',
    'fortinet-auth-and-config': 'another protocol: Fortinet',
    'gp-auth-and-config': 'another protocol: GlobalProtect',
    'juniper-auth': 'another protocol: Juniper',
    'juniper-sso-auth': 'another protocol: Juniper',
    'oath-token': 'another protocol: Juniper',
    'pulse-ping': 'another protocol: Pulse',
    'ppp-over-tls': 'another protocol: F5 and Fortinet',
    'ppp-over-tls-sync': 'another protocol: F5 and Fortinet',
    autocompletion: 'words that a shell completes',
    'cert-fingerprint': 'other notations of a pin than the whole one, which the app has alone',
    'id-test': 'other notations of a pin than the whole one, which the app has alone',
    'auth-nonascii': 'a password in another encoding than UTF-8, on the command line',
    pfs: 'an option that demands forward secrecy, which the app does not have',
    'auth-swtpm': 'keys in a TPM, in formats of openconnect’s command line',
    'auth-hwtpm': 'keys in a TPM, in formats of openconnect’s command line',
  },
  ocserv: {
    'apple-ios': 'an option that says that the computer is a phone: without it, openconnect fails as well',
    // As old as in Debian's stable suite, where newer sources cannot be had.
    'test-pass-script': 'the same option, without which openconnect fails as well',
    'test-stress': 'goes on until somebody ends it',
  },
};

/** Where openconnect passes and the app does not: what the gateway wants, as the table in docs/gateways.md says it. */
export const notYet: Readonly<Record<Peer, Readonly<Record<string, string>>>> = {
  openconnect: {
    'auth-multicert': 'several certificates at once, one of the computer and one of its user',
    'auth-pkcs11': 'a certificate whose key is on a smart card, a security token or a TPM',
    'obsolete-server-crypto': 'TLS before version 1.2, or without secure renegotiation (RFC 5746)',
  },
  ocserv: { banner: 'that its banner is read, although it refuses the sign-in' },
};
