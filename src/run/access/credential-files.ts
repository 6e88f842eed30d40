import type { PasswordUser, UserInfo } from '../../server/index.js';
import { KubeError } from '../../base/errors.js';
import type { Logger } from '../../base/log.js';
import { parseCsv, type CsvRecord } from './csv.js';

interface Record3 extends CsvRecord {
  readonly user: UserInfo;
  readonly secret: string;
}

/** Records of `secret,user,uid` and optionally `"group1,group2"`; columns behind these are ignored, as upstream does. */
function readRecords(file: string, text: string, what: string): Record3[] {
  return parseCsv(file, text).map((record) => {
    const [secret = '', name = '', uid = '', groups] = record.fields;
    if (record.fields.length < 3) throw new KubeError('KUBE_CREDENTIAL_FILE', `${file}, line ${record.line}: there must be at least 3 columns (${what}, user name, user uid), found ${record.fields.length}`);
    return { ...record, secret, user: { name, uid, groups: groups === undefined ? [] : groups.split(','), extra: {} } };
  });
}

/** Reads a file of bearer tokens. Of a token that stands there twice the last line counts, as upstream does; that and empty tokens are warned about by line. Throws `KUBE_CREDENTIAL_FILE` or `KUBE_CSV`. */
export function readTokenFile(file: string, text: string, log: Logger): ReadonlyMap<string, UserInfo> {
  const tokens = new Map<string, UserInfo>();
  for (const { line, secret, user } of readRecords(file, text, 'token')) {
    if (secret === '') {
      log.warn('a line of the token file has no token and is left out', { file, line });
      continue;
    }
    if (tokens.has(secret)) log.warn('a token stands twice in the token file: the later line counts', { file, line });
    tokens.set(secret, user);
  }
  return tokens;
}

/** Reads a file of passwords; the rules are those of {@link readTokenFile}, by user name. A user without a password is left out. */
export function readPasswordFile(file: string, text: string, log: Logger): ReadonlyMap<string, PasswordUser> {
  const users = new Map<string, PasswordUser>();
  for (const { line, secret, user } of readRecords(file, text, 'password')) {
    if (secret === '' || user.name === '') {
      log.warn('a line of the password file has no password or no user and is left out', { file, line });
      continue;
    }
    if (users.has(user.name)) log.warn('a user stands twice in the password file: the later line counts', { file, line });
    users.set(user.name, { password: secret, user });
  }
  return users;
}
