/** Part of where all data is, and fixed with it: a record is in the store that its identifier names, for ever. */
const STORES = 64

/** The store of a bucket: the low six bits say which. */
export function storeOf(bucket: number): string {
  return nameOf(bucket % STORES)
}

export const STORE_NAMES: readonly string[] = Array.from({ length: STORES }, (_, i) => nameOf(i))

function nameOf(number: number): string {
  return `consent/s${String(number).padStart(2, '0')}`
}
