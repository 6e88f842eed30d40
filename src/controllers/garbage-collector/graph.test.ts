import type { V1OwnerReference } from '../../api/generated/types.js';
import { CONFIG_MAPS } from '../../api/resource-refs.js';
import { OwnerGraph } from './graph.js';

const silent = { check: () => undefined, orphan: () => undefined, wrongNamespace: () => undefined, absent: () => undefined };

test('thousands of owners are not compared all with all', () => {
  const graph = new OwnerGraph(silent);
  let looks = 0;
  const owners = (from: number): V1OwnerReference[] =>
    Array.from({ length: 2000 }, (_, i) => ({
      apiVersion: 'v1', kind: 'ConfigMap', name: `o${from + i}`,
      get uid() {
        looks++;
        return `u${from + i}`;
      },
    }));
  const put = (ownerReferences: V1OwnerReference[]): unknown => graph.put(CONFIG_MAPS, { metadata: { uid: 'u', namespace: 'ns', name: 'o', ownerReferences } });
  put(owners(0));
  put(owners(10));
  expect(looks).toBeLessThan(50_000);
  expect([graph.dependentsOf('u9').length, graph.dependentsOf('u10').length, graph.dependentsOf('u2009').length]).toEqual([0, 1, 1]);
});
