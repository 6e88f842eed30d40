import { kinds as core } from './core/index.js';
import { kinds as apiregistration } from './apiregistration/index.js';
import { kinds as apps } from './apps/index.js';
import { kinds as authentication } from './authentication/index.js';
import { kinds as authorization } from './authorization/index.js';
import { kinds as autoscaling } from './autoscaling/index.js';
import { kinds as batch } from './batch/index.js';
import { kinds as certificates } from './certificates/index.js';
import { kinds as networking } from './networking/index.js';
import { kinds as policy } from './policy/index.js';
import { kinds as rbac } from './rbac/index.js';
import { kinds as storage } from './storage/index.js';
import { kinds as admissionregistration } from './admissionregistration/index.js';
import { kinds as apiextensions } from './apiextensions/index.js';
import { kinds as scheduling } from './scheduling/index.js';
import { kinds as coordination } from './coordination/index.js';
import { kinds as node } from './node/index.js';
import { kinds as discovery } from './discovery/index.js';
import { kinds as resource } from './resource/index.js';
import { kinds as flowcontrol } from './flowcontrol/index.js';
import type { KindDefinition } from './scheme/kind.js';

/** Every built-in kind. A new kind is added in the list of its group. */
export const KINDS: readonly KindDefinition[] = [
  ...core,
  ...apiregistration,
  ...apps,
  ...authentication,
  ...authorization,
  ...autoscaling,
  ...batch,
  ...certificates,
  ...networking,
  ...policy,
  ...rbac,
  ...storage,
  ...admissionregistration,
  ...apiextensions,
  ...scheduling,
  ...coordination,
  ...node,
  ...discovery,
  ...resource,
  ...flowcontrol,
];
