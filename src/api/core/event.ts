import type { CoreV1Event } from '../generated/types.js';
import { defineKind } from '../scheme/kind.js';

export const event = defineKind<CoreV1Event>({
  group: '',
  version: 'v1',
  kind: 'Event',
});
