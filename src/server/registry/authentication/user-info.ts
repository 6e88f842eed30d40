import type { V1UserInfo } from '../../../api/generated/types.js';
import type { UserInfo } from '../../authn/authenticator.js';

/** A user as the API shows it; empty parts are left out. */
export function apiUserInfo(user: UserInfo): V1UserInfo {
  return {
    username: user.name,
    ...(user.uid === '' ? {} : { uid: user.uid }),
    ...(user.groups.length === 0 ? {} : { groups: user.groups }),
    ...(Object.keys(user.extra).length === 0 ? {} : { extra: user.extra }),
  };
}
