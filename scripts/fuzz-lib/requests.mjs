// One random request after the other. Each is { kind, method, path, headers, body } with the body as bytes.
import { asYaml, damaged, lightly } from './bytes.mjs';
import { patch } from './patches.mjs';
import { accept, query, selectors } from './queries.mjs';
import { customObject, definition } from './schemas.mjs';
import { garbled, mutated, oddValue } from './values.mjs';

const text = (value) => {
  try {
    return JSON.stringify(value) ?? 'null';
  } catch {
    return '[';
  }
};

export class Requests {
  #definitions = [];
  #numbers = 0;

  /** `seeds`: { collection, object }; `wire`: { collection, bytes } in protobuf. */
  constructor(dice, seeds, wire) {
    this.dice = dice;
    this.seeds = seeds;
    this.wire = wire;
  }

  next() {
    const { dice } = this;
    const request = dice.pick([this.write, this.write, this.decode, this.decode, this.protobuf, this.protobuf, this.patch, this.patch, this.patch, this.select, this.select, this.custom, this.custom, this.custom, this.path]).call(this);
    return { ...request, kind: request.kind, headers: { accept: accept(dice), ...request.headers }, body: request.body === undefined ? undefined : Buffer.from(request.body) };
  }

  write() {
    const { dice } = this;
    const { collection, object } = dice.pick(this.seeds);
    const put = dice.chance(0.4);
    return { kind: 'write', method: put ? 'PUT' : 'POST', path: `${collection}${put ? `/${object.metadata.name}${dice.pick(['', '', '/status', '/scale'])}` : ''}?${query(dice)}`, headers: { contentType: 'application/json' }, body: text(mutated(dice, put ? object : { ...object, metadata: { ...object.metadata, name: undefined, generateName: 'f-' } })) };
  }

  decode() {
    const { dice } = this;
    const { collection, object } = dice.pick(this.seeds);
    const yaml = dice.chance(0.5);
    const body = yaml ? asYaml(dice, dice.chance(0.5) ? mutated(dice, object) : object) : damaged(dice, text(object));
    const put = dice.chance(0.5);
    return { kind: yaml ? 'yaml' : 'json', method: put ? 'PUT' : 'POST', path: `${collection}${put ? `/${object.metadata.name}` : ''}?fieldValidation=${dice.pick(['Strict', 'Warn', 'Ignore'])}`, headers: { contentType: yaml ? 'application/yaml' : 'application/json' }, body };
  }

  protobuf() {
    const { dice } = this;
    const { path, bytes } = dice.pick(this.wire);
    const method = dice.pick(['PUT', 'PUT', 'PUT', 'POST', 'DELETE']);
    return { kind: 'protobuf', method, path: method === 'POST' ? path.replace(/\/[^/]+$/, '') : path, headers: { contentType: 'application/vnd.kubernetes.protobuf' }, body: dice.chance(0.5) ? lightly(dice, bytes) : damaged(dice, bytes) };
  }

  patch() {
    const { dice } = this;
    const { collection, object } = dice.pick(this.seeds);
    const made = patch(dice, object);
    const body = text(made.body);
    return { kind: made.contentType, method: 'PATCH', path: `${collection}/${object.metadata.name}${dice.pick(['', '', '', '/status', '/scale'])}?${made.query ?? query(dice)}`, headers: { contentType: made.contentType }, body: dice.chance(0.05) ? damaged(dice, body) : body };
  }

  select() {
    const { dice } = this;
    const { collection } = dice.pick(this.seeds);
    return { kind: 'select', method: dice.chance(0.95) ? 'GET' : 'DELETE', path: `${collection}?${dice.chance(0.5) ? selectors(dice) : query(dice)}${dice.chance(0.02) ? '&watch=true' : ''}`, headers: {} };
  }

  custom() {
    const { dice } = this;
    if (this.#definitions.length === 0 || dice.chance(0.25)) {
      const made = definition(dice, this.#numbers++ % 40);
      this.#definitions.push(made);
      if (this.#definitions.length > 30) this.#definitions.shift();
      const body = text(dice.chance(0.15) ? mutated(dice, made) : made);
      const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
      if (dice.chance(0.2)) return { kind: 'definition', method: 'DELETE', path: `${path}/${made.metadata.name}`, headers: {} };
      if (dice.chance(0.3)) return { kind: 'definition', method: 'PATCH', path: `${path}/${made.metadata.name}?fieldManager=f&force=true`, headers: { contentType: 'application/apply-patch+yaml' }, body };
      return { kind: 'definition', method: 'POST', path, headers: { contentType: 'application/json' }, body };
    }
    const made = dice.pick(this.#definitions);
    const { version, object } = customObject(dice, made);
    const collection = `/apis/${made.spec.group}/${version}${made.spec.scope === 'Namespaced' ? '/namespaces/diff' : ''}/things`;
    const name = object?.metadata?.name ?? 't1';
    switch (dice.below(5)) {
      case 0:
        return { kind: 'custom', method: 'GET', path: `${collection}?${query(dice)}`, headers: {} };
      case 1: {
        const change = patch(dice, { ...object, metadata: { name } });
        return { kind: 'custom patch', method: 'PATCH', path: `${collection}/${typeof name === 'string' ? encodeURIComponent(name.slice(0, 100).replace(/[\ud800-\udfff]/g, '?')) : 't1'}${dice.pick(['', '/status', '/scale'])}?${change.query ?? ''}`, headers: { contentType: change.contentType }, body: text(change.body) };
      }
      case 2:
        return { kind: 'custom', method: 'PUT', path: `${collection}/t${dice.below(5)}?fieldValidation=Strict`, headers: { contentType: 'application/json' }, body: text(object) };
      default:
        return { kind: 'custom', method: 'POST', path: `${collection}?fieldValidation=${dice.pick(['Strict', 'Warn', 'Ignore'])}`, headers: { contentType: dice.pick(['application/json', 'application/yaml']) }, body: text(object) };
    }
  }

  /** Nothing that the server would hand on to a node or a service: addresses in nonsense are somebody's. */
  path() {
    const { dice } = this;
    const { collection, object } = dice.pick(this.seeds);
    let path = `${collection}/${object.metadata.name}${dice.pick(['', '/status', '/binding', '/eviction', '/token', '/ephemeralcontainers', '/resize', '/approval', '/wrong'])}`;
    if (dice.chance(0.5)) path = garbled(dice, path).replace(/[^!-~]|[#]/g, '') || '/';
    if (!path.startsWith('/')) path = `/${path}`;
    const method = dice.pick(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'FOO']);
    return { kind: 'path', method, path, headers: { contentType: 'application/json' }, ...(method === 'GET' || method === 'HEAD' ? {} : { body: text(oddValue(dice)) }) };
  }
}
