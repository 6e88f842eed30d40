import type { V1AppArmorProfile, V1SeccompProfile } from '../../generated/types.js';
import { invalid, notSupported, required, tooLong, type FieldError } from '../../meta/field-error.js';
import type { FieldPath } from '../../meta/field-path.js';
import { byteLength } from '../../meta/validation/messages.js';
import { checkDescendingPath } from './paths.js';

const TYPES = ['Localhost', 'RuntimeDefault', 'Unconfined'];

/** Rules of `seccompProfile`. */
export function checkSeccompProfile(profile: V1SeccompProfile | undefined, path: FieldPath, errors: FieldError[]): void {
  if (profile === undefined) return;
  if (!profile.type) errors.push(required(path.child('type'), 'type is required when seccompProfile is set'));
  else if (!TYPES.includes(profile.type)) errors.push(notSupported(path.child('type'), profile.type, TYPES));
  const at = path.child('localhostProfile');
  if (profile.type === 'Localhost') {
    if (profile.localhostProfile === undefined) errors.push(required(at, 'must be set when seccomp type is Localhost'));
    else checkDescendingPath(profile.localhostProfile, at, errors);
  } else if (profile.localhostProfile !== undefined) errors.push(invalid(at, profile, 'can only be set when seccomp type is Localhost'));
}

/** Rules of `appArmorProfile`. */
export function checkAppArmorProfile(profile: V1AppArmorProfile | undefined, path: FieldPath, errors: FieldError[]): void {
  if (profile === undefined) return;
  const at = path.child('localhostProfile');
  const local = profile.localhostProfile;
  switch (profile.type) {
    case 'Localhost': {
      const must = 'must be set when AppArmor type is Localhost';
      if (local === undefined) return void errors.push(required(at, must));
      if (local.trim() !== local) errors.push(invalid(at, local, 'must not be padded with whitespace'));
      else if (local === '') errors.push(required(at, must));
      // The longest path of Linux without its terminator.
      if (byteLength(local) > 4095) errors.push(tooLong(at, 4095));
      return;
    }
    case 'RuntimeDefault':
    case 'Unconfined':
      if (local !== undefined) errors.push(invalid(at, local, 'can only be set when AppArmor type is Localhost'));
      return;
    default:
      if (!profile.type) errors.push(required(path.child('type'), 'type is required when appArmorProfile is set'));
      else errors.push(notSupported(path.child('type'), profile.type, TYPES));
  }
}
