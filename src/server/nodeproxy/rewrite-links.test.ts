import { rewriteLinks, rewriteUrl } from './rewrite-links.js';

const BASE = { prefix: '/api/v1/namespaces/d/pods/p/proxy', authority: '10.0.0.1:80' };

test.each([
  ['/x', '/api/v1/namespaces/d/pods/p/proxy/x'],
  ['/x/?a=b#c', '/api/v1/namespaces/d/pods/p/proxy/x/?a=b#c'],
  ['x', 'x'],
  ['#top', '#top'],
  ['/api/v1/namespaces/d/pods/p/proxy/x', '/api/v1/namespaces/d/pods/p/proxy/x'],
  ['http://10.0.0.1:80/x', '/api/v1/namespaces/d/pods/p/proxy/x'],
  ['//10.0.0.1:80', '/api/v1/namespaces/d/pods/p/proxy/'],
  ['https://elsewhere/x', 'https://elsewhere/x'],
  ['mailto:a@b', 'mailto:a@b'],
])('%s becomes %s', (text, expected) => {
  expect(rewriteUrl(text, BASE)).toBe(expected);
});

test('links are rewritten wherever the text is cut; what is no link stays byte for byte', async () => {
  const html = '<!DOCTYPE html><html><a class=x href="/rewriteme">\u00e9 < 3</a><img src=/i.png alt="/not"><IMG SRC=\'/j\'><script src="/s.js">var a = "<a href=\\"/no\\">";</script><p title="/stay">/text</p></html>';
  const expected = html.replace('"/rewriteme"', `"${BASE.prefix}/rewriteme"`).replace('=/i.png', `=${BASE.prefix}/i.png`).replace("'/j'", `'${BASE.prefix}/j'`).replace('"/s.js"', `"${BASE.prefix}/s.js"`);
  for (let cut = 0; cut <= html.length; cut++) {
    const parts = [html.slice(0, cut), html.slice(cut)].map((part) => Buffer.from(part));
    const chunks = (async function* () {
      for (const part of parts) yield part;
    })();
    const out: Buffer[] = [];
    for await (const piece of rewriteLinks(chunks, BASE)) out.push(piece);
    expect(Buffer.concat(out).toString()).toBe(expected);
  }
});
