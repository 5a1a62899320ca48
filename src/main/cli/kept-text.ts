import type { Session } from '#shared/host/common-contract.ts';
import type { CommandTextKey } from '#shared/texts/command-texts.ts';

const keptTexts = {
  keychain: 'command.keptInKeychain',
  helper: 'command.keptInHelper',
  memory: 'command.keptInMemory',
} as const satisfies Partial<Record<Session['persistence'], CommandTextKey>>;

/** Where the sign-in is kept, and so whether a restart keeps it; a browser's is none of the command line's. */
export const keptText = ({ persistence }: Session): CommandTextKey | undefined =>
  persistence === 'browser' ? undefined : keptTexts[persistence];
