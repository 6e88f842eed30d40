import type { FlagName } from './flags.js';

/** Flags about who is let in and what they may do. */
export const ACCESS_FLAGS = [
  'authorization-mode', 'authorization-policy-file', 'authorization-config', 'anonymous-auth', 'authentication-config', 'token-auth-file', 'basic-auth-file', 'client-ca-file',
  'requestheader-client-ca-file', 'requestheader-allowed-names', 'requestheader-username-headers', 'requestheader-uid-headers', 'requestheader-group-headers', 'requestheader-extra-headers-prefix',
] as const satisfies readonly FlagName[];
