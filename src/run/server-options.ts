import type { AdmissionConfiguration, ApiServerOptions } from '../server/index.js';
import type { AccessOptions } from './access/access-options.js';
import { chooseAdvertiseAddress, isWildcard } from './addresses.js';
import type { ServerSettings } from './options.js';
import { ensurePki, servingNames, type Pki, type PkiStore } from './pki.js';
import type { Clock } from '../base/clock.js';
import type { Random } from '../base/random.js';

const MAX_BODY_BYTES = 3 << 20;

/** The first address of a service range: that of the `kubernetes` service. */
function firstServiceAddress(range: string): string {
  const parts = range.split('/')[0]!.split('.').map(Number);
  parts[3]! += 1;
  return parts.join('.');
}

/** Makes or reads the keys that a server with these settings needs. */
export function pkiFor(settings: ServerSettings, store: PkiStore, environment: { readonly clock: Clock; readonly random: Random }): Promise<Pki> {
  const addresses = [chooseAdvertiseAddress(settings.bindAddress, settings.advertiseAddress), firstServiceAddress(settings.serviceClusterIpRange), ...(settings.alsoBindAddresses ?? []), ...(settings.certificateAddresses ?? [])];
  if (!isWildcard(settings.bindAddress)) addresses.push(settings.bindAddress);
  return ensurePki(store, servingNames(addresses), environment);
}

/** What files say about the API server. */
export interface ServerFiles {
  readonly admission: AdmissionConfiguration | undefined;
  readonly access: AccessOptions;
}

/** Complete, frozen options of the API server. */
export function apiServerOptions(settings: ServerSettings, pki: Pki, { admission, access: { moreClientCas, ...access } }: ServerFiles): ApiServerOptions {
  return Object.freeze({
    bindAddress: settings.bindAddress,
    ...(settings.alsoBindAddresses ? { alsoBindAddresses: settings.alsoBindAddresses } : {}),
    securePort: settings.securePort,
    advertiseAddress: chooseAdvertiseAddress(settings.bindAddress, settings.advertiseAddress),
    serving: pki.serving,
    clientCa: pki.ca.certificate + moreClientCas,
    servingCa: pki.ca.certificate,
    serviceAccountIssuer: settings.serviceAccountIssuer,
    serviceAccountSigningKey: pki.serviceAccountKey,
    serviceAccountKeys: [pki.serviceAccountKey],
    apiAudiences: [settings.serviceAccountIssuer],
    serviceClusterIpRange: settings.serviceClusterIpRange,
    serviceNodePortRange: settings.serviceNodePortRange,
    ...access,
    enableAdmissionPlugins: settings.enableAdmissionPlugins,
    disableAdmissionPlugins: settings.disableAdmissionPlugins,
    ...(admission ? { admissionConfiguration: admission } : {}),
    eventTtlSeconds: settings.eventTtlSeconds,
    maxRequestBodyBytes: MAX_BODY_BYTES,
    requestTimeoutMilliseconds: settings.requestTimeoutMilliseconds,
    kubeletClient: { ...pki.kubeletClient, ca: pki.ca.certificate },
  });
}
