import type { V1HostAlias, V1PodSpec } from '../../generated/types.js';
import { forbidden, invalid, required, tooLong, type FieldError } from '../../meta/field-error.js';
import type { FieldPath } from '../../meta/field-path.js';
import { validateLegacyIp } from '../../meta/validation/ip.js';
import { byteLength } from '../../meta/validation/messages.js';
import { dns1123Subdomain, dns1123SubdomainWithUnderscore } from '../../meta/validation/names.js';

const MAX_NAMESERVERS = 3;
const MAX_SEARCHES = 32;
const MAX_SEARCH_CHARACTERS = 2048;

/** Rules of `dnsConfig`. */
export function checkDnsConfig(spec: V1PodSpec, path: FieldPath, errors: FieldError[]): void {
  const config = spec.dnsConfig;
  if (spec.dnsPolicy === 'None') {
    if (!config) return void errors.push(required(path, 'must provide `dnsConfig` when `dnsPolicy` is None'));
    if (!config.nameservers?.length) return void errors.push(required(path.child('nameservers'), 'must provide at least one DNS nameserver when `dnsPolicy` is None'));
  }
  if (!config) return;
  const { nameservers = [], searches = [] } = config;
  if (nameservers.length > MAX_NAMESERVERS) errors.push(invalid(path.child('nameservers'), nameservers, `must not have more than ${MAX_NAMESERVERS} nameservers`));
  nameservers.forEach((server, i) => errors.push(...validateLegacyIp(server, path.child('nameservers').index(i))));
  if (searches.length > MAX_SEARCHES) errors.push(invalid(path.child('searches'), searches, `must not have more than ${MAX_SEARCHES} search paths`));
  if (byteLength(searches.join(' ')) > MAX_SEARCH_CHARACTERS) {
    errors.push(invalid(path.child('searches'), searches, `must not have more than ${MAX_SEARCH_CHARACTERS} characters (including spaces) in the search list`));
  }
  searches.forEach((search, i) => {
    if (search === '.') return;
    const domain = search.endsWith('.') ? search.slice(0, -1) : search;
    for (const message of dns1123SubdomainWithUnderscore(domain)) errors.push(invalid(path.child('searches').index(i), domain, message));
  });
  config.options?.forEach((option, i) => {
    if (!option.name) errors.push(required(path.child('options').index(i), 'must not be empty'));
  });
}

/** Rules of `hostnameOverride`. */
export function checkHostnameOverride(spec: V1PodSpec, path: FieldPath, errors: FieldError[]): void {
  const name = spec.hostnameOverride;
  if (name === undefined) return;
  const at = path.child('hostnameOverride');
  if (spec.setHostnameAsFQDN === true) errors.push(forbidden(at, 'may not be specified when setHostnameAsFQDN is true'));
  if (spec.hostNetwork === true) errors.push(forbidden(at, 'may not be specified when hostNetwork is true'));
  if (byteLength(name) > 64) errors.push(tooLong(at, 64));
  for (const message of dns1123Subdomain(name)) errors.push(invalid(at, name, message));
}

/** Rules of `hostAliases`. */
export function checkHostAliases(aliases: readonly V1HostAlias[] | undefined, path: FieldPath, errors: FieldError[]): void {
  aliases?.forEach((alias, i) => {
    errors.push(...validateLegacyIp(alias.ip ?? '', path.index(i).child('ip')));
    alias.hostnames?.forEach((name, j) => {
      for (const message of dns1123Subdomain(name)) errors.push(invalid(path.index(i).child('hostnames').index(j), name, message));
    });
  });
}
