import koffi from 'koffi';
import type { Call, CoreFoundation } from './core-foundation.ts';

/** Whose code runs in a process, by its signature. */
export interface CodeSignatures {
  /**
   * Whether the program that runs with this audit token is signed as the requirement says, and has not been changed
   * since (Code Signing Requirement Language). Throws if the requirement cannot be read, or the system does not say.
   */
  meets(token: Buffer, requirement: string): boolean;
}

/** <Security/CSCommon.h>: no guest of that kind, an invalid signature, and one that the requirement refuses. */
const refusals = new Map([
  [-67_065, 'errSecCSNoSuchCode'],
  [-67_062, 'errSecCSUnsigned'],
  [-67_061, 'errSecCSSignatureFailed'],
  [-67_050, 'errSecCSReqFailed'],
]);

/** `library`: the file of Security. */
export function createCodeSignatures(foundation: CoreFoundation, library: string): CodeSignatures {
  let loaded: ReturnType<typeof load> | undefined;
  const native = () => (loaded ??= load(library));

  return {
    meets: (token, requirement) =>
      foundation.releasing((own) => {
        const { SecRequirementCreateWithString, SecCodeCopyGuestWithAttributes, SecCodeCheckValidity } =
          native();
        const wanted: unknown[] = [null];
        const read = Number(SecRequirementCreateWithString(foundation.string(own, requirement), 0, wanted));
        if (read !== 0) throw new Error(`the requirement of callers' code cannot be read: ${read}`);
        own(wanted[0], 'requirement');
        // kSecGuestAttributeAudit is "audit" (libsecurity_codesigning, SecCode.cpp).
        const attributes = foundation.propertyList(
          own,
          `<plist version="1.0"><dict><key>audit</key><data>${token.toString('base64')}</data></dict></plist>`,
        );
        const code: unknown[] = [null];
        const found = Number(SecCodeCopyGuestWithAttributes(null, attributes, 0, code));
        if (found !== 0) return refused(found);
        own(code[0], 'code');
        const status = Number(SecCodeCheckValidity(code[0], 0, wanted[0]));
        return status === 0 || refused(status);
      }),
  };
}

function refused(status: number): false {
  if (!refusals.has(status)) throw new Error(`the signature of a caller cannot be checked: ${status}`);
  return false;
}

function load(file: string) {
  const library = koffi.load(file);
  const bind = (declaration: string) => library.func(declaration) as Call;
  return {
    SecRequirementCreateWithString: bind(
      'int32_t SecRequirementCreateWithString(void *, uint32_t, _Out_ void **)',
    ),
    SecCodeCopyGuestWithAttributes: bind(
      'int32_t SecCodeCopyGuestWithAttributes(void *, void *, uint32_t, _Out_ void **)',
    ),
    SecCodeCheckValidity: bind('int32_t SecCodeCheckValidity(void *, uint32_t, void *)'),
  };
}
