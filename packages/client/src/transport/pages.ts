import { unverified } from '../verification/verification-error.ts'

/** One page of a list. */
interface Page<T> {
  readonly items: readonly T[]
  /** Of the next page; null at the end. */
  readonly cursor: string | null
}

/** Every item of a list, read page by page as the loop goes on. Throws if the service repeats a page. */
export async function* everyItem<T>(read: (cursor: string | undefined) => Promise<Page<T>>): AsyncGenerator<T> {
  const seen = new Set<string>()
  for (let cursor: string | undefined; ; ) {
    const page: Page<T> = await read(cursor)
    yield* page.items
    if (page.cursor === null) return
    if (seen.has(page.cursor)) throw unverified('answer', 'repeated', 'The service repeats pages')
    seen.add(page.cursor)
    cursor = page.cursor
  }
}
