import type { V1IPBlock, V1NetworkPolicy, V1NetworkPolicyPeer, V1NetworkPolicyPort, V1NetworkPolicySpec } from '../generated/types.js';
import { forbidden, invalid, notSupportedInOrder, required, type FieldError } from '../meta/field-error.js';
import { FieldPath } from '../meta/field-path.js';
import { cidrContains, cidrWarnings, parseCidr, validateLegacyCidr } from '../meta/validation/ip.js';
import { selectorHasInvalidLabelValue, validateLabelSelector } from '../meta/validation/label-selector.js';
import { portName, portNumber } from '../meta/validation/numbers.js';
import { AGE, NAME, selectorText, text } from '../scheme/columns.js';
import { defineKind } from '../scheme/kind.js';

const SPEC = FieldPath.of('spec');
const PROTOCOLS = ['TCP', 'UDP', 'SCTP'];
const POLICY_TYPES = ['Ingress', 'Egress'];

interface PolicyOptions {
  readonly allowInvalidLabelValueInSelector: boolean;
  readonly knownCidrs: readonly string[];
}

export const networkPolicy = defineKind<V1NetworkPolicy>({
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'NetworkPolicy',
  defaults: (draft) => {
    const spec = (draft.spec ??= {});
    spec.podSelector ??= {};
    if ((spec.policyTypes?.length ?? 0) === 0) spec.policyTypes = (spec.egress?.length ?? 0) > 0 ? ['Ingress', 'Egress'] : ['Ingress'];
    for (const rule of [...(spec.ingress ?? []), ...(spec.egress ?? [])]) for (const port of rule.ports ?? []) port.protocol ??= 'TCP';
  },
  validate: (object) => validateSpec(object.spec ?? {}, { allowInvalidLabelValueInSelector: false, knownCidrs: [] }),
  validateUpdate: (object, old) => validateSpec(object.spec ?? {}, {
    allowInvalidLabelValueInSelector: selectorHasInvalidLabelValue(old.spec?.podSelector),
    knownCidrs: ipBlocks(old.spec ?? {}).flatMap(({ block }) => [block.cidr, ...(block.except ?? [])]),
  }),
  warnings: (object) => ipBlocks(object.spec ?? {}).flatMap(({ block, path }) => [
    ...cidrWarnings(block.cidr, path.child('cidr')),
    ...(block.except ?? []).flatMap((cidr, i) => cidrWarnings(cidr, path.child('except').index(i))),
  ]),
  columns: [NAME, text('Pod-Selector', (object) => selectorText(object.spec?.podSelector)), AGE],
});

/** Every rule with its peers and their paths. */
function rules(spec: V1NetworkPolicySpec): { ports: readonly V1NetworkPolicyPort[]; peers: readonly V1NetworkPolicyPeer[]; path: FieldPath; peersPath: FieldPath }[] {
  const ingress = (spec.ingress ?? []).map((rule, i) => {
    const path = SPEC.child('ingress').index(i);
    return { ports: rule.ports ?? [], peers: rule.from ?? [], path, peersPath: path.child('from') };
  });
  const egress = (spec.egress ?? []).map((rule, i) => {
    const path = SPEC.child('egress').index(i);
    return { ports: rule.ports ?? [], peers: rule.to ?? [], path, peersPath: path.child('to') };
  });
  return [...ingress, ...egress];
}

function ipBlocks(spec: V1NetworkPolicySpec): { block: V1IPBlock; path: FieldPath }[] {
  return rules(spec).flatMap(({ peers, peersPath }) =>
    peers.flatMap(({ ipBlock }, i) => (ipBlock === undefined ? [] : [{ block: ipBlock, path: peersPath.index(i).child('ipBlock') }])));
}

function validateSpec(spec: V1NetworkPolicySpec, options: PolicyOptions): FieldError[] {
  const errors = validateLabelSelector(spec.podSelector, SPEC.child('podSelector'), options);
  for (const { ports, peers, path, peersPath } of rules(spec)) {
    ports.forEach((port, i) => errors.push(...validatePort(port, path.child('ports').index(i))));
    peers.forEach((peer, i) => errors.push(...validatePeer(peer, peersPath.index(i), options)));
  }
  const types = spec.policyTypes ?? [];
  const at = SPEC.child('policyTypes');
  if (types.length > POLICY_TYPES.length) return [...errors, invalid(at, types, 'may not specify more than two policyTypes')];
  types.forEach((type, i) => {
    if (!POLICY_TYPES.includes(type)) errors.push(notSupportedInOrder(at.index(i), type, POLICY_TYPES));
  });
  return errors;
}

function validatePort(port: V1NetworkPolicyPort, path: FieldPath): FieldError[] {
  const { protocol, port: value, endPort } = port;
  const errors: FieldError[] = [];
  if (protocol !== undefined && !PROTOCOLS.includes(protocol)) errors.push(notSupportedInOrder(path.child('protocol'), protocol, PROTOCOLS));
  const end = path.child('endPort');
  if (value === undefined) {
    if (endPort !== undefined) errors.push(invalid(end, endPort, 'may not be specified when `port` is not specified'));
  } else if (typeof value === 'string') {
    if (endPort !== undefined) errors.push(invalid(end, endPort, 'may not be specified when `port` is non-numeric'));
    errors.push(...portName(value).map((message) => invalid(path.child('port'), value, message)));
  } else {
    errors.push(...portNumber(value).map((message) => invalid(path.child('port'), value, message)));
    if (endPort === undefined) return errors;
    if (endPort < value) errors.push(invalid(end, value, 'must be greater than or equal to `port`'));
    errors.push(...portNumber(endPort).map((message) => invalid(end, endPort, message)));
  }
  return errors;
}

function validatePeer(peer: V1NetworkPolicyPeer, path: FieldPath, options: PolicyOptions): FieldError[] {
  const { podSelector, namespaceSelector, ipBlock } = peer;
  const errors = [
    ...validateLabelSelector(podSelector, path.child('podSelector'), options),
    ...validateLabelSelector(namespaceSelector, path.child('namespaceSelector'), options),
    ...(ipBlock === undefined ? [] : validateIpBlock(ipBlock, path.child('ipBlock'), options)),
  ];
  const selects = podSelector !== undefined || namespaceSelector !== undefined;
  if (!selects && ipBlock === undefined) errors.push(required(path, 'must specify a peer'));
  else if (selects && ipBlock !== undefined) errors.push(forbidden(path, 'may not specify both ipBlock and another peer'));
  return errors;
}

function validateIpBlock(block: V1IPBlock, path: FieldPath, options: PolicyOptions): FieldError[] {
  if (!block.cidr) return [required(path.child('cidr'))];
  const errors = validateLegacyCidr(block.cidr, path.child('cidr'), true, options.knownCidrs);
  const outer = parseCidr(block.cidr);
  if (outer === undefined) return errors;
  (block.except ?? []).forEach((text, i) => {
    const at = path.child('except').index(i);
    errors.push(...validateLegacyCidr(text, at, true, options.knownCidrs));
    const inner = parseCidr(text);
    if (inner === undefined) return;
    if (!cidrContains(outer, inner.network) || outer.prefixLength >= inner.prefixLength) errors.push(invalid(at, text, 'must be a strict subset of `cidr`'));
  });
  return errors;
}
