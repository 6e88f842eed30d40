import { goForm } from './go-form.js';

test('fields have the names and the order of the struct, and none is left out', () => {
  expect(JSON.stringify(goForm({ name: 'p', kind: 'Pod', uid: 'u' }, 'ObjectReference'))).toBe(
    '{"Kind":"Pod","Namespace":"","Name":"p","UID":"u","APIVersion":"","ResourceVersion":"","FieldPath":""}',
  );
});

test('lists of structs, maps in order, pointers and structs by value', () => {
  expect(goForm({ required: { nodeSelectorTerms: [{ matchFields: [{ key: 'a', operator: 'Exists' }] }] } }, 'VolumeNodeAffinity')).toEqual({
    Required: { NodeSelectorTerms: [{ MatchExpressions: null, MatchFields: [{ Key: 'a', Operator: 'Exists', Values: null }] }] },
  });
  expect(JSON.stringify(goForm({ resources: { limits: { b: '1', a: '2' } }, dataSource: { kind: 'K', name: 'n' } }, 'PersistentVolumeClaimSpec'))).toBe(
    '{"AccessModes":null,"Selector":null,"Resources":{"Limits":{"a":"2","b":"1"},"Requests":null},"VolumeName":"","StorageClassName":null,"VolumeMode":null,'
    + '"DataSource":{"APIGroup":null,"Kind":"K","Name":"n"},"DataSourceRef":null,"VolumeAttributesClassName":null}',
  );
});

test('JSON names that the Go names do not tell', () => {
  const { ISCSI, CephFS, AWSElasticBlockStore } = goForm(
    { iscsi: { iqn: 'q', iscsiInterface: 'i', chapAuthSession: true }, cephfs: { monitors: ['m'] }, awsElasticBlockStore: { volumeID: 'v', fsType: 'f' } },
    'PersistentVolumeSource',
  ) as Record<string, unknown>;
  expect(ISCSI).toMatchObject({ IQN: 'q', ISCSIInterface: 'i', SessionCHAPAuth: true });
  expect(CephFS).toMatchObject({ Monitors: ['m'] });
  expect(AWSElasticBlockStore).toEqual({ VolumeID: 'v', FSType: 'f', Partition: 0, ReadOnly: false });
});
