import { invalid, type FieldError } from '../../meta/field-error.js';
import type { FieldPath } from '../../meta/field-path.js';
import { parseIp } from '../../meta/validation/ip.js';

/** An address that a service may send traffic to: not unspecified, loopback or link-local. */
export function validateEndpointIp(value: string, path: FieldPath): FieldError[] {
  const ip = parseIp(value);
  if (ip === undefined) return [invalid(path, value, 'must be a valid IP address')];
  const [first = 0, second = 0, third = 0] = ip.bytes;
  const v4 = ip.family === 4;
  const errors: FieldError[] = [];
  const leading = ip.bytes.slice(0, -1).every((byte) => byte === 0);
  const last = ip.bytes.at(-1)!;
  if (leading && last === 0) errors.push(invalid(path, value, `may not be unspecified (${value})`));
  if (v4 ? first === 127 : leading && last === 1) errors.push(invalid(path, value, 'may not be in the loopback range (127.0.0.0/8, ::1/128)'));
  if (v4 ? first === 169 && second === 254 : first === 0xfe && (second & 0xc0) === 0x80) {
    errors.push(invalid(path, value, 'may not be in the link-local range (169.254.0.0/16, fe80::/10)'));
  }
  if (v4 ? first === 224 && second === 0 && third === 0 : first === 0xff && (second & 0x0f) === 2) {
    errors.push(invalid(path, value, 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)'));
  }
  return errors;
}
