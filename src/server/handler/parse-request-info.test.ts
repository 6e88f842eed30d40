import { parseRequestInfo, splitUrl } from './parse-request-info.js';

function parsed(method: string, url: string): string {
  const { path, query } = splitUrl(url);
  const info = parseRequestInfo(method, path, query);
  if (!info.isResourceRequest) return `${info.verb} path ${info.path}`;
  return [info.verb, `${info.group}/${info.version}`, info.namespace, info.resource, info.name, info.subresource, info.rest].join(' ');
}

test.each([
  ['GET', '/api/v1/pods', 'list /v1  pods   '],
  ['GET', '/api/v1/pods?watch=true', 'watch /v1  pods   '],
  ['GET', '/api/v1/pods?watch=0', 'list /v1  pods   '],
  ['GET', '/api/v1/pods?fieldSelector=metadata.name%3Dx', 'list /v1  pods x  '],
  ['GET', '/api/v1/pods?fieldSelector=metadata.name%3Dx%2Fy', 'list /v1  pods   '],
  ['GET', '/api/v1/namespaces/ns/pods/p', 'get /v1 ns pods p  '],
  ['HEAD', '/api/v1/namespaces/ns/pods/p', 'get /v1 ns pods p  '],
  ['POST', '/apis/apps/v1/namespaces/ns/deployments', 'create apps/v1 ns deployments   '],
  ['PUT', '/apis/apps/v1/namespaces/ns/deployments/d/status', 'update apps/v1 ns deployments d status '],
  ['PATCH', '/api/v1/nodes/n', 'patch /v1  nodes n  '],
  ['DELETE', '/api/v1/nodes/n', 'delete /v1  nodes n  '],
  ['DELETE', '/api/v1/nodes', 'deletecollection /v1  nodes   '],
  ['GET', '/api/v1/namespaces', 'list /v1  namespaces   '],
  ['GET', '/api/v1/namespaces/ns', 'get /v1 ns namespaces ns  '],
  ['PUT', '/api/v1/namespaces/ns/finalize', 'update /v1 ns namespaces ns finalize '],
  ['GET', '/api/v1/watch/namespaces/ns/pods', 'watch /v1 ns pods   '],
  ['GET', '/api/v1/namespaces/ns/services/s/proxy/a/b%20c', 'get /v1 ns services s proxy a/b%20c'],
  ['GET', '/api/v1/namespaces/a%3Ab/pods', 'list /v1 a:b pods   '],
  ['GET', '/api/v1/namespaces%2Fns%2fpods/p', 'get /v1 ns pods p  '],
  ['GET', '/api/v1/namespaces/ns/services/s/proxy/a%2Fb/c%20d', 'get /v1 ns services s proxy a/b/c%20d'],
  ['GET', '/api/v1/namespaces/%ff', 'get /v1 \ufffd namespaces \ufffd  '],
  ['GET', '/api/v1', 'get path /api/v1'],
  ['GET', '/apis/apps/v1', 'get path /apis/apps/v1'],
  ['POST', '/healthz', 'post path /healthz'],
])('%s %s', (method, url, expected) => {
  expect(parsed(method, url)).toBe(expected);
});

test('broken escapes are the client\'s mistake', () => {
  expect(() => parsed('GET', '/api/v1/namespaces/%zz/pods')).toThrow('invalid URL escape');
});

test('parameters that are not well-formed are read over', () => {
  expect([...splitUrl('/x?limit=1;a=b&b=%zz&c=%2&d=%41&e').query]).toEqual([['d', 'A'], ['e', '']]);
});
