import type { KindDefinition } from '../scheme/kind.js';
import { ingressClass } from './ingress-class.js';
import { ingress } from './ingress.js';
import { ipAddress } from './ip-address.js';
import { networkPolicy } from './network-policy.js';
import { serviceCidr } from './service-cidr.js';

/** Every kind of the networking.k8s.io group. */
export const kinds = [
  ingressClass,
  ingress,
  ipAddress,
  networkPolicy,
  serviceCidr,
] as unknown as readonly KindDefinition[];
