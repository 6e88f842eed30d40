import { fileFailure, KubeError } from '../../base/errors.js';
import type { Logger } from '../../base/log.js';
import { readSettingsFile } from '../../base/settings-file.js';
import { parseCertificate } from '../../base/tls/certificate.js';
import { pemBlocks } from '../../base/tls/pem.js';
import type { ApiServerOptions } from '../../server/index.js';
import { readAbacFile } from './abac-file.js';
import type { AccessSettings } from './access-settings.js';
import { readAuthenticationConfig, type AnonymousConfig } from './authentication-config.js';
import { readAuthorizationConfig } from './authorization-config.js';
import { readPasswordFile, readTokenFile } from './credential-files.js';

/** What {@link loadAccess} makes of the files. */
export type AccessOptions = Pick<ApiServerOptions, 'staticTokens' | 'passwordUsers' | 'requestHeader' | 'abacPolicies' | 'anonymousAuth' | 'anonymousPaths' | 'authorizationModes'> & {
  /** PEM; empty: none beside the cluster's own. */
  readonly moreClientCas: string;
};

/** Modes and anonymous access as the flags have them. */
interface FlagAccess {
  readonly authorizationModes: readonly string[];
  readonly anonymousAuth: boolean;
}

/** Reads the files. Throws `KUBE_ACCESS_FILE` and the errors of the single kinds of files, which name file, place and rule. */
export async function loadAccess(files: AccessSettings, flags: FlagAccess, log: Logger): Promise<AccessOptions> {
  const read = async <T>(flag: string, file: string | undefined, parse: (file: string, text: string) => T): Promise<T | undefined> =>
    file === undefined ? undefined : parse(file, await readText(flag, file));
  const [staticTokens, passwordUsers, moreClientCas, requestHeader, authentication, abacPolicies, configuredModes] = await Promise.all([
    read('token-auth-file', files.tokenAuthFile, (file, text) => readTokenFile(file, text, log)),
    read('basic-auth-file', files.basicAuthFile, (file, text) => readPasswordFile(file, text, log)),
    read('client-ca-file', files.clientCaFile, requireCertificates),
    read('requestheader-client-ca-file', files.requestHeader?.clientCaFile, requireCertificates),
    read('authentication-config', files.authenticationConfig, readAuthenticationConfig),
    read('authorization-policy-file', files.authorizationPolicyFile, (file, text) => readAbacFile(file, text, log)),
    read('authorization-config', files.authorizationConfig, readAuthorizationConfig),
  ]);
  const authorizationModes = configuredModes ?? flags.authorizationModes;
  if (authorizationModes.includes('ABAC') && !abacPolicies) throw new KubeError('KUBE_ACCESS_FILE', 'authorization mode ABAC needs --authorization-policy-file');
  if (abacPolicies && !authorizationModes.includes('ABAC')) throw new KubeError('KUBE_ACCESS_FILE', '--authorization-policy-file is of no use without authorization mode ABAC');
  if (requestHeader !== undefined && moreClientCas !== undefined && files.requestHeader?.allowedNames.length === 0 && overlap(requestHeader, moreClientCas)) {
    throw new KubeError('KUBE_ACCESS_FILE', '--requestheader-client-ca-file and --client-ca-file have a certificate in common: name the proxies with --requestheader-allowed-names, or every client could call itself anybody');
  }
  return {
    authorizationModes,
    ...anonymous(authentication, flags, configuredModes === undefined, log),
    moreClientCas: moreClientCas ?? '',
    ...(staticTokens ? { staticTokens } : {}),
    ...(passwordUsers ? { passwordUsers } : {}),
    ...(abacPolicies ? { abacPolicies } : {}),
    ...(files.requestHeader && requestHeader !== undefined ? { requestHeader: { ...files.requestHeader, clientCa: requestHeader } } : {}),
  };
}

function anonymous(config: AnonymousConfig | undefined, flags: FlagAccess, modesFromFlags: boolean, log: Logger): { anonymousAuth: boolean; anonymousPaths?: readonly string[] } {
  if (config && !flags.anonymousAuth) throw new KubeError('KUBE_ACCESS_FILE', '--anonymous-auth does not go with the field "anonymous" of the file of --authentication-config: leave one of them out');
  if (config) return { anonymousAuth: config.enabled, ...(config.paths.length > 0 ? { anonymousPaths: config.paths } : {}) };
  if (flags.anonymousAuth && modesFromFlags && flags.authorizationModes.includes('AlwaysAllow')) {
    log.warn('anonymous requests are refused, since authorization mode AlwaysAllow would allow them everything');
    return { anonymousAuth: false };
  }
  return { anonymousAuth: flags.anonymousAuth };
}

async function readText(flag: string, file: string): Promise<string> {
  try {
    return String(await readSettingsFile(file));
  } catch (error) {
    throw new KubeError('KUBE_ACCESS_FILE', `--${flag}: cannot read ${file}: ${fileFailure(error)}`);
  }
}

function requireCertificates(file: string, text: string): string {
  const blocks = pemBlocks(text, 'CERTIFICATE');
  if (blocks.length === 0) throw new KubeError('KUBE_ACCESS_FILE', `${file}: there is no certificate (PEM) in it`);
  for (const [index, block] of blocks.entries()) {
    try {
      parseCertificate(block);
    } catch (error) {
      throw new KubeError('KUBE_ACCESS_FILE', `${file}: certificate ${index + 1} is malformed`, { cause: error });
    }
  }
  return text.endsWith('\n') ? text : `${text}\n`;
}

function overlap(a: string, b: string): boolean {
  const others = pemBlocks(b, 'CERTIFICATE');
  return pemBlocks(a, 'CERTIFICATE').some((block) => others.some((other) => other.equals(block)));
}
