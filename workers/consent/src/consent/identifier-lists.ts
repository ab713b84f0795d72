/**
 * D1 limits a text to 2,000,000 bytes and a statement to a hundred parameters: identifiers are passed as JSON lists. Each
 * list is copied several times on its way, so it is kept below that.
 */
const MAX_LIST_BYTES = 500_000

/** JSON lists of these identifiers, made one by one. */
export function* listsOf(hashes: Iterable<string>): Generator<string> {
  const encoder = new TextEncoder()
  // An identifier has at most 1,024 bytes; escapes take at most six for one.
  const scratch = new Uint8Array(8 * 1024)
  let items: string[] = []
  let bytes = 0
  for (const hash of hashes) {
    const item = JSON.stringify(hash)
    const itemBytes = encoder.encodeInto(item, scratch).written + 1
    if (items.length > 0 && bytes + itemBytes > MAX_LIST_BYTES) {
      yield `[${items.join(',')}]`
      items = []
      bytes = 0
    }
    items.push(item)
    bytes += itemBytes
  }
  if (items.length > 0) yield `[${items.join(',')}]`
}
