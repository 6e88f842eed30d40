import type { ApiServerOptions } from '../server-context.js';
import { JwtKeys } from './jwt.js';

/** The documents with which others find out how to verify our tokens. */
export interface IssuerDocuments {
  /** `/.well-known/openid-configuration`, media type `application/json`. */
  readonly configuration: Readonly<Record<string, unknown>>;
  /** `/openid/v1/jwks`, media type `application/jwk-set+json`. */
  readonly keySet: Readonly<Record<string, unknown>>;
}

/** Keys whose tokens are accepted: the signing key is always among them. */
export function tokenKeys(options: ApiServerOptions): JwtKeys {
  return new JwtKeys([options.serviceAccountSigningKey, ...options.serviceAccountKeys]);
}

/** @param port the port that the server listens on */
export function issuerDocuments(options: ApiServerOptions, port = options.securePort): IssuerDocuments {
  const keys = tokenKeys(options);
  const host = options.advertiseAddress.includes(':') ? `[${options.advertiseAddress}]` : options.advertiseAddress;
  return {
    configuration: {
      issuer: options.serviceAccountIssuer,
      jwks_uri: `https://${host}:${port}/openid/v1/jwks`,
      response_types_supported: ['id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: keys.algorithms(),
    },
    keySet: keys.toJwks(),
  };
}
