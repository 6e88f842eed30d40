// How an attempt of attempts.yaml is sent.

/** Certificate requests, base64 of PEM: subjects /CN=a and /O=system:masters/CN=a. */
const CSRS = {
  CSR: 'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIR01HNENBUUF3RERFS01BZ0dBMVVFQXd3QllUQlpNQk1HQnlxR1NNNDlBZ0VHQ0NxR1NNNDlBd0VIQTBJQQpCRnlBQkk3TVc3MEVXSkprdFJIVTZIWkl0OE5yYlN3SDJQTFJNU2l3aTcwQXJlVUVmNjZpRytIVWpLMDduSHI5CjJBTkhhUTdpaTU0TVBNZnZXVGJrem82Z0FEQUtCZ2dxaGtqT1BRUURBZ05JQURCRkFpRUF1aVZqY3RROHZqNHcKUGlmS0MzVE9GUVZBNCtaUDU4OHlyUjVNZVNlTWp5VUNJSEhuSFFKdzllQ0hWU0ZsUTZORVBXcVpQWkVOOTFWSApleHVvT2dXSHY0QWoKLS0tLS1FTkQgQ0VSVElGSUNBVEUgUkVRVUVTVC0tLS0tCg==',
  CSR_MASTERS: 'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIZ01JR0hBZ0VBTUNVeEZ6QVZCZ05WQkFvTURuTjVjM1JsYlRwdFlYTjBaWEp6TVFvd0NBWURWUVFEREFGaApNRmt3RXdZSEtvWkl6ajBDQVFZSUtvWkl6ajBEQVFjRFFnQUVtQWQzeVExRHZpb1JJTk9EUCtOTFpjSkdrVzMyCm1zVFpsaWZXT1laazBQQk5hZU5MNVhBSUdIajc2Vlc3dUVLd01Fbk1CL3hFQlVlNUZWbHBwbE9lZ3FBQU1Bb0cKQ0NxR1NNNDlCQU1DQTBnQU1FVUNJUUN2aEJvYy9hNzdZOFdNNG9QdHRleXVyOHlDSEYxazA5VmZQSVFTT25YVApvZ0lnUjdlaVRuV01RVm9MNzJ6QVJPbWtrRWEyOXY5ZHVFS1MxMVlzSFBxN1RHcz0KLS0tLS1FTkQgQ0VSVElGSUNBVEUgUkVRVUVTVC0tLS0tCg==',
};

/** Bearer tokens that the server must know: `token,user,uid,groups` as in a token file. */
export const TOKENS = ['root-token,root,,"system:masters"', 'plain-token,plain,', 'multi-token,multi,'];

const filledIn = (text) => text.replace(/"(CSR|CSR_MASTERS)"/g, (_, name) => JSON.stringify(CSRS[name]));

/** An object of the set-up with certificate requests filled in. */
export const completed = (object) => JSON.parse(filledIn(JSON.stringify(object)));

/** Method, path, header lines in order, and body of an attempt. */
export function attemptRequest({ method, path, as, node, token, headers = [], type, body }) {
  const identity = as ? [['Authorization', 'Bearer root-token'], ['Impersonate-User', as]]
    : node ? [['Authorization', 'Bearer root-token'], ['Impersonate-User', `system:node:${node}`], ['Impersonate-Group', 'system:nodes']]
      : token ? [['Authorization', `Bearer ${token}`]] : [];
  const text = body === undefined ? undefined : filledIn(JSON.stringify(body));
  const content = text === undefined ? [] : [['Content-Type', type ?? 'application/json'], ['Content-Length', String(Buffer.byteLength(text))]];
  return { method, path, headers: [...identity, ...headers, ...content], text };
}
