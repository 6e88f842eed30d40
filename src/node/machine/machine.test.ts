import { tmpdir } from 'node:os';
import { Quantity } from '../../api/quantity.js';
import { readMachine } from './machine.js';

test('a machine has what pods can ask for, less what the node keeps', async () => {
  const machine = await readMachine(tmpdir(), 42);
  expect(machine.capacity).toMatchObject({ pods: '42', cpu: expect.stringMatching(/^\d+$/), memory: expect.stringMatching(/^\d+Ki$/), 'ephemeral-storage': expect.stringMatching(/^\d+Ki$/) });
  for (const [name, text] of Object.entries(machine.allocatable)) {
    const [less, whole] = [Quantity.parse(text), Quantity.parse(machine.capacity[name]!)];
    expect(less.scaled(0) <= whole.scaled(0)).toBe(true);
  }
  expect(Quantity.parse(machine.capacity['memory']!).scaled(0) - Quantity.parse(machine.allocatable['memory']!).scaled(0)).toBeGreaterThanOrEqual(100n * 1024n * 1024n);
  for (const fact of [machine.machineId, machine.bootId, machine.kernelVersion, machine.osImage, machine.systemUuid]) expect(fact).not.toBe('');
});
