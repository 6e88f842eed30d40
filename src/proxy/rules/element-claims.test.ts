import { ElementClaims, type ElementChange } from './element-claims.js';
import type { RuleElement } from './service-rules.js';

const external = (value: string): RuleElement => ({ container: 'service-ips', key: '172.30.0.1 . tcp . 80', value });
const pod: RuleElement = { container: 'hairpin-connections', key: '10.244.0.2 . 10.244.0.2 . tcp . 80', value: '' };

function tracked() {
  const claims = new ElementClaims();
  const owned = new Map<string, readonly RuleElement[]>();
  /** Gives an owner its elements and tells what changed, `from>to`. */
  const set = (owner: string, elements: readonly RuleElement[]): string[] => {
    const changes: ElementChange[] = [];
    claims.replace({ owner, elements: owned.get(owner) ?? [] }, { owner, elements }, (change) => changes.push(change));
    owned.set(owner, elements);
    return changes.map(({ from, to }) => `${from ?? '-'}>${to ?? '-'}`);
  };
  return { claims, set };
}

test('the older of two owners has an element, and the other one takes over when it goes', () => {
  const { claims, set } = tracked();
  expect(set('2026-02', [external('goto b')])).toEqual(['->goto b']);
  expect(set('2026-01', [external('goto a')])).toEqual(['goto b>goto a']);
  expect(set('2026-02', [external('goto c')])).toEqual([]);
  expect(set('2026-01', [])).toEqual(['goto a>goto c']);
  expect(claims.count('service-ips')).toBe(1);
  expect(set('2026-02', [])).toEqual(['goto c>-']);
  expect(claims.count('service-ips')).toBe(0);
});

test('an element that several want stays until the last of them is gone', () => {
  const { set } = tracked();
  expect(set('a', [pod, pod])).toEqual(['->']);
  expect(set('b', [pod])).toEqual([]);
  expect(set('a', [pod])).toEqual([]);
  expect(set('a', [])).toEqual([]);
  expect(set('b', [])).toEqual(['>-']);
});
