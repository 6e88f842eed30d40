import { atOnce } from '../../base/steps.js';
import { managedFieldsProblem } from './managed-problem.js';

const entry = { manager: 'm', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: { 'f:data': {} } };

test.each([
  [undefined, undefined],
  [[entry, { ...entry, operation: 'Apply', fieldsV1: undefined as never }], undefined],
  [[{ ...entry, operation: '' }], 'operation must be `Apply` or `Update`'],
  [[{ ...entry, apiVersion: '' }], 'apiVersion must not be empty'],
  [[entry, { ...entry, fieldsType: '' }], 'missing fieldsType in managed fields entry 1'],
  [[{ ...entry, fieldsType: 'FieldsV2' }], 'invalid fieldsType "FieldsV2" in managed fields entry 0'],
  [[{ ...entry, fieldsV1: { data: {} } }], 'error decoding set of managed fields entry 0'],
])('%j: %s', (entries, problem) => {
  expect(atOnce(managedFieldsProblem(entries))).toBe(problem);
});
