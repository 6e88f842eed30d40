import { isIP } from 'node:net';
import { blockContains, parseCidr, parseIp } from '../../../base/net/ip.js';
import { ImageError } from '../image-error.js';
import type { ProxyOptions } from './options.js';

/** The proxy for a URL; undefined: none. The rules are those of Go's programs. Throws for a proxy that is no `http://` URL. */
export function proxyFor(url: URL, options: ProxyOptions): URL | undefined {
  const [name, value] = url.protocol === 'https:' ? ['HTTPS_PROXY', options.https] : ['HTTP_PROXY', options.http];
  if (!value || !usesProxy(url, options.no ?? '')) return undefined;
  const proxy = parse(/^[a-z0-9+.-]+:\/\//i.test(value) ? value : `http://${value}`);
  if (!proxy || proxy.protocol !== 'http:') throw new ImageError('KUBE_IMAGE_PULL', `${name} must be a URL like http://host:port, is "${value.replace(/\/\/[^@/]*@/, '//…@')}"`);
  return proxy;
}

/** The header that a proxy wants for the user and password in its URL. */
export function proxyAuthorization(proxy: URL): Record<string, string> {
  if (proxy.username === '' && proxy.password === '') return {};
  return { 'proxy-authorization': `Basic ${Buffer.from(`${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`).toString('base64')}` };
}

/** Whether a host is this machine's loopback: such are never asked through a proxy, and may speak plain HTTP. */
export function isLoopback(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

function usesProxy(url: URL, no: string): boolean {
  const host = url.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  if (isLoopback(host)) return false;
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  const ip = parseIp(host);
  for (const rule of no.split(',').map((item) => item.trim().toLowerCase()).filter((item) => item !== '')) {
    if (rule === '*') return false;
    const block = parseCidr(rule);
    if (block) {
      if (ip && blockContains(block, ip)) return false;
      continue;
    }
    const colon = isIP(rule) === 6 ? -1 : rule.lastIndexOf(':');
    const name = (colon < 0 ? rule : rule.slice(0, colon)).replace(/^\[|\]$/g, '').replace(/^\*\./, '.');
    if (colon >= 0 && rule.slice(colon + 1) !== port) continue;
    if (name.startsWith('.') ? host.endsWith(name) : host === name || (!ip && host.endsWith(`.${name}`))) return false;
  }
  return true;
}

function parse(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}
