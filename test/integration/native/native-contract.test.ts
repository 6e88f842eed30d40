import { runtimeContract } from '../../../src/node/runtime/testsuite/contract.js';
import { startNative } from './native-under-test.js';

runtimeContract({
  name: 'native', assignsAddresses: true, exec: true, attach: true, portForward: true, image: 'test/busybox:1', listener: ['nc', '-l', '-p', '80'],
  make: async () => {
    const under = await startNative();
    return { runtime: under.runtime, pass: (milliseconds) => under.pass(milliseconds), close: async () => expect(await under.close()).toEqual([]) };
  },
});
