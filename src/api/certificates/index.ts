import type { KindDefinition } from '../scheme/kind.js';
import { certificateSigningRequest } from './certificate-signing-request.js';

/** Every kind of the certificates.k8s.io group. */
export const kinds = [
  certificateSigningRequest,
] as unknown as readonly KindDefinition[];
