import { type TakedownRecord, takedownPageSchema } from '#protocol/operator/takedown'
import { everyItem } from './pages.ts'
import type { Transport } from './transport.ts'

/** What the operator took down at one service, oldest first. */
export function takedownsOf(transport: Transport, origin: string): AsyncGenerator<TakedownRecord> {
  return everyItem(async (cursor) => {
    const url = `${origin}/api/takedowns${cursor === undefined ? '' : `?cursor=${encodeURIComponent(cursor)}`}`
    const { takedowns, cursor: next } = await transport.data({ method: 'GET', url }, takedownPageSchema)
    return { items: takedowns, cursor: next }
  })
}
