/** Remembers what a function made of an object for as long as the object lives. API objects never change, so the answer stays right. */
export function memoByObject<K extends object, V>(make: (object: K) => V): (object: K) => V {
  const known = new WeakMap<K, { readonly value: V }>();
  return (object) => {
    let entry = known.get(object);
    if (!entry) known.set(object, (entry = { value: make(object) }));
    return entry.value;
  };
}
