import type { KubeObject } from '../../api/meta/object.js';
import { objectIn, StoredForm } from './stored-form.js';

const form = new StoredForm('a.example/v1', 'Thing');

/** What a watcher gets of an object that was stored. */
function served(object: object): unknown {
  return JSON.parse(objectIn('ADDED', form.frame('ADDED', form.encode(object as KubeObject), 7)).toString());
}

const object = { apiVersion: 'a.example/v1', kind: 'Thing', metadata: { name: 'one' } };
const withVersion = { ...object, metadata: { resourceVersion: '7', name: 'one' } };

describe('StoredForm', () => {
  it('puts the resource version into objects', () => {
    expect(served({ ...object, spec: { a: 1 } })).toEqual({ ...withVersion, spec: { a: 1 } });
  });

  it('takes objects with nothing but metadata', () => {
    expect(served(object)).toEqual(withVersion);
  });

  it('takes fields whose names are numbers', () => {
    expect(served({ 0: 'x', 17: { 3: 'y' }, ...object })).toEqual({ 0: 'x', 17: { 3: 'y' }, ...withVersion });
  });

  it('keeps managed fields', () => {
    const managedFields = [{ manager: 'a', operation: 'Update', fieldsType: 'FieldsV1', fieldsV1: { 'f:0': {} } }];
    expect(served({ 0: 'x', ...object, metadata: { name: 'one', managedFields } })).toEqual({ 0: 'x', ...withVersion, metadata: { ...withVersion.metadata, managedFields } });
  });

  it('gives back what was stored', () => {
    const stored = form.encode(object as KubeObject);
    expect(form.storedIn('ADDED', form.frame('ADDED', stored, 12), 12).equals(stored)).toBe(true);
  });
});
