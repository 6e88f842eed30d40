import type { AccessSettings, RequestHeaderSettings } from '../run/index.js';
import { FLAGS, type FlagValues } from './flags.js';
import { UsageError } from './parse.js';

const REQUEST_HEADER_LISTS = ['requestheader-allowed-names', 'requestheader-username-headers', 'requestheader-uid-headers', 'requestheader-group-headers', 'requestheader-extra-headers-prefix'] as const;
const MODES = ['Node', 'RBAC', 'ABAC', 'AlwaysAllow', 'AlwaysDeny'];

/** Modes of authorization, and the rules between the flags about them. Throws {@link UsageError}. */
export function authorizationModes(flags: FlagValues): readonly string[] {
  const modes = flags['authorization-mode'] ?? [];
  if (modes.includes('Webhook')) throw new UsageError('--authorization-mode: Webhook is not supported yet');
  const unknown = modes.find((mode) => !MODES.includes(mode));
  if (unknown !== undefined) throw new UsageError(`--authorization-mode: ${JSON.stringify(unknown)} is not one of ${MODES.join(', ')}`);
  if (new Set(modes).size !== modes.length || modes.length === 0) throw new UsageError('--authorization-mode names each mode once, and at least one');
  if (flags['authorization-config'] !== undefined) {
    if (modes.join(',') !== FLAGS['authorization-mode'].default) throw new UsageError('--authorization-config and --authorization-mode exclude each other');
    return modes;
  }
  const file = flags['authorization-policy-file'];
  if (modes.includes('ABAC') && file === undefined) throw new UsageError('--authorization-mode ABAC needs --authorization-policy-file');
  if (!modes.includes('ABAC') && file !== undefined) throw new UsageError('--authorization-policy-file needs --authorization-mode ABAC');
  return modes;
}

/** The files that the flags name. Throws {@link UsageError}. */
export function accessSettings(flags: FlagValues): AccessSettings {
  const requestHeader = requestHeaderSettings(flags);
  return {
    ...(flags['token-auth-file'] ? { tokenAuthFile: flags['token-auth-file'] } : {}),
    ...(flags['basic-auth-file'] ? { basicAuthFile: flags['basic-auth-file'] } : {}),
    ...(flags['client-ca-file'] ? { clientCaFile: flags['client-ca-file'] } : {}),
    ...(requestHeader ? { requestHeader } : {}),
    ...(flags['authentication-config'] ? { authenticationConfig: flags['authentication-config'] } : {}),
    ...(flags['authorization-policy-file'] ? { authorizationPolicyFile: flags['authorization-policy-file'] } : {}),
    ...(flags['authorization-config'] ? { authorizationConfig: flags['authorization-config'] } : {}),
  };
}

function requestHeaderSettings(flags: FlagValues): RequestHeaderSettings | undefined {
  const uidHeaders = flags['requestheader-uid-headers'] ?? [];
  if (uidHeaders.length > 0 && !uidHeaders.some((name) => name.toLowerCase() === 'x-remote-uid')) throw new UsageError('--requestheader-uid-headers must have X-Remote-Uid among them');
  const clientCaFile = flags['requestheader-client-ca-file'];
  if (clientCaFile === undefined) {
    // Upstream starts and believes nobody, which the one who gave the flag would find out late.
    const useless = REQUEST_HEADER_LISTS.find((flag) => (flags[flag] ?? []).length > 0);
    if (useless !== undefined) throw new UsageError(`--${useless} needs --requestheader-client-ca-file: without it no proxy is believed`);
    return undefined;
  }
  return {
    clientCaFile,
    allowedNames: flags['requestheader-allowed-names'] ?? [],
    usernameHeaders: flags['requestheader-username-headers'] ?? [],
    uidHeaders,
    groupHeaders: flags['requestheader-group-headers'] ?? [],
    extraHeadersPrefixes: flags['requestheader-extra-headers-prefix'] ?? [],
  };
}
